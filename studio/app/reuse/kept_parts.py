"""Parts that a step made as it went become nodes of the flow, wired as they waited for one another."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from studio.errors import EditRefusedError
from studio.flow import edits
from studio.flow.change import Change
from studio.flow.ports import AFTER, ERROR, THEN
from studio.flow.records import Flow, Json, Library, Node, Point, Socket
from studio.ids import NodeId, PortName
from studio.trace.events.parts import PartTold

TASK, PROMPT = PortName("task"), PortName("prompt")


@dataclass(frozen=True, slots=True)
class Keeping:
    """What is to be kept: parts of one step of the node `maker`, each with its place."""

    maker: NodeId
    parts: Sequence[tuple[PartTold, Point]]


def can_keep(told: PartTold, library: Library) -> bool:
    """Whether a part tells what node it would be, of a kind that there is."""
    return bool(told.sort) and library.signature(_node(told)) is not None


def keep_parts(flow: Flow, keeping: Keeping, library: Library) -> tuple[Sequence[NodeId], Change]:
    """Add a node for each part that can be one, with wires among them; gives the nodes and the one change.

    What waited for another reads its output where its settings have a placeholder with that part's id, else
    as its prompt, else it runs after it. Whoever has no prompt then is asked what the maker was; an agent is
    lent to it. Raises `EditRefusedError` where no part can be a node.
    """
    kept = [(told, at) for told, at in keeping.parts if can_keep(told, library)]
    if not kept:
        raise EditRefusedError("None of these parts can become a node.")
    after, change = flow, Change("Keep as node" if len(kept) == 1 else f"Keep {len(kept)} parts as nodes")
    nodes: dict[str, NodeId] = {}
    for told, at in kept:
        node, added = edits.add_node(
            after, told.sort, told.title, at, settings=_settings(told), near_id=told.title or told.part
        )
        nodes[told.part] = node
        after, change = added.applied_to(after), change.then(added)
    for told, _ in kept:
        for wired in _wires(after, told, nodes, keeping.maker, library):
            after, change = wired.applied_to(after), change.then(wired)
    return list(nodes.values()), change


def _wires(
    flow: Flow, told: PartTold, nodes: Mapping[str, NodeId], maker: NodeId, library: Library
) -> Iterator[Change]:
    """The wires into the node of a part, or from one that lends to the maker; each after the one before."""
    node = nodes[told.part]
    for one in told.after:
        ends = [PortName(one), *([PROMPT] if _is_free(flow, node, PROMPT, library) else []), AFTER]
        joined = (_joined(flow, nodes[one], Socket(node, end), library) for end in ends if one in nodes)
        found = next((change for change in joined if change is not None), None)
        if found is not None:
            yield found
            flow = found.applied_to(flow)
    if _is_free(flow, node, PROMPT, library):
        yield from _asked_as(flow, node, maker, library)
    yield from _lent(flow, node, maker, library)


def _asked_as(flow: Flow, node: NodeId, maker: NodeId, library: Library) -> Iterator[Change]:
    """Ask a node what the maker was asked, by a wire or as it is typed there."""
    asked = next((wire.source for wire in flow.wires if wire.target == Socket(maker, TASK)), None)
    typed = flow.nodes[maker].inputs.get(TASK) if maker in flow.nodes else None
    if asked is not None:
        with suppress(EditRefusedError):
            yield edits.connect(flow, asked, Socket(node, PROMPT), library)
    elif typed is not None:
        yield edits.set_input(flow, node, PROMPT, typed)


def _lent(flow: Flow, node: NodeId, maker: NodeId, library: Library) -> Iterator[Change]:
    """Lend what a node lends to the maker, where that takes such a thing."""
    lends = library.signature(flow.nodes[node])
    takes = library.signature(flow.nodes[maker]) if maker in flow.nodes else None
    if lends is None or takes is None or not lends.is_binding:
        return
    ports = [port.name for port in takes.inputs if port.type.is_binding]
    joined = (_joined(flow, node, Socket(maker, name), library) for name in ports)
    yield from [one for one in joined if one is not None][:1]


def _is_free(flow: Flow, node: NodeId, port: PortName, library: Library) -> bool:
    """Whether a node has an input that nothing is wired to."""
    signature = library.signature(flow.nodes[node])
    is_there = signature is not None and signature.input(port) is not None
    return is_there and not any(wire.target == Socket(node, port) for wire in flow.wires)


def _joined(flow: Flow, source: NodeId, end: Socket, library: Library) -> Change | None:
    """The wire from the first output of a node that may end there; None where none may."""
    signature = library.signature(flow.nodes[source])
    outputs = [port.name for port in signature.outputs if port.name != ERROR] if signature is not None else []
    for name in [THEN] if end.port == AFTER else outputs:
        try:
            return edits.connect(flow, Socket(source, name), end, library)
        except EditRefusedError:
            continue
    return None


def _settings(told: PartTold) -> dict[str, Json]:
    return dict(told.settings)


def _node(told: PartTold) -> Node:
    return Node(kind=told.sort, title=told.title, settings=_settings(told))
