"""What waits for what in a flow, followed along its wires from one step without the graph being made."""

from collections.abc import Iterator, Mapping

from studio.flow.ports import Signature, Structure
from studio.flow.records import Flow, Wire
from studio.flow.structure.graph import Vertex, arriving, is_binding_wire, leaving, reached
from studio.flow.structure.wires_at import wires_at
from studio.ids import NodeId


class Order:
    """Follows the edges of `graph.StepGraph`, and looks at those alone that it comes to."""

    def __init__(self, flow: Flow, signatures: Mapping[NodeId, Signature | None]) -> None:
        self._flow, self._signatures = flow, signatures
        self._wires = wires_at(flow)
        self._lends: dict[tuple[int, str], bool] = {}

    def after(self, vertex: Vertex) -> set[Vertex]:
        """The vertex, and all that waits for it."""
        return reached(vertex, self._following)

    def before(self, vertex: Vertex) -> set[Vertex]:
        """The vertex, and all that it waits for."""
        return reached(vertex, self._preceding)

    def leads(self, start: Vertex, end: Vertex) -> bool:
        """Whether `end` waits for `start`, or is it; sought from both, for one may have few around."""
        ahead, behind = {start}, {end}
        onward, back = {start}, {end}
        meets = start == end
        while onward and back and not meets:
            if len(onward) <= len(back):
                onward = {one for vertex in onward for one in self._following(vertex)} - ahead
                ahead |= onward
                meets = not onward.isdisjoint(behind)
            else:
                back = {one for vertex in back for one in self._preceding(vertex)} - behind
                behind |= back
                meets = not back.isdisjoint(ahead)
        return meets

    def _following(self, vertex: Vertex) -> Iterator[Vertex]:
        for wire in self._wires.out_of(vertex.node):
            if self._is_edge(wire) and leaving(wire.source, self._signatures) == vertex:
                yield arriving(wire.target, self._signatures)
        if not vertex.is_exit and self._is_split(vertex.node):
            yield Vertex(vertex.node, is_exit=True)

    def _preceding(self, vertex: Vertex) -> Iterator[Vertex]:
        for wire in self._wires.into(vertex.node):
            if self._is_edge(wire) and arriving(wire.target, self._signatures) == vertex:
                yield leaving(wire.source, self._signatures)
        if vertex.is_exit and self._is_split(vertex.node):
            yield Vertex(vertex.node)

    def _is_edge(self, wire: Wire) -> bool:
        """Whether one step waits for the other: it carries a value, and neither node only lends."""
        for socket in (wire.source, wire.target):
            signature = self._signatures.get(socket.node)
            if signature.is_binding if signature is not None else socket.node not in self._flow.nodes:
                return False
        return not self._is_lent(wire)

    def _is_lent(self, wire: Wire) -> bool:
        """As `is_binding_wire`, remembered for nodes that share a signature."""
        signature = self._signatures.get(wire.source.node)
        key = id(signature), wire.source.port
        known = self._lends.get(key)
        if known is None:
            known = is_binding_wire(wire, self._signatures)
            if signature is not None and signature.output(wire.source.port) is not None:
                self._lends[key] = known
        return known

    def _is_split(self, node: NodeId) -> bool:
        """Whether a node is a loop that takes part as a step: it is lent to nobody, or does more."""
        signature = self._signatures.get(node)
        if signature is None or signature.structure is not Structure.LOOP or signature.is_binding:
            return False
        leaving_it = self._wires.out_of(node)
        is_lent = any(self._is_lent(wire) for wire in leaving_it)
        works = not all(self._is_lent(wire) for wire in (*leaving_it, *self._wires.into(node)))
        return not is_lent or works or bool(self._flow.nodes[node].inputs)
