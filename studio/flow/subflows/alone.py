"""One node as a flow of its own: what it reads is given, what it gives is given back, lenders go along."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from studio.errors import EditRefusedError
from studio.flow.ports import ANY, ORDER, PortType, Signature, Structure
from studio.flow.records import CallingLibrary, Flow, Json, Layout, Node, Point, Socket, Wire, title_of
from studio.flow.structure.graph import is_binding_wire
from studio.ids import NodeId, PortName, slug

STANDS_ALONE = frozenset({None, Structure.BRANCH, Structure.SUBFLOW, Structure.CALL_TOOL})
"""What means the same without the nodes around it; a loop has its body there, a race its wires."""
BESIDE = 280
"""How far beside the node its inputs and outputs stand, in scene units."""
BELOW = 110
VALUE = PortName("value")


@dataclass(frozen=True, slots=True)
class Alone:
    """A flow with one step, and which of its inputs and outputs stand for the ports of that step."""

    flow: Flow
    inputs: Mapping[str, NodeId]
    outputs: Mapping[str, NodeId]


def why_not_alone(flow: Flow, node: NodeId, library: CallingLibrary) -> str:
    """Say why a node would mean something else alone, in one sentence; empty where it would not."""
    record = flow.nodes.get(node)
    signature = library.signature(record) if record is not None else None
    title = title_of(flow, node)
    if signature is None:
        return f"The ports of “{title}” are unknown."
    if signature.is_binding:
        return f"“{title}” is attached to other nodes and is not a step."
    if signature.structure not in STANDS_ALONE:
        return f"“{title}” needs the nodes around it; choose a step that works by itself."
    if signature.shares:
        names = ", ".join(f"`{one.name}`" for one in signature.shares)
        return f"“{title}” shares {names} with other steps of the run and would find nothing there."
    lenders, _ = _lenders(flow, node, library)
    if memories := sorted(one for one in lenders if _is_memory(flow, one, library)):
        names = ", ".join(f"“{title_of(flow, one)}”" for one in memories)
        return f"“{title}” uses the memory of {names} and would find something else there."
    return ""


def step_alone(flow: Flow, node: NodeId, given: Collection[str], library: CallingLibrary) -> Alone:
    """Make the flow in which `node` stands alone, with a flow input for each input port in `given`.

    Raises `EditRefusedError` where it means something else alone.
    """
    reason = why_not_alone(flow, node, library)
    signature = library.signature(flow.nodes[node]) if not reason else None
    if signature is None:
        raise EditRefusedError(reason)
    lenders, lent = _lenders(flow, node, library)
    kept = {one: flow.nodes[one] for one in lenders}
    record = flow.nodes[node]
    wanted = [port for port in signature.inputs if port.name in given and not port.type.is_binding]
    free = {name: value for name, value in record.inputs.items() if name not in given}
    nodes: dict[NodeId, Node] = {**kept, node: record.model_copy(update={"inputs": free})}
    places = {one: flow.layout.nodes.get(one, Point(0, 0)) for one in nodes}
    at = places[node]
    wires, inputs, outputs = list(lent), dict[str, NodeId](), dict[str, NodeId]()
    for row, port in enumerate(wanted):
        name = inputs[port.name] = slug(port.name, {*nodes, *flow.nodes})
        nodes[name] = Node(kind="io.flow_input", title=port.label or port.name, settings=_typed(port.type))
        places[name] = Point(at.x - BESIDE, at.y + row * BELOW)
        wires.append(Wire(Socket(name, VALUE), Socket(node, port.name), 0 if port.many else None))
    for row, port in enumerate(_given_back(signature)):
        name = outputs[port] = slug(port, {*nodes, *flow.nodes})
        nodes[name] = Node(kind="io.flow_output", title=port)
        places[name] = Point(at.x + BESIDE, at.y + row * BELOW)
        wires.append(Wire(Socket(node, PortName(port)), Socket(name, VALUE)))
    ordered = tuple(sorted(wires, key=lambda one: one.sort_key))
    return Alone(Flow(title_of(flow, node), "", nodes, ordered, layout=Layout(nodes=places)), inputs, outputs)


def _is_memory(flow: Flow, node: NodeId, library: CallingLibrary) -> bool:
    signature = library.signature(flow.nodes[node])
    return signature is not None and signature.is_kept


def _given_back(signature: Signature) -> list[str]:
    return [one.name for one in signature.outputs if not one.type.is_binding and one.type != ORDER]


def _typed(kind: PortType) -> dict[str, Json]:
    """The settings of a flow input that takes what the port takes."""
    if kind.is_variable:
        kind = ANY._replace(depth=kind.depth)
    return {} if str(kind) == "text" else {"type": str(kind)}


def _lenders(flow: Flow, node: NodeId, library: CallingLibrary) -> tuple[set[NodeId], list[Wire]]:
    """Those who lend to the node, directly or through others, and the wires by which they do."""
    signatures = {one: library.signature(record) for one, record in flow.nodes.items()}
    lent = [wire for wire in flow.wires if is_binding_wire(wire, signatures)]
    found: set[NodeId] = set()
    waiting = {node}
    while waiting:
        borrower = waiting.pop()
        fresh = {wire.source.node for wire in lent if wire.target.node == borrower} - found
        found |= fresh
        waiting |= fresh
    return found, [wire for wire in lent if wire.source.node in found and wire.target.node in {*found, node}]
