"""Turning a wire that closes a cycle into a loop: what the canvas offers when such a wire is drawn."""

from studio.errors import EditRefusedError
from studio.flow.change import Change
from studio.flow.edits import add_node, connect, disconnect, wires_into
from studio.flow.edits.draft_loops import LOOP_KIND, WIDTH, body_of, room_for
from studio.flow.ports import Structure
from studio.flow.records import Flow, Library, Node, Point, Socket, Wire
from studio.flow.structure.graph import is_binding_wire, read_signatures
from studio.flow.structure.wiring import closes_cycle
from studio.ids import NodeId, PortName


def loop_for(flow: Flow, closing: Wire, library: Library) -> Change | None:
    """What makes a wire legal that closes a cycle: a loop around it, or the way round of the loop it enters.

    None where the wire closes no cycle, or where neither is simple.
    """
    if not closes_cycle(flow, closing.source, closing.target, library):
        return None
    signature = library.signature(flow.nodes[closing.target.node])
    if signature is None or signature.structure is not Structure.LOOP:
        return insert_loop(flow, closing, library)
    try:
        change = connect(flow, closing.source, Socket(closing.target.node, PortName("again")), library)
    except EditRefusedError:
        return None
    return change.labelled("Do another round")


def insert_loop(flow: Flow, closing: Wire, library: Library) -> Change | None:
    """Put a loop where `closing` ends, whether or not that wire is drawn already.

    What came to that input from elsewhere becomes the start, `closing` comes back as `again`, and the input
    gets the loop's value. None where this is not simple: no start, several, a list input, or no loop node.
    """
    signatures = read_signatures(flow, library)
    loop = library.signature(Node(kind=LOOP_KIND))
    target = signatures.get(closing.target.node)
    port = target.input(closing.target.port) if target is not None else None
    if loop is None or loop.structure is not Structure.LOOP or port is None or port.many:
        return None
    if is_binding_wire(closing, signatures):
        return None
    others = [wire for wire in wires_into(flow, closing.target) if wire.source != closing.source]
    typed = closing.target.port in flow.nodes[closing.target.node].inputs
    if len(others) > 1 or (not others and not typed):
        return None
    name, change = add_node(flow, LOOP_KIND, "Rounds", _before(flow, closing.target.node))
    if not others:
        value = flow.nodes[closing.target.node].inputs[closing.target.port]
        node = change.nodes[name][1]
        if node is None:
            return None
        started = node.model_copy(update={"inputs": {PortName("start"): value}})
        change = Change(change.label, {name: (None, started)}, places=change.places)
    drawn = frozenset(
        {
            *(Wire(wire.source, Socket(name, PortName("start"))) for wire in others),
            Wire(closing.source, Socket(name, PortName("again"))),
            Wire(Socket(name, PortName("value")), closing.target),
        }
    )
    gone = [wire for wire in flow.wires if wire.target == closing.target]
    inside = body_of(flow, closing, signatures)
    right = max((flow.layout.nodes.get(node, Point(0, 0)).x for node in inside), default=0) + WIDTH
    places = {node: (flow.layout.nodes.get(node), at) for node, at in room_for(flow, inside, right).items()}
    room = Change("", places={node: swap for node, swap in places.items() if swap[0] != swap[1]})
    built = change.then(disconnect(flow, gone)).then(Change("", added=drawn))
    return built.then(room).labelled("Insert a loop")


def _before(flow: Flow, node: NodeId) -> Point:
    place = flow.layout.nodes.get(node, Point(0, 0))
    return Point(place.x - 260, place.y)
