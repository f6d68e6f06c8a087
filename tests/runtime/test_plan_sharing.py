"""Runs of the same flow share its plan; of any other flow, however alike, they do not."""

import pickle
from dataclasses import replace

from studio.flow.flow_cache import KEPT
from studio.flow.subflows.calls import GivenFlows
from studio.runtime.plans.planner import make_plan
from studio.sdk.registry import BOUND_KEPT, Registry
from studio.workspace.catalog import builtin_registry
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


def test_each_flow_keeps_its_plan_however_many_others_there_are() -> None:
    flows = [replace(FLOW) for _ in range(100)]
    plans = [make_plan(one, REGISTRY) for one in flows]
    assert all(make_plan(one, REGISTRY) is plan for one, plan in zip(flows, plans, strict=True))


def test_only_so_many_plans_are_kept_of_one_flow() -> None:
    plan = make_plan(FLOW, REGISTRY)
    for _ in range(KEPT):
        make_plan(FLOW, Registry(REGISTRY))
    assert make_plan(FLOW, REGISTRY) is not plan


def test_what_is_known_of_a_flow_is_no_part_of_it_and_goes_to_no_other_process() -> None:
    flow = replace(FLOW)
    make_plan(flow, REGISTRY)
    assert (flow, repr(flow)) == (FLOW, repr(FLOW))
    assert pickle.loads(pickle.dumps(flow)).known == {}  # noqa: S301


CALLED = flow_of({"b": ("text.text", {"text": "y"})}, [])
CALLING = flow_of({"call": ("control.subflow", {"flow": "called.json"})}, [])


def test_runs_that_may_call_the_same_flows_share_the_plan() -> None:
    plans = [make_plan(CALLING, REGISTRY.with_flows(GivenFlows({"called.json": CALLED}))) for _ in range(2)]
    assert plans[0] is plans[1]


def test_a_registry_with_the_flows_of_a_run_gives_the_same_one_for_the_same_flows() -> None:
    bound = REGISTRY.with_flows(GivenFlows({"called.json": CALLED}))
    assert bound.with_flows(GivenFlows({"called.json": CALLED})) is bound


def test_a_called_flow_that_was_edited_or_has_another_name_makes_another_plan() -> None:
    plan = make_plan(CALLING, REGISTRY.with_flows(GivenFlows({"called.json": CALLED})))
    for flows in ({"called.json": replace(CALLED)}, {"other.json": CALLED}, {}):
        assert make_plan(CALLING, REGISTRY.with_flows(GivenFlows(flows))) is not plan


def test_only_so_many_registries_with_flows_of_runs_are_kept() -> None:
    base = Registry(REGISTRY)
    bound = base.with_flows(GivenFlows({"called.json": CALLED}))
    for _ in range(BOUND_KEPT):
        base.with_flows(GivenFlows({"called.json": replace(CALLED)}))
    assert base.with_flows(GivenFlows({"called.json": CALLED})) is not bound
