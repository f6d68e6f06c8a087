"""A call dissolves: the nodes of the flow that it calls come to stand in its place."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple, TypeVar

from studio.errors import EditRefusedError, UsageError
from studio.flow.change import Change, difference
from studio.flow.ports import AFTER, THEN, Conversion, PortType, Structure, conversion
from studio.flow.records import (
    Flow,
    Frame,
    Json,
    Layout,
    Note,
    Point,
    RunSettings,
    Socket,
    Wire,
    title_of,
)
from studio.flow.structure.graph import StepGraph, is_binding_wire, step_graph
from studio.flow.structure.presence import Presence
from studio.flow.structure.regions import region_tree
from studio.flow.structure.types import types_of
from studio.flow.subflows.calls import reachable
from studio.flow.subflows.extraction import Bindable, extract, frames_with, middle
from studio.ids import NodeId, PortName, slug

Box = TypeVar("Box", Frame, Note)


class Dissolved(NamedTuple):
    """The nodes that came in, and the change that brought them."""

    nodes: frozenset[NodeId]
    change: Change


def dissolve(flow: Flow, call: NodeId, library: Bindable, own_name: str = "") -> Dissolved:
    """Put what a call runs in its place; `own_name` is what `flow` itself is called.

    Raises `EditRefusedError` with the reason where it would not mean the same.
    """
    record, title = flow.nodes[call], title_of(flow, call)
    signature = library.signature(record)
    if signature is None or signature.structure is not Structure.SUBFLOW:
        raise EditRefusedError(f"“{title}” does not call a flow that could replace it.")
    if record.run != RunSettings():
        raise EditRefusedError(f"“{title}” has run settings of its own, which apply to the call as a whole.")
    name = library.called_name(record)
    try:
        called = library.flows.flow(name)
    except UsageError as error:
        raise EditRefusedError(error.message) from error
    if called.policies or name in reachable(called, library):
        reason = "has policies of its own" if called.policies else "calls itself"
        raise EditRefusedError(f"`{name}` {reason}, so it cannot replace “{title}”.")
    work = _Work(flow, call, called, library)
    after = work.done()
    try:
        extract(after, work.names.values(), title, name, library, own_name)
    except EditRefusedError as error:
        raise EditRefusedError(f"Without the call it would behave differently: {error.message}") from error
    return Dissolved(frozenset(work.names.values()), difference(flow, after, f"Inline {title}"))


class _Work:
    """One call, and the flow that it calls."""

    def __init__(self, flow: Flow, call: NodeId, called: Flow, library: Bindable) -> None:
        self._flow, self._call, self._called, self._library = flow, call, called, library
        self._tree = region_tree(flow, library)
        self._graph: StepGraph = step_graph(called, library)
        self._sources = types_of(flow, self._tree.graph.signatures).outputs
        self._arriving = types_of(called, self._graph.signatures).inputs
        self._given = {wire.target.port: wire.source for wire in flow.wires if wire.target.node == call}
        self._inputs = set(self._graph.nodes_with(Structure.FLOW_INPUT))
        self._outputs = set(self._graph.nodes_with(Structure.FLOW_OUTPUT))
        self.names: dict[NodeId, NodeId] = {}
        """The inner nodes, by the ids that they get outside."""
        taken = set(flow.nodes) - {call}
        for name in sorted(set(called.nodes) - self._inputs - self._outputs):
            self.names[name] = slug(name, taken) if name in taken else name
            taken.add(self.names[name])
        self._nodes = {self.names[name]: called.nodes[name] for name in self.names}
        self._wires = {one for one in flow.wires if call not in {one.source.node, one.target.node}}

    def done(self) -> Flow:
        """The flow with the nodes in the place of the call; raises `EditRefusedError`."""
        self._refuse_defaults_for_absent()
        for wire in self._called.wires:
            if wire.source.node in self._inputs and wire.target.node in self._outputs:
                raise EditRefusedError(f"The called flow returns `{wire.source.node}` unchanged.")
            if wire.source.node in self._inputs:
                self._feed(wire)
            elif wire.target.node not in self._outputs:
                self._wires.add(self._outside(wire))
        self._lead_on()
        flow = self._flow
        kept = {name: one for name, one in flow.nodes.items() if name != self._call}
        wires = tuple(sorted(self._wires, key=lambda one: one.sort_key))
        return replace(flow, nodes={**kept, **self._nodes}, wires=wires, layout=self._layout())

    def _refuse_defaults_for_absent(self) -> None:
        absent = Presence(self._flow, self._library, self._tree).absent
        used = {wire.source.node for wire in self._called.wires}
        for port, source in self._given.items():
            if port == AFTER:
                continue
            record = self._called.nodes[NodeId(port)]
            if NodeId(port) not in used:
                raise EditRefusedError(f"The called flow waits for `{port}` and does nothing with it.")
            if source in absent and record.settings.get("default") is not None:
                title = title_of(self._flow, source.node)
                raise EditRefusedError(f"`{port}` has a default for when “{title}” returns nothing.")

    def _outside(self, wire: Wire) -> Wire:
        return Wire(self._socket(wire.source), self._socket(wire.target), wire.index)

    def _socket(self, socket: Socket) -> Socket:
        return Socket(self.names[socket.node], socket.port)

    def _feed(self, wire: Wire) -> None:
        """Let an inner wire come from what the call is given there, be it a value typed at it."""
        port, target = PortName(wire.source.node), self._socket(wire.target)
        if port in self._given:
            self._refuse_conversion(self._given[port], wire)
            self._wires.add(Wire(self._given[port], target, wire.index))
            return
        typed = self._flow.nodes[self._call].inputs
        value = typed.get(port, self._called.nodes[wire.source.node].settings.get("default"))
        if value is not None or port in typed:
            self._type(wire, value)

    def _type(self, wire: Wire, value: Json) -> None:
        signature = self._graph.signatures[wire.target.node]
        port = signature.input(wire.target.port) if signature is not None else None
        is_plain = port is not None and not port.many
        if not is_plain or conversion(self._declared(wire), self._type_at(wire)) is not Conversion.NONE:
            title = title_of(self._called, wire.target.node)
            words = f"The value for `{wire.source.node}` cannot be typed at “{title}”; wire it instead."
            raise EditRefusedError(words)
        name = self.names[wire.target.node]
        inputs: Mapping[PortName, Json] = {**self._nodes[name].inputs, wire.target.port: value}
        self._nodes[name] = self._nodes[name].model_copy(update={"inputs": inputs})

    def _declared(self, wire: Wire) -> PortType:
        """The type of the flow input that a wire comes from."""
        signature = self._graph.signatures[wire.source.node]
        return signature.outputs[0].type if signature is not None else self._type_at(wire)

    def _type_at(self, wire: Wire) -> PortType:
        declared = self._graph.signatures[wire.target.node]
        port = declared.input(wire.target.port) if declared is not None else None
        return self._arriving.get(wire.target, port.type if port is not None else PortType("any"))

    def _refuse_conversion(self, source: Socket, wire: Wire) -> None:
        """Refuse where a value becomes something else at the call, and would not at the inner port."""
        declared, kind = self._declared(wire), self._sources.get(source)
        is_same = kind is None or conversion(kind, declared) is Conversion.NONE
        if not is_same and self._type_at(wire) != declared and wire.target.port != AFTER:
            words = (
                f"The value for `{wire.source.node}` is converted to `{declared}` there, but "
                "not without the call."
            )
            raise EditRefusedError(words)

    def _lead_on(self) -> None:
        """Let what came from the call come from the inner nodes, and order be kept with all of them."""
        ends = {
            wire.target.node: self._socket(wire.source)
            for wire in self._called.wires
            if wire.target.node in self._outputs
        }
        for wire in self._flow.wires:
            if wire.source.node == self._call and wire.source.port == THEN:
                self._wires |= {Wire(Socket(one, THEN), wire.target) for one in self._border(last=True)}
            elif wire.source.node == self._call:
                source = ends.get(NodeId(wire.source.port))
                if source is None:
                    raise EditRefusedError(f"Nothing is wired to `{wire.source.port}` of the called flow.")
                self._wires.add(Wire(source, wire.target, wire.index))
            elif wire.target == Socket(self._call, AFTER):
                self._wires |= {Wire(wire.source, Socket(one, AFTER)) for one in self._border(last=False)}

    def _border(self, *, last: bool) -> list[NodeId]:
        """The steps that begin the called flow, or end it."""
        signatures = self._graph.signatures
        inner = [
            one
            for one in self._called.wires
            if one.source.node in self.names
            and one.target.node in self.names
            and not is_binding_wire(one, signatures)
        ]
        busy = {(one.source if last else one.target).node for one in inner}
        return [self.names[one] for one in sorted(self._graph.steps & set(self.names)) if one not in busy]

    def _layout(self) -> Layout:
        """The inner nodes around the place of the call, with their frames, notes and bends."""
        layout, inner = self._flow.layout, self._called.layout
        places = {name: inner.nodes[name] for name in self.names if name in inner.nodes}
        here, centre = layout.nodes.get(self._call, Point(0, 0)), middle(list(places.values()))
        x, y = here.x - centre.x, here.y - centre.y
        kept = {name: at for name, at in layout.nodes.items() if name != self._call}
        moved = {self.names[name]: Point(at.x + x, at.y + y) for name, at in places.items()}
        bends = {
            str(self._outside(wire)): tuple(Point(at.x + x, at.y + y) for at in inner.bends[str(wire)])
            for wire in self._called.wires
            if str(wire) in inner.bends and {wire.source.node, wire.target.node} <= self.names.keys()
        }
        texts = {str(wire) for wire in self._wires}
        frames = {name: replace(one, holds=()) for name, one in inner.frames.items()}
        return Layout(
            {**kept, **moved},
            _joined(frames_with(self._flow, [self._call], self.names.values()), frames, x, y),
            _joined(layout.notes, inner.notes, x, y),
            {**{text: points for text, points in layout.bends.items() if text in texts}, **bends},
            (layout.collapsed - {self._call})
            | {self.names[name] for name in inner.collapsed if name in self.names},
        )


def _joined(kept: Mapping[str, Box], added: Mapping[str, Box], x: int, y: int) -> dict[str, Box]:
    """Frames or notes with others that come in, moved."""
    found = dict(kept)
    for name, one in added.items():
        found[slug(name, found)] = replace(one, x=one.x + x, y=one.y + y)
    return found
