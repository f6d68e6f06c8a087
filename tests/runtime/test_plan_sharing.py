"""Runs of the same flow share its plan; of any other flow, however alike, they do not."""

from dataclasses import replace

from studio.app.catalog import builtin_registry
from studio.runtime.known import KEPT
from studio.runtime.planning import make_plan
from studio.sdk.registry import Registry
from tests.runtime.bench import REGISTRY, flow_of

FLOW = flow_of({"a": ("text.text", {"text": "x"})}, [])


def test_the_same_flow_is_planned_once() -> None:
    assert make_plan(FLOW, REGISTRY) is make_plan(FLOW, REGISTRY)


def test_another_flow_or_other_node_types_are_planned_anew() -> None:
    plan = make_plan(FLOW, REGISTRY)
    assert make_plan(replace(FLOW), REGISTRY) is not plan
    assert make_plan(FLOW, Registry(builtin_registry())) is not plan


def test_an_edited_flow_runs_as_it_was_edited() -> None:
    make_plan(FLOW, REGISTRY)
    edited = replace(FLOW, nodes=flow_of({"b": ("text.text", {"text": "y"})}, []).nodes)
    assert list(make_plan(edited, REGISTRY).titles) == ["b"]


def test_only_so_many_plans_are_kept() -> None:
    plan = make_plan(FLOW, REGISTRY)
    others = [replace(FLOW) for _ in range(KEPT)]
    for one in others:
        make_plan(one, REGISTRY)
    assert make_plan(FLOW, REGISTRY) is not plan
