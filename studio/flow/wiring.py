"""Where a wire may end, what happens to values on it, and why it may not be drawn."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from functools import cached_property

from studio.flow.graph import (
    LOOP_RETURNS,
    StepGraph,
    Vertex,
    arriving,
    followers,
    graph_of,
    leaving,
    output_of,
    reached,
    read_signatures,
)
from studio.flow.ports import (
    AFTER_PORT,
    ERROR,
    THEN_PORT,
    Conversion,
    Port,
    PortType,
    Refusal,
    Signature,
    Structure,
)
from studio.flow.records import Flow, Library, Socket, Wire, title_of
from studio.flow.types import Types, arrival, arriving_types, common_type, decide, types_of, variable_from
from studio.ids import NodeId


def refusal(flow: Flow, source: Socket, target: Socket, library: Library) -> str | None:
    """Say in one sentence why no wire may go from `source` to `target`; None when it may.

    A wire that already ends at a single input is no obstacle: connecting replaces it.
    """
    return _Rules(flow, library, (source.node, target.node)).refusal(source, target)


def closes_cycle(flow: Flow, source: Socket, target: Socket, library: Library) -> bool:
    """Whether a wire would fit but for the way that leads from its end back to its start."""
    return _Rules(flow, library, (source.node, target.node)).closes_cycle(source, target)


def acceptable(
    flow: Flow, socket: Socket, library: Library, *, is_output: bool | None = None
) -> frozenset[Socket]:
    """Give the sockets at which a wire dragged from `socket` may end.

    `is_output` tells which is meant where a node has an input and an output of the same name; left out,
    an output is assumed when there is one.
    """
    rules = _Rules(flow, library)
    if is_output is None:
        is_output = rules.output(socket) is not None
    return rules.ends_for(socket) if is_output else rules.starts_for(socket)


def conversion_of(flow: Flow, wire: Wire, library: Library) -> Conversion | Refusal:
    """What happens to a value on its way along `wire`, or why it cannot arrive."""
    rules = _Rules(flow, library)
    return wire_conversion(flow, wire, rules.signatures, rules.types)


def wire_conversion(
    flow: Flow, wire: Wire, signatures: Mapping[NodeId, Signature | None], types: Types
) -> Conversion | Refusal:
    """As `conversion_of`, for types that are known already."""
    signature = signatures.get(wire.target.node)
    port = signature.input(wire.target.port) if signature is not None else None
    source = flow.nodes.get(wire.source.node)
    leaves = output_of(source, signatures.get(wire.source.node), wire.source.port) if source else None
    if signature is None or port is None or leaves is None:
        return Refusal("One end of the wire is not there.")
    return arrival(
        types.outputs.get(wire.source, leaves.type), port, types.inputs.get(wire.target, port.type), signature
    )


class _Rules:
    """The rules for one flow, read once: types, order, and what is wired already.

    Where only the wires between some nodes are asked about, no other node's types are written down.
    """

    def __init__(self, flow: Flow, library: Library, between: Collection[NodeId] | None = None) -> None:
        self._flow = flow
        self.signatures = read_signatures(flow, library)
        self._wires_into: dict[NodeId, list[Wire]] = defaultdict(list)
        self._wires_from: dict[NodeId, list[Wire]] = defaultdict(list)
        for wire in flow.wires:
            self._wires_into[wire.target.node].append(wire)
            self._wires_from[wire.source.node].append(wire)
        asked = None
        if between is not None:
            before = {wire.source.node for node in between for wire in self._wires_into[node]}
            asked = before.union(between)
        self.types = types_of(flow, self.signatures, asked)

    @cached_property
    def _graph(self) -> StepGraph:
        """The steps in their order; read late, for most wires lead to nothing that leads back."""
        return graph_of(self._flow, self.signatures)

    def output(self, socket: Socket) -> Port | None:
        """The output port at `socket`."""
        node = self._flow.nodes.get(socket.node)
        return None if node is None else output_of(node, self.signatures[socket.node], socket.port)

    def refusal(self, source: Socket, target: Socket) -> str | None:
        """Why this wire is refused."""
        leaves = self.output(source)
        if leaves is None:
            return self._missing(source, "output")
        signature = self.signatures.get(target.node)
        port = signature.input(target.port) if signature is not None else None
        if signature is None or port is None:
            return self._missing(target, "input")
        reason = self._misfit(source, leaves, target, port, signature)
        if reason is not None or leaves.type.is_binding:
            return reason
        return self._cycle(source, target) if self._leads_back(source, target) else None

    def closes_cycle(self, source: Socket, target: Socket) -> bool:
        """Whether the wire closes a cycle and fits otherwise."""
        leaves, signature = self.output(source), self.signatures.get(target.node)
        port = signature.input(target.port) if signature is not None else None
        if leaves is None or signature is None or port is None or leaves.type.is_binding:
            return False
        return self._misfit(source, leaves, target, port, signature) is None and self._leads_back(
            source, target
        )

    def _leads_back(self, source: Socket, target: Socket) -> bool:
        if source.node not in self._nodes_after(target.node):
            return False
        start, end = leaving(source, self.signatures), arriving(target, self.signatures)
        return start in reached(end, followers(self._graph.edges))

    def _nodes_after(self, node: NodeId) -> set[NodeId]:
        """The nodes that wires lead to from a node, itself included; those of ended loops too."""
        found, waiting = {node}, [node]
        while waiting:
            fresh = {wire.target.node for wire in self._wires_from.get(waiting.pop(), ())} - found
            found |= fresh
            waiting.extend(fresh)
        return found

    def ends_for(self, source: Socket) -> frozenset[Socket]:
        """The inputs that a wire from the output `source` may end at."""
        leaves = self.output(source)
        if leaves is None:
            return frozenset()
        before: set[Vertex] = set()
        if not leaves.type.is_binding:
            start = leaving(source, self.signatures)
            before = reached(start, followers((target, source) for source, target in self._graph.edges))
        return frozenset(
            target
            for target, port, signature in self._inputs()
            if arriving(target, self.signatures) not in before
            and self._misfit(source, leaves, target, port, signature) is None
        )

    def starts_for(self, target: Socket) -> frozenset[Socket]:
        """The outputs that a wire into the input `target` may come from."""
        signature = self.signatures.get(target.node)
        port = signature.input(target.port) if signature is not None else None
        if signature is None or port is None:
            return frozenset()
        after: set[Vertex] = set()
        if not port.type.is_binding:
            after = reached(arriving(target, self.signatures), followers(self._graph.edges))
        return frozenset(
            source
            for source, leaves in self._outputs()
            if leaving(source, self.signatures) not in after
            and self._misfit(source, leaves, target, port, signature) is None
        )

    def _inputs(self) -> list[tuple[Socket, Port, Signature]]:
        return [
            (Socket(name, port.name), port, signature)
            for name, signature in self.signatures.items()
            if signature is not None
            for port in (signature.inputs if signature.is_binding else (*signature.inputs, AFTER_PORT))
        ]

    def _outputs(self) -> list[tuple[Socket, Port]]:
        found: list[tuple[Socket, Port]] = []
        for name, signature in self.signatures.items():
            if signature is not None:
                found += [(Socket(name, port.name), port) for port in signature.outputs]
                error = output_of(self._flow.nodes[name], signature, ERROR)
                if error is not None and error not in signature.outputs:
                    found.append((Socket(name, ERROR), error))
                if not signature.is_binding:
                    found.append((Socket(name, THEN_PORT.name), THEN_PORT))
        return found

    def _misfit(
        self, source: Socket, leaves: Port, target: Socket, port: Port, signature: Signature
    ) -> str | None:
        kind = self.types.outputs.get(source, leaves.type)
        if port.type.is_variable and not kind.is_variable and not kind.is_binding:
            declared = self._variable_with(kind, target, port, signature)
        else:
            declared = self.types.inputs.get(target, port.type)
        found = arrival(kind, port, declared, signature)
        if isinstance(found, Refusal):
            return found.reason
        wired = any(wire.source == source and wire.target == target for wire in self._wires_into[target.node])
        return "These two ports are wired already." if wired else None

    def _variable_with(self, kind: PortType, target: Socket, port: Port, signature: Signature) -> PortType:
        """The type of a `T` port once the new wire, which replaces the old one of a single input, counts."""
        kept = [wire for wire in self._wires_into[target.node] if port.many or wire.target != target]
        arriving_now = arriving_types(kept, self.types.outputs.get)
        arriving_now.setdefault(port.name, []).append(kind)
        variable = decide(self._flow.nodes[target.node], signature, arriving_now).get(port.type.base)
        alone = variable_from(kind, port, signature)
        chosen = variable or common_type([alone]) or alone
        return PortType(chosen.base, chosen.depth + port.type.depth)

    def _missing(self, socket: Socket, side: str) -> str:
        node = self._flow.nodes.get(socket.node)
        if node is None:
            return f"There is no node `{socket.node}` in this flow."
        title = title_of(self._flow, socket.node)
        if self.signatures[socket.node] is None:
            return (
                f"The ports of “{title}” are unknown: `{node.kind}` is missing, or its settings do not fit."
            )
        return f"“{title}” has no {side} called `{socket.port}`."

    def _cycle(self, source: Socket, target: Socket) -> str:
        first, last = title_of(self._flow, target.node), title_of(self._flow, source.node)
        if self._graph.structure(target.node) is Structure.LOOP and target.port not in LOOP_RETURNS:
            return f"“{last}” runs inside or after “{first}”; wire it to `again` to go round once more."
        return (
            f"“{last}” already waits for “{first}”, so this wire would close a cycle; "
            "only a loop goes round: insert one."
        )
