"""Where a wire may end, what happens to values on it, and why it may not be drawn."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property

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
from studio.flow.structure.graph import (
    LOOP_RETURNS,
    Vertex,
    arriving,
    bound_type,
    leaving,
    output_of,
    read_signatures,
)
from studio.flow.structure.order import Order
from studio.flow.structure.types import (
    Types,
    arrival,
    arriving_types,
    common_type,
    decide,
    types_of,
    variable_from,
    variables_of,
)
from studio.flow.structure.wires_at import wires_at
from studio.ids import NodeId, PortName


def refusal(flow: Flow, source: Socket, target: Socket, library: Library) -> str | None:
    """Say in one sentence why no wire may go from `source` to `target`; None when it may.

    A wire that already ends at a single input is no obstacle: connecting replaces it.
    """
    return _Rules(flow, library, (source.node, target.node)).refusal(source, target)


def closes_cycle(flow: Flow, source: Socket, target: Socket, library: Library) -> bool:
    """Whether a wire would fit but for the way that leads from its end back to its start."""
    return _Rules(flow, library, (source.node, target.node)).closes_cycle(source, target)


def acceptable(flow: Flow, socket: Socket, library: Library, *, is_output: bool | None = None) -> "Ends":
    """Give the sockets at which a wire dragged from `socket` may end.

    A socket is judged when it is asked about, for in a large flow most never are. `is_output` tells which
    is meant where a node has an input and an output of the same name; left out, an output is assumed
    when there is one.
    """
    rules = _Rules(flow, library)
    if is_output is None:
        is_output = rules.output(socket) is not None
    return Ends(rules, socket, is_output=is_output)


def conversion_of(flow: Flow, wire: Wire, library: Library) -> Conversion | Refusal:
    """What happens to a value on its way along `wire`, or why it cannot arrive."""
    signatures = read_signatures(flow, library)
    ends = [node for node in (wire.source.node, wire.target.node) if node in signatures]
    return wire_conversion(flow, wire, signatures, types_of(flow, signatures, ends))


def wire_conversion(
    flow: Flow, wire: Wire, signatures: Mapping[NodeId, Signature | None], types: Types
) -> Conversion | Refusal:
    """As `conversion_of`, for types that are known already."""
    signature = signatures.get(wire.target.node)
    port = signature.input(wire.target.port) if signature is not None else None
    source = flow.nodes.get(wire.source.node)
    leaves = output_of(source, signatures.get(wire.source.node), wire.source.port) if source else None
    if signature is None or port is None or leaves is None:
        return Refusal("One end of the wire does not exist.")
    return arrival(
        types.outputs.get(wire.source, leaves.type), port, types.inputs.get(wire.target, port.type), signature
    )


class _Rules:
    """The rules for one flow: types, order, and what is wired already.

    Where only the wires between some nodes are asked about, the types of no others are found.
    """

    def __init__(self, flow: Flow, library: Library, between: Sequence[NodeId] | None = None) -> None:
        self.flow = flow
        self.signatures = read_signatures(flow, library)
        self.wires = wires_at(flow)
        asked = between
        if between is not None:
            asked = [*between, *(wire.source.node for node in between for wire in self.wires.into(node))]
        self._variables = variables_of(flow, self.signatures, asked)

    @cached_property
    def _order(self) -> Order:
        """What waits for what; read late, for most wires lead to nothing that leads back."""
        return Order(self.flow, self.signatures)

    def before(self, source: Socket) -> AbstractSet[Vertex]:
        """Where a wire from this output may not end: all that its value waits for."""
        return self._order.before(leaving(source, self.signatures))

    def after(self, target: Socket) -> AbstractSet[Vertex]:
        """Where a wire into this input may not begin: all that waits for it."""
        return self._order.after(arriving(target, self.signatures))

    def output(self, socket: Socket) -> Port | None:
        """The output port at `socket`."""
        node = self.flow.nodes.get(socket.node)
        return None if node is None else output_of(node, self.signatures[socket.node], socket.port)

    def input(self, socket: Socket) -> tuple[Port, Signature] | None:
        """The input port at `socket`, with the signature that it is of."""
        signature = self.signatures.get(socket.node)
        port = signature.input(socket.port) if signature is not None else None
        return None if signature is None or port is None else (port, signature)

    def carried(self, socket: Socket, port: Port) -> PortType:
        """The type that the port at a socket carries, its `T` decided."""
        return bound_type(port.type, self._variables.get(socket.node, {}))

    def refusal(self, source: Socket, target: Socket) -> str | None:
        """Why this wire is refused."""
        leaves = self.output(source)
        if leaves is None:
            return self._missing(source, "output")
        arrives = self.input(target)
        if arrives is None:
            return self._missing(target, "input")
        reason = self.misfit(source, leaves, target, *arrives)
        if reason is not None or leaves.type.is_binding:
            return reason
        return self._cycle(source, target) if self._leads_back(source, target) else None

    def closes_cycle(self, source: Socket, target: Socket) -> bool:
        """Whether the wire closes a cycle and fits otherwise."""
        leaves, arrives = self.output(source), self.input(target)
        if leaves is None or arrives is None or leaves.type.is_binding:
            return False
        return self.misfit(source, leaves, target, *arrives) is None and self._leads_back(source, target)

    def _leads_back(self, source: Socket, target: Socket) -> bool:
        return self._order.leads(arriving(target, self.signatures), leaving(source, self.signatures))

    def misfit(
        self, source: Socket, leaves: Port, target: Socket, port: Port, signature: Signature
    ) -> str | None:
        """Why a value of one port could not arrive at another, whatever waits for what."""
        kind = self.carried(source, leaves)
        if port.type.is_variable and not kind.is_variable and not kind.is_binding:
            declared = self._variable_with(kind, target, port, signature)
        else:
            declared = self.carried(target, port)
        found = arrival(kind, port, declared, signature)
        if isinstance(found, Refusal):
            return found.reason
        wired = any(wire.source == source and wire.target == target for wire in self.wires.into(target.node))
        return "These two ports are already wired." if wired else None

    def _variable_with(self, kind: PortType, target: Socket, port: Port, signature: Signature) -> PortType:
        """The type of a `T` port once the new wire, which replaces the old one of a single input, counts."""
        kept = [wire for wire in self.wires.into(target.node) if port.many or wire.target != target]
        arriving_now = arriving_types(kept, self._given)
        arriving_now.setdefault(port.name, []).append(kind)
        variable = decide(self.flow.nodes[target.node], signature, arriving_now).get(port.type.base)
        alone = variable_from(kind, port, signature)
        chosen = variable or common_type([alone]) or alone
        return PortType(chosen.base, chosen.depth + port.type.depth)

    def _given(self, socket: Socket) -> PortType | None:
        """The type of an output that its node type declares."""
        signature = self.signatures.get(socket.node)
        port = (
            next((one for one in signature.outputs if one.name == socket.port), None) if signature else None
        )
        return None if port is None else self.carried(socket, port)

    def _missing(self, socket: Socket, side: str) -> str:
        node = self.flow.nodes.get(socket.node)
        if node is None:
            return f"There is no node `{socket.node}` in this flow."
        title = title_of(self.flow, socket.node)
        if self.signatures[socket.node] is None:
            return (
                f"The ports of “{title}” are unknown: `{node.kind}` is missing, or its settings do not fit."
            )
        return f"“{title}” has no {side} `{socket.port}`."

    def _cycle(self, source: Socket, target: Socket) -> str:
        first, last = title_of(self.flow, target.node), title_of(self.flow, source.node)
        signature = self.signatures.get(target.node)
        is_loop = signature is not None and signature.structure is Structure.LOOP
        if is_loop and target.port not in LOOP_RETURNS:
            return f"“{last}” runs inside or after “{first}”; wire it to `again` for another round."
        return (
            f"“{last}” already waits for “{first}”, so this wire would close a cycle; only a "
            "loop may go back: insert one."
        )


class Ends(AbstractSet[Socket]):
    """The sockets at which a wire from one socket may end; each is judged when it is asked about."""

    def __init__(self, rules: _Rules, fixed: Socket, *, is_output: bool) -> None:
        self._rules, self._fixed, self._is_output = rules, fixed, is_output
        self._leaves = rules.output(fixed) if is_output else None
        self._arrives = None if is_output else rules.input(fixed)
        port = self._leaves or (self._arrives[0] if self._arrives is not None else None)
        self._exists = port is not None
        self._barred: AbstractSet[Vertex] = frozenset()
        if port is not None and not port.type.is_binding:
            self._barred = rules.before(fixed) if is_output else rules.after(fixed)

    def __contains__(self, socket: object) -> bool:
        if not isinstance(socket, Socket) or not self._exists:
            return False
        if self._is_output:
            arrives = self._rules.input(socket)
            return arrives is not None and self._may_end(socket, *arrives)
        leaves = self._rules.output(socket)
        return leaves is not None and self._may_begin(socket, leaves)

    def __iter__(self) -> Iterator[Socket]:
        for node in self._rules.flow.nodes:
            yield from self.of(node)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def of(self, node: NodeId) -> list[Socket]:
        """Those of one node, in the order of its ports."""
        signature = self._rules.signatures.get(node)
        if signature is None:
            return []
        names = self._inputs(signature) if self._is_output else self._outputs(signature)
        return [socket for name in names if (socket := Socket(node, name)) in self]

    def _inputs(self, signature: Signature) -> list[PortName]:
        ports = signature.inputs if signature.is_binding else (*signature.inputs, AFTER_PORT)
        return [port.name for port in ports]

    def _outputs(self, signature: Signature) -> list[PortName]:
        names = [*(port.name for port in signature.outputs), ERROR]
        return list(dict.fromkeys(names if signature.is_binding else [*names, THEN_PORT.name]))

    def _may_end(self, target: Socket, port: Port, signature: Signature) -> bool:
        rules, leaves = self._rules, self._leaves
        if leaves is None or arriving(target, rules.signatures) in self._barred:
            return False
        return rules.misfit(self._fixed, leaves, target, port, signature) is None

    def _may_begin(self, source: Socket, leaves: Port) -> bool:
        rules = self._rules
        if self._arrives is None:
            return False
        if not leaves.type.is_binding and leaving(source, rules.signatures) in self._barred:
            return False
        return rules.misfit(source, leaves, self._fixed, *self._arrives) is None
