"""Nodes that come to run in a loop or a map: a body is what the wires make it."""

from studio.errors import EditRefusedError
from studio.flow.change import Change
from studio.flow.edits import connect
from studio.flow.edits.splices import free_ports
from studio.flow.ports import ERROR, Structure
from studio.flow.records import Flow, Library, Socket, title_of
from studio.flow.structure.graph import INTO_BODY
from studio.ids import NodeId, PortName

_AGAIN, _DONE, _ALSO = PortName("again"), PortName("done"), PortName("also")


def enter(flow: Flow, node: NodeId, owner: NodeId, library: Library) -> Change:
    """Let `node` run in the body of the loop or map `owner`.

    Its first free input that fits gets what each round or item has; what it gives comes back to a loop, so
    that every round waits for it: of a loop its result, of a map nothing, for a collect gives that.
    Raises `EditRefusedError` where its ports do not allow it.
    """
    signature, region = library.signature(flow.nodes[node]), library.signature(flow.nodes[owner])
    title, around = title_of(flow, node), title_of(flow, owner)
    if signature is None or region is None or region.structure is None:
        raise EditRefusedError(f"“{title}” cannot run in “{around}”.")
    given = [port for port in region.outputs if port.name in INTO_BODY.get(region.structure, ())]
    wired = {str(wire.target.port) for wire in flow.wires if wire.target.node == node}
    inputs, _ = free_ports(signature, wired, ())
    pairs = [(Socket(owner, one.name), Socket(node, port.name)) for one in given for port in inputs]
    change = _first(flow, pairs, library)
    if change is None:
        raise EditRefusedError(f"“{title}” has no free input that accepts what “{around}” passes in.")
    if region.structure is Structure.LOOP:
        flow_in = change.applied_to(flow)
        inner = INTO_BODY.get(signature.structure, ()) if signature.structure else ()
        outputs = [
            port
            for port in signature.outputs
            if not port.type.is_binding and port.name != ERROR and port.name not in inner
        ]
        is_empty = not any(
            wire.target.node == owner and wire.target.port in {_AGAIN, _DONE} for wire in flow.wires
        )
        ends = (_AGAIN, _ALSO) if is_empty else (_ALSO,)
        back = [(Socket(node, port.name), Socket(owner, end)) for end in ends for port in outputs]
        returned = _first(flow_in, back, library)
        if returned is None:
            raise EditRefusedError(
                f"“{title}” has no output that goes back, so no round of “{around}” would wait for it."
            )
        change = change.then(returned)
    return change.labelled(f"Run {title} in {around}")


def _first(flow: Flow, pairs: list[tuple[Socket, Socket]], library: Library) -> Change | None:
    for source, target in pairs:
        try:
            return connect(flow, source, target, library)
        except EditRefusedError:
            continue
    return None
