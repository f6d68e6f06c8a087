"""Every refusal names what is to blame, and every remedy that is offered mends it."""

from collections.abc import Mapping
from typing import Any

import pytest

from studio.app.documents.history import History
from studio.flow.checks.check import Problem, check
from studio.flow.records import Flow, RunSettings
from studio.ids import NodeId
from studio.workspace.catalog import builtin_registry
from tests.runtime.bench import flow_of

REGISTRY = builtin_registry()
OUTPUT = "io.flow_output"
TEXT = ("text.text", {"text": "a"})
LIST = ("value.json", {"value": ["a", "b"]})
MARK = ("text.template", {"template": "{{x}}"})
PAIR = ("text.template", {"template": "{{a}}{{b}}"})

MAP = {"list": LIST, "each": "control.for_each", "mark": MARK, "all": "control.collect", "out": OUTPUT}
MAP_WIRES = [
    "list.value -> each.items",
    "each.item -> mark.x",
    "mark.text -> all.value",
    "all.values -> out.value",
]
LOOP = {"word": TEXT, "rounds": "control.loop", "mark": MARK, "out": OUTPUT}
LOOP_WIRES = [
    "word.text -> rounds.start",
    "rounds.value -> mark.x",
    "mark.text -> rounds.again",
    "rounds.result -> out.value",
]


def told(nodes: Mapping[str, Any], node: str, run: Mapping[str, Any]) -> dict[str, Any]:
    """The nodes, one of them with run settings."""
    kind, settings, inputs = (*((nodes[node],) if isinstance(nodes[node], str) else nodes[node]), {}, {})[:3]
    return {**nodes, node: (kind, settings, inputs, run)}


def maps_in_the_same_step() -> Flow:
    nodes = {
        "list": LIST,
        "one": "control.for_each",
        "two": "control.for_each",
        "pair": PAIR,
        "a": "control.collect",
        "b": "control.collect",
        "out": OUTPUT,
    }
    wires = [
        "list.value -> one.items",
        "list.value -> two.items",
        "one.item -> pair.a",
        "two.item -> pair.b",
        "pair.text -> a.value",
        "a.values -> b.value",
        "b.values -> out.value",
    ]
    return flow_of(nodes, wires)


def items_in_a_loop_from_outside() -> Flow:
    nodes = {**LOOP, "mark": PAIR, "list": LIST, "each": "control.for_each", "all": "control.collect"}
    wires = [
        "word.text -> rounds.start",
        "list.value -> each.items",
        "rounds.value -> mark.a",
        "each.item -> mark.b",
        "mark.text -> rounds.again",
        "rounds.result -> all.value",
        "all.values -> out.value",
    ]
    return flow_of(nodes, wires)


def items_that_reach_the_end_of_a_loop() -> Flow:
    nodes = {"list": LIST, "rounds": "control.loop", "each": "control.for_each", "mark": MARK, "out": OUTPUT}
    wires = [
        "list.value -> rounds.start",
        "rounds.value -> each.items",
        "each.item -> mark.x",
        "mark.text -> rounds.again",
        "rounds.result -> out.value",
    ]
    return flow_of(nodes, wires)


def loops_wired_crosswise() -> Flow:
    nodes = {"word": TEXT, "one": "control.loop", "two": "control.loop", "a": MARK, "b": MARK, "out": OUTPUT}
    wires = [
        "word.text -> one.start",
        "word.text -> two.start",
        "one.value -> a.x",
        "a.text -> two.again",
        "two.value -> b.x",
        "b.text -> one.again",
        "one.result -> out.value",
    ]
    return flow_of(nodes, wires)


def loops_that_overlap() -> Flow:
    nodes = {"word": TEXT, "one": "control.loop", "two": "control.loop", "mark": MARK, "out": OUTPUT}
    wires = [
        "word.text -> one.start",
        "one.value -> two.start",
        "two.value -> mark.x",
        "mark.text -> one.again",
        "mark.text -> two.again",
        "two.result -> out.value",
    ]
    return flow_of(nodes, wires)


REFUSED: dict[str, Flow] = {
    "cycle": flow_of(
        {"word": TEXT, "a": MARK, "b": MARK, "out": OUTPUT},
        ["word.text -> a.x", "a.text -> b.x", "b.text -> a.x", "b.text -> out.value"],
    ),
    "regions-maps": maps_in_the_same_step(),
    "regions-enters-loop": items_in_a_loop_from_outside(),
    "regions-leaves-map": items_that_reach_the_end_of_a_loop(),
    "regions-crosswise": loops_wired_crosswise(),
    "regions-crossing": loops_that_overlap(),
    "item-and-list": flow_of(
        {**MAP, "mark": PAIR, "own": "control.collect"},
        [
            "list.value -> each.items",
            "each.item -> own.value",
            "own.values -> mark.b",
            "each.item -> mark.a",
            "mark.text -> all.value",
            "all.values -> out.value",
        ],
    ),
    "map-without-collect": flow_of({name: MAP[name] for name in ("list", "each", "mark")}, MAP_WIRES[:2]),
    "collect-without-map": flow_of(
        {"word": TEXT, "all": "control.collect", "out": OUTPUT},
        ["word.text -> all.value", "all.values -> out.value"],
    ),
    "output-in-map": flow_of({**MAP, "each_one": OUTPUT}, [*MAP_WIRES, "mark.text -> each_one.value"]),
    "type-conflict": flow_of(
        {"picture": ("io.flow_input", {"type": "image"}), "pieces": "text.split", "out": OUTPUT},
        ["picture.value -> pieces.text", "pieces.pieces -> out.value"],
    ),
    "two-wires": flow_of(
        {"a": TEXT, "b": TEXT, "out": OUTPUT}, ["a.text -> out.value", "b.text -> out.value"]
    ),
    "equal-indices": flow_of(
        {"a": TEXT, "b": TEXT, "all": "text.join", "out": OUTPUT},
        ["a.text -> all.parts[1]", "b.text -> all.parts[1]", "all.text -> out.value"],
    ),
    "missing-input": flow_of({"mark": MARK, "out": OUTPUT}, ["mark.text -> out.value"]),
    "missing-port": flow_of({"a": TEXT, "out": OUTPUT}, ["a.text -> out.value", "a.gone -> out.after"]),
    "not-for-areas": flow_of(told(LOOP, "rounds", {"retries": 2}), LOOP_WIRES),
    "not-for-areas, budget": flow_of(told(LOOP, "rounds", {"limits": {"calls": 3}}), LOOP_WIRES),
    "not-for-areas, bypassed": flow_of(told(MAP, "each", {"state": "bypassed"}), MAP_WIRES),
    "not-for-areas, error policy": flow_of(
        told(MAP, "each", {"on_error": "default", "default": []}), MAP_WIRES
    ),
    "not-for-areas, time limit": flow_of(told(MAP, "all", {"time_limit": 3}), MAP_WIRES),
    "default-misfit": flow_of(
        told(LOOP, "mark", {"on_error": "default", "default": {"txt": "a"}}), LOOP_WIRES
    ),
    "default-misfit, of a loop": flow_of(
        told(LOOP, "rounds", {"on_error": "default", "default": {"round": 1}}), LOOP_WIRES
    ),
    "default-misfit, no output": flow_of(
        told({"word": TEXT, "out": OUTPUT}, "out", {"on_error": "default", "default": "x"}),
        ["word.text -> out.value"],
    ),
    "collect-after-item": flow_of(MAP, [*MAP_WIRES, "each.then -> all.after"]),
}

CAUGHT = {"broken": MARK, "caught": "control.catch", "out": OUTPUT}
RACING = {"a": TEXT, "first": "control.race", "out": OUTPUT}
UNLIKELY: dict[str, Flow] = {
    "error-unread": flow_of(told(LOOP, "mark", {"on_error": "output"}), LOOP_WIRES),
    "catch-without-failure": flow_of(
        {"word": ("io.flow_input", {"default": "a"}), **CAUGHT},
        ["word.value -> caught.value", "caught.value -> out.value", "word.value -> broken.x"],
    ),
    "catch-passed-by": flow_of(
        {"word": TEXT, **CAUGHT, "beside": OUTPUT},
        [
            "word.text -> broken.x",
            "broken.text -> caught.value",
            "caught.value -> out.value",
            "broken.text -> beside.value",
        ],
    ),
    "race-alone": flow_of(RACING, ["a.text -> first.values[0]", "first.value -> out.value"]),
    "race-from-outside": flow_of(
        {**LOOP, "first": "control.race"},
        [
            "word.text -> rounds.start",
            "rounds.value -> mark.x",
            "mark.text -> first.values[0]",
            "word.text -> first.values[1]",
            "first.value -> rounds.again",
            "rounds.result -> out.value",
        ],
    ),
    "list-of-one": flow_of({**MAP, "list": TEXT}, ["list.text -> each.items", *MAP_WIRES[1:]]),
    "not-wired": flow_of({"a": TEXT, "b": TEXT, "out": OUTPUT}, ["a.text -> out.value"]),
    "runs-once": flow_of(
        {**LOOP, "last": MARK, "end": OUTPUT}, [*LOOP_WIRES, "mark.text -> last.x", "last.text -> end.value"]
    ),
}
BLAMELESS = {"missing-input", "not-for-areas", "default-misfit", "error-unread", "not-wired", "runs-once"}
"""What is wrong with a node and no wire."""


def problems(flow: Flow, code: str) -> list[Problem]:
    return [one for one in check(flow, REGISTRY) if one.code == code]


@pytest.mark.parametrize("name", [*REFUSED, *UNLIKELY])
def test_each_problem_is_told_with_what_is_to_blame_and_every_remedy_mends_it(name: str) -> None:
    code = name.partition(",")[0]
    flow = REFUSED.get(name) or UNLIKELY[name]
    found = problems(flow, code)
    assert found, [one.code for one in check(flow, REGISTRY)]
    problem = found[0]
    assert problem.severity == ("error" if name in REFUSED else "warning")
    assert problem.remedies
    assert bool(problem.wires) == (code not in BLAMELESS)
    assert set(problem.wires) <= set(flow.wires)
    assert len({remedy.label for remedy in problem.remedies}) == len(problem.remedies)
    for remedy in problem.remedies:
        history = History(flow)
        history.do(remedy.change)
        left = [(one.message, one.node, one.wires) for one in problems(history.flow, code)]
        assert (problem.message, problem.node, problem.wires) not in left, remedy.label
        assert len(left) < len(found), remedy.label
        history.undo()
        assert history.flow == flow


@pytest.mark.parametrize("name", ["cycle", "map-without-collect", "missing-input", "collect-without-map"])
def test_the_first_remedy_makes_a_flow_that_can_run(name: str) -> None:
    flow = REFUSED[name]
    mended = problems(flow, name)[0].remedies[0].change.applied_to(flow)
    assert [one for one in check(mended, REGISTRY) if one.severity == "error"] == []


def test_flows_in_order_have_none_of_these_problems() -> None:
    assert check(flow_of(MAP, MAP_WIRES), REGISTRY) == []
    assert check(flow_of(LOOP, LOOP_WIRES), REGISTRY) == []
    several = {**RACING, "b": TEXT}
    wires = ["a.text -> first.values[0]", "b.text -> first.values[1]", "first.value -> out.value"]
    assert check(flow_of(several, wires), REGISTRY) == []
    caught = ["word.text -> broken.x", "broken.text -> caught.value", "caught.value -> out.value"]
    assert check(flow_of({"word": TEXT, **CAUGHT}, caught), REGISTRY) == []


@pytest.mark.parametrize(
    ("node", "run"),
    [
        ("rounds", {"time_limit": 3}),
        ("rounds", {"state": "bypassed"}),
        ("rounds", {"on_error": "default", "default": "none"}),
        ("rounds", {"on_error": "default", "default": {"result": "none", "history": []}}),
        ("mark", {"retries": 2, "time_limit": 3, "on_error": "default", "default": {"text": "none"}}),
    ],
)
def test_what_a_loop_can_follow_is_no_problem(node: str, run: dict[str, Any]) -> None:
    assert check(flow_of(told(LOOP, node, run), LOOP_WIRES), REGISTRY) == []


@pytest.mark.parametrize(
    ("node", "run"),
    [
        ("each", {"time_limit": 3}),
        ("all", {"on_error": "default", "default": []}),
        ("all", {"state": "muted"}),
    ],
)
def test_what_a_map_can_follow_is_no_problem(node: str, run: dict[str, Any]) -> None:
    assert check(flow_of(told(MAP, node, run), MAP_WIRES), REGISTRY) == []


def test_retries_of_a_loop_go_to_the_steps_inside_it() -> None:
    flow = REFUSED["not-for-areas"]
    mended = problems(flow, "not-for-areas")[0].remedies[0].change.applied_to(flow)
    assert mended.nodes[NodeId("rounds")].run == RunSettings()
    assert mended.nodes[NodeId("mark")].run == RunSettings(retries=2)


def test_a_collect_whose_scatter_has_a_wrong_setting_is_not_blamed_for_it() -> None:
    some = flow_of(
        {
            "parts": ("text.split", {}),
            "each": ("control.for_each", {"at_once": 0}),
            "all": ("control.collect", {}),
            "out": ("io.flow_output", {}),
        },
        ["parts.parts -> each.items[0]", "each.item -> all.value", "all.values -> out.value"],
    )
    found = {one.code for one in check(some, builtin_registry())}
    assert "settings" in found
    assert "collect-without-map" not in found
