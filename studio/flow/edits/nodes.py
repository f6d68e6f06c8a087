"""Edits of nodes: added, removed, moved, and what is set at them."""

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Final, Literal

from studio.errors import EditRefusedError
from studio.flow.change import Change, Swap
from studio.flow.edits.boxes import Things, let_go
from studio.flow.edits.wires import counted, rewired, spaced
from studio.flow.records import (
    Flow,
    Json,
    Library,
    Node,
    Point,
    RunSettings,
    Wire,
    title_of,
)
from studio.flow.structure.graph import output_of
from studio.ids import NodeId, PortName, slug


class Remove(Enum):
    """Says that a typed value goes away; None would be the value `null`."""

    REMOVE = "remove"


REMOVE: Final = Remove.REMOVE
"""Takes the value typed at a port away (`set_input`)."""


def add_node(
    flow: Flow,
    kind: str,
    title: str,
    at: Point,
    *,
    settings: Mapping[str, Json] | None = None,
    version: int = 1,
    near_id: str | None = None,
) -> tuple[NodeId, Change]:
    """Add a node at `at`; its id is made from `near_id`, or from the title."""
    name = slug(near_id or title or kind.rpartition(".")[2], flow.nodes)
    node = Node(kind=kind, version=version, title=title, settings=dict(settings or {}))
    return name, Change(f"Add {title or name}", {name: (None, node)}, places={name: (None, at)})


def remove(flow: Flow, nodes: Iterable[NodeId], wires: Iterable[Wire] = ()) -> Change:
    """Remove nodes with all their wires, and `wires` besides; places and bends go with them."""
    gone = [name for name in dict.fromkeys(nodes) if name in flow.nodes]
    listed, going = frozenset(wires), frozenset(gone)
    lost = {
        wire: None
        for wire in flow.wires
        # Where no wires are listed none is looked up: to hash them all is what deleting would cost most.
        if (listed and wire in listed) or wire.source.node in going or wire.target.node in going
    }
    label = f"Delete {named(flow, gone)}" if gone else f"Delete {counted(len(lost), 'wire')}"
    removed, added, bends = rewired(flow, lost)
    places: dict[NodeId, Swap[Point]] = {
        name: (flow.layout.nodes[name], None) for name in gone if name in flow.layout.nodes
    }
    swaps: dict[NodeId, Swap[Node]] = {name: (flow.nodes[name], None) for name in gone}
    expanded, frames = going & flow.layout.collapsed, let_go(flow, Things(going))
    return Change(label, swaps, removed, added, places, frames, bends=bends, expanded=expanded)


def move(flow: Flow, places: Mapping[NodeId, Point]) -> Change:
    """Put nodes where `places` says; bends of wires between nodes that move together go with them."""
    swaps: dict[NodeId, Swap[Point]] = {
        name: (flow.layout.nodes.get(name), place)
        for name, place in places.items()
        if name in flow.nodes and flow.layout.nodes.get(name) != place
    }
    return Change(f"Move {named(flow, list(swaps))}", places=swaps, bends=_carried(flow, swaps))


def set_setting(
    flow: Flow, node: NodeId, name: str, value: Json, *, library: Library | None = None
) -> Change:
    """Give a setting a value; given a library, wires of ports that vanish by it go in the same change."""
    settings = {**node_of(flow, node).settings, name: value}
    label = f"Set {spaced(name)} of {title_of(flow, node)}"
    return set_settings(flow, node, settings, library=library).labelled(label)


def unset_setting(flow: Flow, node: NodeId, name: str, *, library: Library | None = None) -> Change:
    """Give a setting its default back."""
    settings = {key: value for key, value in node_of(flow, node).settings.items() if key != name}
    label = f"Reset {spaced(name)} of {title_of(flow, node)}"
    return set_settings(flow, node, settings, library=library).labelled(label)


def set_settings(
    flow: Flow, node: NodeId, settings: Mapping[str, Json], *, library: Library | None = None
) -> Change:
    """Replace all settings of a node."""
    changed = node_of(flow, node).model_copy(update={"settings": dict(settings)})
    return _replace(flow, node, changed, f"Change settings of {title_of(flow, node)}", library)


def set_input(flow: Flow, node: NodeId, port: PortName, value: Json | Literal[Remove.REMOVE]) -> Change:
    """Type a value at an unwired port, or take it away with `REMOVE`."""
    inputs = {key: one for key, one in node_of(flow, node).inputs.items() if key != port}
    if not isinstance(value, Remove):
        inputs[port] = value
    changed = node_of(flow, node).model_copy(update={"inputs": inputs})
    verb = "Clear" if isinstance(value, Remove) else "Set"
    return _replace(flow, node, changed, f"{verb} {spaced(port)} of {title_of(flow, node)}")


def set_title(flow: Flow, node: NodeId, title: str) -> Change:
    """Give a node another title; its id stays."""
    changed = node_of(flow, node).model_copy(update={"title": title})
    return _replace(flow, node, changed, f"Rename {title_of(flow, node)} to {title}")


def set_run(flow: Flow, node: NodeId, run: RunSettings, *, library: Library | None = None) -> Change:
    """Change how a node's steps run; an error port that goes takes its wires along, given a library."""
    changed = node_of(flow, node).model_copy(update={"run": run})
    return _replace(flow, node, changed, f"Change run settings of {title_of(flow, node)}", library)


def node_of(flow: Flow, name: NodeId) -> Node:
    """Find a node by its id; raises `EditRefusedError` where there is none."""
    node = flow.nodes.get(name)
    if node is None:
        raise EditRefusedError(f"There is no node `{name}` in this flow.")
    return node


def named(flow: Flow, nodes: list[NodeId]) -> str:
    """Name nodes in the label of a change: one by its title, several by their number."""
    return title_of(flow, nodes[0]) if len(nodes) == 1 else counted(len(nodes), "node")


def _carried(flow: Flow, places: Mapping[NodeId, Swap[Point]]) -> dict[str, Swap[tuple[Point, ...]]]:
    """The bends of the wires both of whose nodes move by the same way: they go with them."""
    bends: dict[str, Swap[tuple[Point, ...]]] = {}
    for wire in flow.wires if flow.layout.bends else ():
        ends = places.get(wire.source.node), places.get(wire.target.node)
        ways = {
            (to.x - at.x, to.y - at.y) for at, to in filter(None, ends) if at is not None and to is not None
        }
        before = flow.layout.bends.get(str(wire)) if None not in ends and len(ways) == 1 else None
        if before is not None:
            ((dx, dy),) = ways
            bends[str(wire)] = before, tuple(Point(one.x + dx, one.y + dy) for one in before)
    return bends


def _replace(flow: Flow, name: NodeId, node: Node, label: str, library: Library | None = None) -> Change:
    lost = {} if library is None else dict.fromkeys(_stranded(flow, name, node, library))
    removed, added, bends = rewired(flow, lost)
    return Change(label, {name: (flow.nodes[name], node)}, removed, added, bends=bends)


def _stranded(flow: Flow, name: NodeId, node: Node, library: Library) -> list[Wire]:
    """The wires whose port at `name` is there now, and would not be there on `node`."""
    before, after = library.signature(flow.nodes[name]), library.signature(node)
    if before is None or after is None:
        return []
    old = flow.nodes[name]

    def is_lost(wire: Wire) -> bool:
        output, port = wire.source.port, wire.target.port
        leaves = wire.source.node == name and output_of(old, before, output) is not None
        arrives = wire.target.node == name and before.input(port) is not None
        return (leaves and output_of(node, after, output) is None) or (arrives and after.input(port) is None)

    return [wire for wire in flow.wires if is_lost(wire)]
