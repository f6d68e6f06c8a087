"""Random flows with more than the engine's own tests have: policies and limits of areas, run variables."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from studio.flow.records import Flow, Node, Socket, Wire
from studio.flow.subflows.calls import GivenFlows
from studio.ids import NodeId, PortName, slug
from studio.sdk.registry import Registry
from tests.export.kinds import KINDS
from tests.reference.document import COLLECT, EACH, LOOP
from tests.reference.generator import Case

VALUE, MEMORY = PortName("value"), PortName("memory")
NEVER, AT_ONCE = 1e6, 0.2
"""Time limits that no area passes, and that all pass which take any time."""

MOST_LENT = 6
"""Memories in a flow."""

Draw = Callable[..., Any]


@st.composite
def with_areas(draw: Draw, plain: st.SearchStrategy[Case]) -> Case:
    """A flow of whose loops, maps and collects some have a time limit or an error policy."""
    case = draw(plain)
    flow = case.flow
    nodes = {name: _with_run(draw, node) for name, node in flow.nodes.items()}
    return replace(case, flow=replace(flow, nodes=nodes))


def _with_run(draw: Draw, node: Node) -> Node:
    changes: dict[str, Any] = {}
    if node.kind in {LOOP, EACH} and draw(st.booleans()):
        changes["time_limit"] = draw(st.sampled_from([NEVER, AT_ONCE]))
    if node.kind in {LOOP, COLLECT} and draw(st.booleans()):
        changes["on_error"] = draw(st.sampled_from(["default", "output"]))
        if changes["on_error"] == "default":
            changes["default"] = [] if node.kind == COLLECT else "instead"
    return node.model_copy(update={"run": node.run.model_copy(update=changes)})


@st.composite
def with_variables(draw: Draw, plain: st.SearchStrategy[Case]) -> Case:
    """A flow some of whose wires lead over steps that note what passes, each in a variable of its own."""
    case = draw(plain)
    flows = {name: _noting(draw, flow, name) for name, flow in case.flows.items()}
    return replace(case, flow=_noting(draw, case.flow, ""), flows=flows)


class RememberingCase(Case):
    """A flow whose steps have memories."""

    @property
    def registry(self) -> Registry:
        """The node types, bound to the flows that may be called."""
        return KINDS.with_flows(GivenFlows(self.flows))


@st.composite
def with_memories(draw: Draw, plain: st.SearchStrategy[Case]) -> Case:
    """A flow some of whose wires lead over steps that remember what passes, each in a memory of its own."""
    case = draw(plain)
    flows = {name: _noting(draw, flow, name, remembers=True) for name, flow in case.flows.items()}
    flow = _noting(draw, case.flow, "", remembers=True)
    return RememberingCase(flow, case.given, flows)


def _noting(draw: Draw, flow: Flow, name: str, *, remembers: bool = False) -> Flow:
    nodes: dict[NodeId, Node] = dict(flow.nodes)
    wires: list[Wire] = []
    places = st.integers(0, max(0, len(flow.wires) - 1))
    chosen = draw(st.sets(places, max_size=MOST_LENT)) if remembers else set[int]()
    for place, wire in enumerate(flow.wires):
        carries = wire.source.port not in {"then", "tool", "index", "round"} and wire.target.port != "after"
        is_lent = flow.nodes[wire.source.node].kind == "test.lender"
        if carries and not is_lent and (place in chosen if remembers else draw(st.integers(0, 3)) == 0):
            note = NodeId(slug(f"note_{name}", nodes))
            if remembers:
                lender = NodeId(slug(f"memory_{name}", nodes))
                nodes[lender] = Node(kind="test.words", settings={"name": str(note)})
                nodes[note] = Node(kind="test.keeper")
                wires.append(Wire(Socket(lender, MEMORY), Socket(note, MEMORY)))
            else:
                nodes[note] = Node(kind="value.state_set", settings={"name": str(note), "how": "append"})
            wires += [
                Wire(wire.source, Socket(note, VALUE)),
                Wire(Socket(note, VALUE), wire.target, wire.index),
            ]
        else:
            wires.append(wire)
    return replace(flow, nodes=nodes, wires=tuple(sorted(wires, key=lambda one: one.sort_key)))
