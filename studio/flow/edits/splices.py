"""Nodes put into wires and taken out of them again, so that what they stood between stays joined."""

from collections.abc import Collection, Iterable

from studio.errors import EditRefusedError
from studio.flow.change import Change
from studio.flow.edits import connect, disconnect, remove, wires_into
from studio.flow.ports import AFTER, ERROR, THEN, Port, PortType, Refusal, Signature, Structure, conversion
from studio.flow.records import Flow, Library, Socket, Wire, title_of
from studio.flow.structure.graph import INTO_BODY
from studio.flow.structure.wiring import refusal
from studio.ids import NodeId

_GIVES_BACK = ("done", "again", "start")
"""Where the result of a loop comes from, for whom the loop is taken away."""


def insert_on(flow: Flow, wire: Wire, node: NodeId, library: Library) -> Change:
    """Lead `wire` through `node`: in at its first free input that fits, out at its first free output.

    The wire keeps its place in a list. Raises `EditRefusedError` where no pair of ports fits.
    """
    signature = library.signature(flow.nodes[node])
    title = title_of(flow, node)
    if signature is None or node in {wire.source.node, wire.target.node}:
        raise EditRefusedError(f"“{title}” cannot stand in this wire.")
    inputs, outputs = free_ports(signature, *_wired(flow, node))
    freed = disconnect(flow, [wire])
    straight = freed.applied_to(flow)
    reason = ""
    for port in inputs:
        into = Socket(node, port.name)
        reason = refusal(straight, wire.source, into, library) or ""
        if reason:
            continue
        arriving = connect(straight, wire.source, into, library)
        halfway = arriving.applied_to(straight)
        for output in outputs:
            out = Socket(node, output.name)
            reason = refusal(halfway, out, wire.target, library) or ""
            if not reason:
                leaving = Change("", added=frozenset({Wire(out, wire.target, wire.index)}))
                return freed.then(arriving).then(leaving).labelled(f"Insert {title}")
    raise EditRefusedError(reason or f"“{title}” has no free input and output for this wire.")


def fits_between(
    source: PortType, target: PortType, signature: Signature, taken: tuple[Collection[str], Collection[str]]
) -> bool:
    """Whether by their types alone a wire could lead through a node; `insert_on` knows for certain."""
    inputs, outputs = free_ports(signature, *taken)
    return any(not isinstance(conversion(source, port.type), Refusal) for port in inputs) and any(
        not isinstance(conversion(port.type, target), Refusal) for port in outputs
    )


def free_ports(
    signature: Signature, wired_in: Collection[str], wired_out: Collection[str]
) -> tuple[list[Port], list[Port]]:
    """The data inputs and outputs at which a wire may lead through a node, those that are wired left out."""
    inner = INTO_BODY.get(signature.structure, ()) if signature.structure else ()
    inputs = [port for port in signature.inputs if not port.type.is_binding and port.name not in wired_in]
    outputs = [
        port
        for port in signature.outputs
        if not port.type.is_binding and port.name not in wired_out and port.name != ERROR
    ]
    return inputs, sorted(outputs, key=lambda port: port.name in inner)


def take_out(flow: Flow, nodes: Iterable[NodeId], library: Library) -> Change:
    """Free nodes of the wires that lead to others, and join what they stood between.

    Wires among the nodes stay, and what is lent to them; what only lends is freed of its borrowers.
    """
    chosen = frozenset(node for node in nodes if node in flow.nodes)
    freed = disconnect(flow, holding(flow, chosen, library))
    joined = Change("", added=joints(flow, chosen, library) - frozenset(flow.wires))
    return freed.then(joined).labelled(f"Detach {_named(flow, chosen)}")


def remove_joined(flow: Flow, nodes: Iterable[NodeId], wires: Iterable[Wire], library: Library) -> Change:
    """Remove nodes and `wires`, and join what the nodes stood between."""
    chosen = frozenset(node for node in nodes if node in flow.nodes)
    removed = remove(flow, sorted(chosen), wires)
    joined = joints(flow, chosen, library) - frozenset(flow.wires)
    return removed.then(Change("", added=joined)).labelled(f"{removed.label} and join")


def holding(flow: Flow, nodes: Collection[NodeId], library: Library) -> list[Wire]:
    """The wires that tie nodes to others; for steps, what is lent to them does not count."""

    def is_lent(wire: Wire) -> bool:
        lender = flow.nodes.get(wire.source.node)
        source = library.signature(lender) if lender is not None else None
        port = source.output(wire.source.port) if source is not None else None
        return port is not None and port.type.is_binding

    return [
        wire
        for wire in flow.wires
        if (wire.source.node in nodes) != (wire.target.node in nodes)
        and (wire.source.node in nodes or not is_lent(wire))
    ]


def joints(flow: Flow, nodes: Iterable[NodeId], library: Library) -> frozenset[Wire]:
    """The wires by which others are joined once these nodes are gone."""
    rest, drawn = flow, set[Wire]()
    for node in sorted(nodes):
        gone = remove(rest, [node])
        after = gone.applied_to(rest)
        for wire in rest.wires:
            if wire.source.node == node != wire.target.node:
                for joint in _joint(rest, after, wire, library):
                    after = Change("", added=frozenset({joint})).applied_to(after)
                    drawn.add(joint)
        rest = after
    return frozenset(drawn.intersection(rest.wires))


def _joint(flow: Flow, after: Flow, wire: Wire, library: Library) -> list[Wire]:
    """What leads to the end of a wire in place of the node that goes."""
    found: list[Wire] = []
    for source in _sources(flow, wire, library):
        trial = after if not found else Change("", added=frozenset(found)).applied_to(after)
        if refusal(trial, source, wire.target, library) is None:
            found.append(Wire(source, wire.target, wire.index))
            if wire.target.port != AFTER:
                break
    return found


def _sources(flow: Flow, wire: Wire, library: Library) -> list[Socket]:
    """What could take the place of a node's output, best first: as a bypass does, what is of its type."""
    node = wire.source.node
    signature = library.signature(flow.nodes[node])
    if signature is None:
        return []
    arriving = [(port, one) for port in signature.inputs for one in wires_into(flow, Socket(node, port.name))]
    before = [one.source for one in wires_into(flow, Socket(node, AFTER))]
    if wire.target.port == AFTER:
        return before or [Socket(one.source.node, THEN) for port, one in arriving if not port.type.is_binding]
    given = signature.output(wire.source.port)
    kind = given.type if given is not None else None
    if signature.structure is Structure.LOOP:
        inner = wire.source.port in INTO_BODY[Structure.LOOP]
        names = ("start",) if inner else _GIVES_BACK
        ranks = {name: place for place, name in enumerate(names)}
        listed = [(port, one) for port, one in arriving if port.name in ranks and one.source.node != node]
        return [one.source for _, one in sorted(listed, key=lambda pair: ranks[pair[0].name])]
    return [one.source for _, one in sorted(arriving, key=lambda pair: pair[0].type != kind)]


def _wired(flow: Flow, node: NodeId) -> tuple[set[str], set[str]]:
    into = {str(wire.target.port) for wire in flow.wires if wire.target.node == node}
    out = {str(wire.source.port) for wire in flow.wires if wire.source.node == node}
    return into, out


def _named(flow: Flow, nodes: Collection[NodeId]) -> str:
    return title_of(flow, next(iter(nodes))) if len(nodes) == 1 else f"{len(nodes)} nodes"
