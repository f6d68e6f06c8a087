"""Which steps that share a run variable are told that nothing orders them."""

import pytest

from studio.flow.checks.check import Problem, check
from studio.flow.records import Flow
from studio.workspace.catalog import builtin_registry
from tests.runtime.bench import flow_of

LIBRARY = builtin_registry()
SET, GET = "value.state_set", "value.state_get"
TWO = {
    "word": ("text.text", {"text": "a"}),
    "set": (SET, {"name": "n"}),
    "get": (GET, {"name": "n"}),
    "out": "io.flow_output",
}
WIRES = ["word.text -> set.value", "get.value -> out.value"]


def unordered(flow: Flow) -> list[Problem]:
    problems = check(flow, LIBRARY)
    assert not [one for one in problems if one.severity == "error"], problems
    return [one for one in problems if one.code == "unordered-state"]


def test_a_reader_that_no_wire_orders_is_told_and_can_be_ordered() -> None:
    flow = flow_of(TWO, WIRES)
    (problem,) = unordered(flow)
    assert problem.severity == "warning"
    assert "“get” and “set” share the variable `n`" in problem.message
    assert [one.label for one in problem.remedies] == ["Run get after set", "Run set after get"]
    assert unordered(problem.remedies[0].change.applied_to(flow)) == []


@pytest.mark.parametrize("order", ["set.then -> get.after", "get.then -> set.after"])
def test_order_ports_are_enough(order: str) -> None:
    assert unordered(flow_of(TWO, [*WIRES, order])) == []


def test_readers_alone_need_no_order_and_other_variables_neither() -> None:
    assert unordered(flow_of({**TWO, "set": (SET, {"name": "other"})}, WIRES)) == []
    nodes = {**TWO, "set": (GET, {"name": "n"})}
    assert unordered(flow_of(nodes, ["get.value -> out.value"])) == []


def test_what_is_muted_shares_nothing() -> None:
    nodes = {**TWO, "set": (SET, {"name": "n"}, {}, {"state": "muted"})}
    assert unordered(flow_of(nodes, WIRES)) == []


MAP = {
    "list": ("value.json", {"value": [1, 2]}),
    "each": "control.for_each",
    "set": (SET, {"name": "n"}),
    "all": "control.collect",
    "get": (GET, {"name": "n"}),
    "out": "io.flow_output",
    "also": "io.flow_output",
}
MAP_WIRES = [
    "list.value -> each.items",
    "each.item -> set.value",
    "set.value -> all.value",
    "all.values -> also.value",
    "get.value -> out.value",
]


def test_what_comes_after_a_map_comes_after_all_that_its_items_write() -> None:
    assert len(unordered(flow_of(MAP, MAP_WIRES))) == 1
    assert unordered(flow_of(MAP, [*MAP_WIRES, "all.then -> get.after"])) == []


def test_one_step_in_every_round_or_item_is_ordered_by_them() -> None:
    nodes = {name: node for name, node in MAP.items() if name not in {"get", "out"}}
    assert unordered(flow_of(nodes, MAP_WIRES[:-1])) == []


def test_two_steps_of_one_round_need_a_wire_as_others_do() -> None:
    nodes = {
        "word": ("value.json", {"value": 1}),
        "rounds": "control.loop",
        "set": (SET, {"name": "n"}),
        "get": (GET, {"name": "n"}),
        "out": "io.flow_output",
    }
    wires = [
        "word.value -> rounds.start",
        "rounds.value -> set.value",
        "set.value -> rounds.again",
        "rounds.round -> get.after",
        "get.value -> rounds.also",
        "rounds.result -> out.value",
    ]
    assert len(unordered(flow_of(nodes, wires))) == 1
    assert unordered(flow_of(nodes, [*wires, "get.then -> set.after"])) == []


BOARD = {
    "board": ("memory.notes", {"name": "board"}),
    "put": ("memory.remember", {}, {"texts": ["a"]}),
    "ask": "memory.recall",
    "out": "io.flow_output",
}
LENT = ["board.memory -> put.memory", "board.memory -> ask.memory", "ask.text -> out.value"]


def test_who_reads_a_memory_that_another_writes_is_told_and_can_be_ordered() -> None:
    flow = flow_of(BOARD, LENT)
    (problem,) = unordered(flow)
    assert "“ask” and “put” share the memory `board`" in problem.message
    assert unordered(problem.remedies[0].change.applied_to(flow)) == []
    assert unordered(flow_of(BOARD, [*LENT, "put.then -> ask.after"])) == []


def test_two_nodes_that_lend_one_memory_are_told_as_one_and_two_readers_need_no_order() -> None:
    nodes = {**BOARD, "same": ("memory.notes", {"name": "board"})}
    wires = ["same.memory -> ask.memory", *(one for one in LENT if "ask.memory" not in one)]
    assert len(unordered(flow_of(nodes, wires))) == 1
    assert unordered(flow_of({**BOARD, "put": "memory.recall"}, LENT)) == []


def test_a_memory_that_reaches_a_step_by_way_of_an_agent_is_shared_as_well() -> None:
    nodes = {
        **BOARD,
        "expert": ("tools.agent_as_tool", {"name": "expert"}),
        "agent": ("llm.agent", {}, {"prompt": "?"}),
    }
    wires = [
        "board.memory -> expert.memory",
        "expert.tool -> agent.tools",
        "board.memory -> ask.memory",
        "ask.text -> out.value",
    ]
    del nodes["put"]
    (problem,) = unordered(flow_of(nodes, wires))
    assert "“agent” and “ask” share the memory `board`" in problem.message
