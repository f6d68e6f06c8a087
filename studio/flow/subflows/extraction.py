"""A part of a flow becomes a flow of its own, and a node that calls it stands in its place."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from studio.errors import EditRefusedError
from studio.flow.change import Change, difference
from studio.flow.checks.check import check, errors_of
from studio.flow.edits.boxes import Things, let_go
from studio.flow.ports import AFTER, ANY, ERROR, ORDER, THEN, PortType
from studio.flow.records import (
    CallingLibrary,
    Flow,
    FlowLookup,
    Frame,
    Json,
    Layout,
    Node,
    Point,
    Socket,
    Wire,
    title_of,
)
from studio.flow.structure.graph import output_of
from studio.flow.structure.types import Types, types_of
from studio.flow.subflows.sameness import refuse_other_meaning
from studio.flow.subflows.selections import Selection, find_selection
from studio.ids import NodeId, PortName, slug

CALL = "control.subflow"
BESIDE = 280
"""How far beside the steps the inputs and outputs of a new flow stand, in scene units."""
BELOW = 110
"""How far below one another they stand."""
VALUE = PortName("value")
TAKEN = frozenset({AFTER, THEN, ERROR})
"""Names that the ports of a call cannot have."""


class Bindable(CallingLibrary, Protocol):
    """A library that can be bound to other flows; the node registry implements it."""

    def with_flows(self, flows: FlowLookup) -> "Bindable":
        """The same node types, bound to these flows."""
        ...

    def settings(self, node: Node) -> Mapping[str, Any]:
        """The settings of a node whose kind is known, defaults included."""
        ...


@dataclass(frozen=True, slots=True)
class WithOne:
    """The flows of a project and one more; implements `studio.flow.records.FlowLookup`."""

    flows: FlowLookup
    name: str
    made: Flow

    def flow(self, name: str) -> Flow:
        """The one, or one of the project's; raises `UsageError`."""
        return self.made if name == self.name else self.flows.flow(name)

    def names(self) -> Sequence[str]:
        """All of them."""
        return sorted({*self.flows.names(), self.name})


@dataclass(frozen=True, slots=True)
class Extracted:
    """What becomes of a part of a flow: the new flow, and the change that calls it instead."""

    made: Flow
    call: NodeId
    change: Change


def extract(
    flow: Flow, nodes: Iterable[NodeId], title: str, name: str, library: Bindable, own_name: str = ""
) -> Extracted:
    """Make a flow called `name` in the project of `nodes`; `own_name` is what `flow` itself is called.

    Raises `EditRefusedError` with the reason where a call would not mean the same.
    """
    found = find_selection(flow, nodes, library)
    ports = _name_ports(found)
    made = _inner(found, ports, title)
    call = slug(title, set(flow.nodes) - found.nodes)
    after = _outer(found, ports, call, Node(kind=CALL, title=title, settings={"flow": name}))
    bound = library.with_flows(WithOne(library.flows, name, made))
    refuse_other_meaning(found, made, after, call, bound, own_name)
    _refuse_new_errors(flow, (made, after), library, bound)
    return Extracted(made, call, difference(flow, after, f"Make subflow {title}"))


@dataclass(frozen=True, slots=True)
class _Ports:
    """The inputs and outputs that a new flow gets, by the socket whose value they carry."""

    inputs: dict[Socket, NodeId] = field(default_factory=dict[Socket, NodeId])
    outputs: dict[Socket, NodeId] = field(default_factory=dict[Socket, NodeId])
    types: dict[Socket, PortType] = field(default_factory=dict[Socket, PortType])


def _name_ports(found: Selection) -> _Ports:
    """Inputs are called after the node that gives the value, outputs after the port."""
    flow, signatures = found.flow, found.tree.graph.signatures
    types: Types = types_of(flow, signatures)
    made = _Ports()
    taken = {*found.nodes, *TAKEN}
    for source in sorted(found.entering):
        several = sum(other.node == source.node for other in found.entering) > 1
        made.inputs[source] = _free(
            taken, *([] if several else [source.node]), f"{source.node}_{source.port}"
        )
        port = output_of(flow.nodes[source.node], signatures[source.node], source.port)
        kind = types.outputs.get(source, port.type if port is not None else ANY)
        made.types[source] = ANY._replace(depth=kind.depth) if kind.is_variable else kind
        if kind == ORDER:
            raise EditRefusedError(f"“{title_of(flow, source.node)}” has no value there.")
    for source in sorted(found.leaving):
        several = sum(other.port == source.port for other in found.leaving) > 1
        made.outputs[source] = _free(
            taken, *([] if several else [source.port]), f"{source.node}_{source.port}"
        )
    return made


def _free(taken: set[Any], *wanted: str) -> NodeId:
    found = next((NodeId(one) for one in wanted if one not in taken and len(one) <= 63), None)
    found = found or slug(wanted[-1], taken)
    taken.add(found)
    return found


def _inner(found: Selection, ports: _Ports, title: str) -> Flow:
    """The new flow: the steps as they are, between its inputs and outputs."""
    flow = found.flow
    places = {node: flow.layout.nodes[node] for node in found.nodes if node in flow.layout.nodes}
    left, right = _span([place.x for place in places.values()])
    top, _ = _span([place.y for place in places.values()])
    nodes = {node: flow.nodes[node] for node in found.nodes}
    wires = [one for one in flow.wires if one.source.node in found.nodes and one.target.node in found.nodes]
    for row, (source, name) in enumerate(ports.inputs.items()):
        kind = ports.types[source]
        settings: dict[str, Json] = {} if str(kind) == "text" else {"type": str(kind)}
        nodes[name] = Node(kind="io.flow_input", title=_words(name), settings=settings)
        places[name] = Point(left - BESIDE, top + row * BELOW)
        wires += [Wire(Socket(name, VALUE), one.target, one.index) for one in found.entering[source]]
    for row, (source, name) in enumerate(ports.outputs.items()):
        nodes[name] = Node(kind="io.flow_output", title=_words(name))
        places[name] = Point(right + BESIDE, top + row * BELOW)
        wires.append(Wire(source, Socket(name, VALUE)))
    bends = {text: flow.layout.bends[text] for text in map(str, wires) if text in flow.layout.bends}
    ordered = tuple(sorted(wires, key=lambda one: one.sort_key))
    layout = Layout(nodes=places, bends=bends, collapsed=flow.layout.collapsed & found.nodes)
    return Flow(title, "", nodes, ordered, layout=layout)


def _outer(found: Selection, ports: _Ports, call: NodeId, node: Node) -> Flow:
    """The flow as it is once the call stands where the steps stood."""
    flow = found.flow
    wires = {
        one for one in flow.wires if one.source.node not in found.nodes and one.target.node not in found.nodes
    }
    wires |= {Wire(source, Socket(call, PortName(name))) for source, name in ports.inputs.items()}
    wires |= {Wire(one.source, Socket(call, AFTER)) for one in found.waits}
    wires |= {Wire(Socket(call, THEN), one.target) for one in found.lets_go}
    wires |= {
        Wire(Socket(call, PortName(name)), one.target, one.index)
        for source, name in ports.outputs.items()
        for one in found.leaving[source]
    }
    layout = flow.layout
    places = [layout.nodes[one] for one in found.nodes if one in layout.nodes]
    kept = {one: place for one, place in layout.nodes.items() if one not in found.nodes}
    texts = {str(one) for one in wires}
    bends = {text: points for text, points in layout.bends.items() if text in texts}
    return replace(
        flow,
        nodes={**{one: record for one, record in flow.nodes.items() if one not in found.nodes}, call: node},
        wires=tuple(sorted(wires, key=lambda one: one.sort_key)),
        layout=replace(
            layout,
            nodes={**kept, call: middle(places)},
            frames=frames_with(flow, found.nodes, [call]),
            bends=bends,
            collapsed=layout.collapsed - found.nodes,
        ),
    )


def frames_with(flow: Flow, gone: Iterable[NodeId], come: Iterable[NodeId]) -> Mapping[str, Frame]:
    """The frames of a flow in which some nodes come in the place of others, also where those are hidden."""
    left = let_go(flow, Things(frozenset(gone)), come)
    return {
        name: left[name][1] or frame if name in left else frame for name, frame in flow.layout.frames.items()
    }


def middle(places: Sequence[Point]) -> Point:
    """The middle of the rectangle around some points."""
    (left, right), (top, bottom) = _span([one.x for one in places]), _span([one.y for one in places])
    return Point((left + right) // 2, (top + bottom) // 2)


def _span(values: Sequence[int]) -> tuple[int, int]:
    return min(values, default=0), max(values, default=0)


def _words(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _refuse_new_errors(
    before: Flow, after: tuple[Flow, Flow], library: CallingLibrary, bound: CallingLibrary
) -> None:
    known = {one.code for one in errors_of(check(before, library))}
    for problem in (one for flow in after for one in errors_of(check(flow, bound))):
        if problem.code not in known:
            raise EditRefusedError(f"As a subflow it would not run: {problem.message}")
