"""Edits that mend what `check` finds, where one edit of a person would not do. None where it cannot be."""

from studio.errors import EditRefusedError
from studio.flow.change import Change, difference
from studio.flow.edits import add_node, connect, disconnect, remove, wires_into
from studio.flow.ports import THEN, PortType
from studio.flow.records import Flow, Json, Library, Node, Point, Socket, Wire
from studio.flow.structure.graph import INTO_BODY
from studio.ids import NodeId, PortName

STEP_ASIDE = 260
"""How far beside another node a new one is put, in scene units."""


def insert(flow: Flow, library: Library, kind: str, title: str, on: Wire) -> Change | None:
    """Put a node on a wire, its first input and its first output in the middle of it."""
    signature = library.signature(Node(kind=kind))
    if signature is None or not signature.inputs or not signature.outputs:
        return None
    name, added = add_node(flow, kind, title, _beside(flow, on.target.node, -STEP_ASIDE))
    after = disconnect(flow, [on]).applied_to(added.applied_to(flow))
    ends = Socket(name, signature.inputs[0].name), Socket(name, signature.outputs[0].name)
    return _wired(flow, after, library, (on.source, ends[0]), (ends[1], on.target))


def collect_behind(flow: Flow, library: Library, source: Socket) -> Change | None:
    """Let a new Collect gather what a step of a map gives."""
    signature = library.signature(Node(kind="control.collect"))
    if signature is None:
        return None
    name, added = add_node(flow, "control.collect", "Collect", _beside(flow, source.node, STEP_ASIDE))
    return _wired(flow, added.applied_to(flow), library, (source, Socket(name, signature.inputs[0].name)))


def ask_for(flow: Flow, library: Library, target: Socket, kind: PortType, title: str) -> Change | None:
    """Make what an input lacks an input of the flow."""
    if library.signature(Node(kind="io.flow_input")) is None or kind.is_binding:
        return None
    settings: dict[str, Json] = {} if kind.is_variable else {"type": str(kind)}
    place = _beside(flow, target.node, -STEP_ASIDE)
    name, added = add_node(flow, "io.flow_input", title, place, settings=settings)
    return _wired(flow, added.applied_to(flow), library, (Socket(name, PortName("value")), target))


def take_out(flow: Flow, library: Library, name: NodeId, through: tuple[str, str]) -> Change | None:
    """Remove a node, and lead what came in at its one port to where its other one led."""
    arriving = wires_into(flow, Socket(name, PortName(through[0])))
    leaving = [wire for wire in flow.wires if wire.source == Socket(name, PortName(through[1]))]
    if len(arriving) != 1:
        return None
    after = remove(flow, [name]).applied_to(flow)
    return _wired(flow, after, library, *((arriving[0].source, wire.target) for wire in leaving))


def lead_through(flow: Flow, library: Library, wires: list[Wire], source: Socket) -> Change | None:
    """Let wires come from another socket than they do."""
    after = disconnect(flow, wires).applied_to(flow)
    return _wired(flow, after, library, *((source, wire.target) for wire in wires))


def last_outputs(flow: Flow, library: Library, nodes: frozenset[NodeId]) -> list[Socket]:
    """The first outputs of those of `nodes` that give nothing to others of them, in order."""
    busy = {wire.source.node for wire in flow.wires if wire.target.node in nodes}
    found: list[Socket] = []
    for name in sorted(nodes - busy):
        signature = library.signature(flow.nodes[name])
        ports = [port.name for port in signature.outputs if not port.type.is_binding] if signature else []
        inner = INTO_BODY.get(signature.structure, ()) if signature and signature.structure else ()
        ports = [port for port in ports if port not in inner]
        found += [Socket(name, ports[0] if ports else THEN)]
    return found


def _wired(before: Flow, after: Flow, library: Library, *pairs: tuple[Socket, Socket]) -> Change | None:
    try:
        for source, target in pairs:
            after = connect(after, source, target, library).applied_to(after)
    except EditRefusedError:
        return None
    return difference(before, after, "")


def _beside(flow: Flow, node: NodeId, by: int) -> Point:
    place = flow.layout.nodes.get(node, Point(0, 0))
    return Point(place.x + by, place.y)
