"""What may be put into held steps on the borders of loops, maps and called flows."""

from typing import Any

import pytest

from studio.errors import ValueTypeError
from studio.flow.records import Flow, Socket
from studio.flow.structure.types import resolve
from studio.ids import NodeId, PortName, StepId
from studio.runtime.gates.step_ref import Phase
from studio.runtime.gates.value_edits import FEW, HeldTypes, read_edits, type_at
from tests.runtime.bench import flow_of
from tests.runtime.called import OUT, UPPER, bound, calls
from tests.runtime.test_gate import FLOW, WIDE

REGISTRY = bound({"upper.json": UPPER})
CALLING = flow_of(
    {"word": ("io.flow_input", {"type": "text"}), "call": calls("upper.json"), "out": OUT},
    ["word.value -> call.text", "call.loud -> out.value"],
)
HELD: list[tuple[Flow, str, Phase, str, str, Any]] = [
    (FLOW, "rounds", "before", "start", "text", 3),
    (FLOW, "rounds", "after", "result", "text", ["a"]),
    (FLOW, "rounds.2/grow", "after", "text", "text", 3),
    (WIDE, "each", "before", "items", "json[]", "x"),
    (WIDE, "all", "before", "value", "text[]", "a"),
    (WIDE, "all", "after", "values", "text[]", [3]),
    (WIDE, "each.1/mark", "before", "x", "any", None),
    (CALLING, "call", "before", "text", "text", 3),
    (CALLING, "call/join", "before", "parts", "text[]", "a"),
    (CALLING, "call/join", "after", "text", "text", {"a": 1}),
]


@pytest.mark.parametrize(("flow", "step", "phase", "port", "kind", "misfit"), HELD)
def test_what_is_put_there_has_the_type_of_the_port(
    flow: Flow, step: str, phase: Phase, port: str, kind: str, misfit: Any
) -> None:
    found = type_at(flow, REGISTRY, StepId(step), port, phase)
    assert found is not None
    assert str(found) == kind
    if misfit is not None:
        with pytest.raises(ValueTypeError):
            read_edits(flow, REGISTRY, StepId(step), phase, {port: misfit})


@pytest.mark.parametrize(
    ("flow", "step", "phase", "port"),
    [
        (FLOW, "rounds", "before", "again"),
        (FLOW, "rounds", "before", "done"),
        (FLOW, "rounds", "after", "value"),
        (FLOW, "rounds", "after", "round"),
        (WIDE, "each", "after", "item"),
        (WIDE, "each", "after", "index"),
        (WIDE, "all", "after", "value"),
        (CALLING, "call", "after", "text"),
        (CALLING, "call/join", "before", "text"),
    ],
)
def test_what_belongs_to_rounds_and_items_or_to_the_other_side_of_the_work_is_not_put_there(
    flow: Flow, step: str, phase: Phase, port: str
) -> None:
    with pytest.raises(ValueTypeError, match="there is no"):
        read_edits(flow, REGISTRY, StepId(step), phase, {port: "x"})


def test_types_found_node_by_node_are_those_of_the_whole_flow() -> None:
    nodes: dict[str, str] = {"word": "io.flow_input", "n0": "control.merge"}
    nodes |= {f"n{place}": "control.merge" for place in range(1, FEW * 2)}
    wires = [f"n{place}.value -> n{place + 1}.values" for place in range(FEW * 2 - 1)]
    flow = flow_of(nodes, ["word.value -> n0.values", *wires])
    types = HeldTypes(flow, REGISTRY)
    found = [types.at(Socket(NodeId(f"n{place}"), PortName("value")), "after") for place in range(FEW * 2)]
    assert found == [resolve(flow, REGISTRY)[Socket(NodeId("n0"), PortName("value"))]] * (FEW * 2)
    assert str(found[0]) != "any"
