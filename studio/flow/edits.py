"""Every edit of a flow, as a function that gives the change. Nothing is changed until it is applied."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from enum import Enum
from typing import Final, Literal, TypeAlias

from studio.errors import EditRefusedError
from studio.flow.boxes import Things, copied, let_go
from studio.flow.change import Change, Header, Swap
from studio.flow.graph import output_of
from studio.flow.ports import AFTER
from studio.flow.records import (
    Flow,
    Frame,
    Json,
    Layout,
    Library,
    Node,
    Point,
    RunSettings,
    Socket,
    Wire,
    title_of,
)
from studio.flow.wiring import refusal
from studio.ids import NodeId, PortName, is_identifier, slug

_WireMap: TypeAlias = Mapping[Wire, Wire | None]


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
    label = f"Delete {_named(flow, gone)}" if gone else f"Delete {_counted(len(lost), 'wire')}"
    removed, added, bends = _rewire(flow, lost)
    places: dict[NodeId, Swap[Point]] = {
        name: (flow.layout.nodes[name], None) for name in gone if name in flow.layout.nodes
    }
    swaps: dict[NodeId, Swap[Node]] = {name: (flow.nodes[name], None) for name in gone}
    expanded, frames = going & flow.layout.collapsed, let_go(flow, Things(going))
    return Change(label, swaps, removed, added, places, frames, bends=bends, expanded=expanded)


def connect(flow: Flow, source: Socket, target: Socket, library: Library) -> Change:
    """Wire an output to an input; a single input's old wire is replaced, a list input gets one more.

    Raises `EditRefusedError` with the reason when the flow's rules forbid it.
    """
    reason = refusal(flow, source, target, library)
    if reason is not None:
        raise EditRefusedError(reason)
    label = f"Connect {title_of(flow, source.node)} to {title_of(flow, target.node)}"
    present = wires_into(flow, target)
    signature = library.signature(flow.nodes[target.node])
    port = signature.input(target.port) if signature is not None else None
    if port is None or not port.many:
        removed, _, bends = _rewire(flow, dict.fromkeys(present))
        return Change(label, removed=removed, added=frozenset({Wire(source, target)}), bends=bends)
    if target.port == AFTER:
        return Change(label, added=frozenset({Wire(source, target)}))
    index = max((wire.index or 0 for wire in present), default=-1) + 1
    return Change(label, added=frozenset({Wire(source, target, index)}))


def disconnect(flow: Flow, wires: Iterable[Wire]) -> Change:
    """Take wires away, with their bends."""
    listed = frozenset(wires)
    lost = {wire: None for wire in flow.wires if wire in listed}
    removed, added, bends = _rewire(flow, lost)
    label = f"Disconnect {_counted(len(lost), 'wire')}"
    if len(lost) == 1:
        ends = next(iter(lost))
        label = f"Disconnect {title_of(flow, ends.source.node)} from {title_of(flow, ends.target.node)}"
    return Change(label, removed=removed, added=added, bends=bends)


def move(flow: Flow, places: Mapping[NodeId, Point]) -> Change:
    """Put nodes where `places` says; bends of wires between nodes that move together go with them."""
    swaps: dict[NodeId, Swap[Point]] = {
        name: (flow.layout.nodes.get(name), place)
        for name, place in places.items()
        if name in flow.nodes and flow.layout.nodes.get(name) != place
    }
    return Change(f"Move {_named(flow, list(swaps))}", places=swaps, bends=_carried(flow, swaps))


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


def bend(flow: Flow, wire: Wire, points: Iterable[Point]) -> Change:
    """Lead a wire through `points`; none makes it straight again."""
    before, after = flow.layout.bends.get(str(wire)), tuple(points) or None
    return Change("Bend wire" if after else "Straighten wire", bends={str(wire): (before, after)})


def set_setting(
    flow: Flow, node: NodeId, name: str, value: Json, *, library: Library | None = None
) -> Change:
    """Give a setting a value; given a library, wires of ports that vanish by it go in the same change."""
    settings = {**_node(flow, node).settings, name: value}
    label = f"Set {_words(name)} of {title_of(flow, node)}"
    return set_settings(flow, node, settings, library=library).labelled(label)


def unset_setting(flow: Flow, node: NodeId, name: str, *, library: Library | None = None) -> Change:
    """Give a setting its default back."""
    settings = {key: value for key, value in _node(flow, node).settings.items() if key != name}
    label = f"Reset {_words(name)} of {title_of(flow, node)}"
    return set_settings(flow, node, settings, library=library).labelled(label)


def set_settings(
    flow: Flow, node: NodeId, settings: Mapping[str, Json], *, library: Library | None = None
) -> Change:
    """Replace all settings of a node."""
    changed = _node(flow, node).model_copy(update={"settings": dict(settings)})
    return _replace(flow, node, changed, f"Change settings of {title_of(flow, node)}", library)


def set_input(flow: Flow, node: NodeId, port: PortName, value: Json | Literal[Remove.REMOVE]) -> Change:
    """Type a value at an unwired port, or take it away with `REMOVE`."""
    inputs = {key: one for key, one in _node(flow, node).inputs.items() if key != port}
    if not isinstance(value, Remove):
        inputs[port] = value
    changed = _node(flow, node).model_copy(update={"inputs": inputs})
    verb = "Clear" if isinstance(value, Remove) else "Set"
    return _replace(flow, node, changed, f"{verb} {_words(port)} of {title_of(flow, node)}")


def set_title(flow: Flow, node: NodeId, title: str) -> Change:
    """Give a node another title; its id stays."""
    changed = _node(flow, node).model_copy(update={"title": title})
    return _replace(flow, node, changed, f"Rename {title_of(flow, node)} to {title}")


def set_run(flow: Flow, node: NodeId, run: RunSettings, *, library: Library | None = None) -> Change:
    """Change how a node's steps run; an error port that goes takes its wires along, given a library."""
    changed = _node(flow, node).model_copy(update={"run": run})
    return _replace(flow, node, changed, f"Change run settings of {title_of(flow, node)}", library)


def rename_node(flow: Flow, old: NodeId, new: NodeId) -> Change:
    """Give a node another id, everywhere in the flow; raises `EditRefusedError` for one that cannot be."""
    node = _node(flow, old)
    if old == new:
        return Change(f"Rename {old}")
    if not is_identifier(new):
        raise EditRefusedError(
            f"`{new}` cannot be an id: start with a lowercase letter, then use letters, digits and `_`."
        )
    if new in flow.nodes:
        raise EditRefusedError(f"There is already a node `{new}` in this flow.")

    def renamed(socket: Socket) -> Socket:
        return Socket(new, socket.port) if socket.node == old else socket

    moved: dict[Wire, Wire | None] = {
        wire: Wire(renamed(wire.source), renamed(wire.target), wire.index)
        for wire in flow.wires
        if old in {wire.source.node, wire.target.node}
    }
    removed, added, bends = _rewire(flow, moved)
    places: dict[NodeId, Swap[Point]] = {}
    if old in flow.layout.nodes:
        places = {old: (flow.layout.nodes[old], None), new: (None, flow.layout.nodes[old])}
    policies = tuple(_renamed_in(policy, old, new) for policy in flow.policies)
    return Change(
        f"Rename {old} to {new}",
        {old: (node, None), new: (None, node)},
        removed,
        added,
        places,
        bends=bends,
        frames=_renamed_in_frames(flow, old, new),
        header=_header(flow, policies=policies),
        collapsed=frozenset([new]) if old in flow.layout.collapsed else frozenset(),
        expanded=frozenset([old]) & flow.layout.collapsed,
    )


def rename_outputs(flow: Flow, node: NodeId, names: Mapping[PortName, PortName]) -> Change:
    """Let the wires that leave ports of `node` leave those that are called otherwise now."""
    moved: dict[Wire, Wire | None] = {
        wire: Wire(Socket(node, names[wire.source.port]), wire.target, wire.index)
        for wire in flow.wires
        if wire.source.node == node and wire.source.port in names
    }
    removed, added, bends = _rewire(flow, moved)
    return Change(f"Rename outputs of {title_of(flow, node)}", removed=removed, added=added, bends=bends)


def describe(flow: Flow, name: str, description: str) -> Change:
    """Give the flow a name and a description."""
    return Change("Describe flow", header=_header(flow, name=name, description=description))


def fragment(
    flow: Flow, nodes: Iterable[NodeId], frames: Iterable[str] = (), notes: Iterable[str] = ()
) -> Flow:
    """The given nodes with the wires among them, as a flow of their own: what the clipboard holds."""
    chosen = {name: flow.nodes[name] for name in sorted(set(nodes)) if name in flow.nodes}
    wires = tuple(wire for wire in flow.wires if wire.source.node in chosen and wire.target.node in chosen)
    places = {name: place for name, place in flow.layout.nodes.items() if name in chosen}
    texts = {str(wire) for wire in wires}
    bends = {text: points for text, points in flow.layout.bends.items() if text in texts}
    collapsed = flow.layout.collapsed.intersection(chosen)
    framed = {name: flow.layout.frames[name] for name in frames if name in flow.layout.frames}
    noted = {name: flow.layout.notes[name] for name in notes if name in flow.layout.notes}
    return Flow(nodes=chosen, wires=wires, layout=Layout(places, framed, noted, bends, collapsed))


def paste(flow: Flow, fragment: Flow, at: Point) -> tuple[frozenset[NodeId], Change]:
    """Put a fragment into the flow, its upper left corner at `at`; gives the new nodes' ids."""
    names = names_in(flow, fragment)
    layout = fragment.layout
    places = layout.nodes
    corners = (*places.values(), *layout.frames.values(), *layout.notes.values())
    left = min((place.x for place in corners), default=0)
    top = min((place.y for place in corners), default=0)

    def shifted(point: Point) -> Point:
        return Point(point.x - left + at.x, point.y - top + at.y)

    added: set[Wire] = set()
    bends: dict[str, Swap[tuple[Point, ...]]] = {}
    for wire in fragment.wires:
        if wire.source.node not in names or wire.target.node not in names:
            continue
        copy = Wire(
            Socket(names[wire.source.node], wire.source.port),
            Socket(names[wire.target.node], wire.target.port),
            wire.index,
        )
        added.add(copy)
        if str(wire) in fragment.layout.bends:
            bends[str(copy)] = (None, tuple(shifted(point) for point in fragment.layout.bends[str(wire)]))
    boxes = copied(flow, fragment, names, at.x - left, at.y - top)
    named = _named(fragment, list(names)) if names else "frame" if boxes.frames else "note"
    change = Change(
        f"Paste {named}",
        {names[name]: (None, node) for name, node in fragment.nodes.items()},
        added=frozenset(added),
        places={names[name]: (None, shifted(places.get(name, Point(left, top)))) for name in names},
        frames=boxes.frames,
        notes=boxes.notes,
        bends=bends,
        collapsed=frozenset(names[name] for name in fragment.layout.collapsed if name in names),
    )
    return frozenset(names.values()), change


def names_in(flow: Flow, fragment: Flow) -> dict[NodeId, NodeId]:
    """The ids that a fragment's nodes get where it is put into a flow: their own, where these are free."""
    names: dict[NodeId, NodeId] = {}
    taken = set(flow.nodes)
    for name in sorted(fragment.nodes):
        names[name] = name if name not in taken else slug(re.sub(r"_\d+$", "", name), taken)
        taken.add(names[name])
    return names


def renumber(flow: Flow, socket: Socket) -> Change:
    """Number the wires into a list input 0, 1, 2 … in their present order."""
    renumbered: dict[Wire, Wire | None] = {
        wire: Wire(wire.source, wire.target, index) for index, wire in enumerate(wires_into(flow, socket))
    }
    removed, added, bends = _rewire(flow, {old: new for old, new in renumbered.items() if old != new})
    return Change(
        f"Renumber {_words(socket.port)} of {title_of(flow, socket.node)}",
        removed=removed - added,
        added=added - removed,
        bends=bends,
    )


def wires_into(flow: Flow, socket: Socket) -> list[Wire]:
    """The wires that end at `socket`, in the order in which their values are taken."""
    found = [wire for wire in flow.wires if wire.target == socket]
    return sorted(found, key=lambda wire: (wire.index or 0, wire.sort_key))


def _node(flow: Flow, name: NodeId) -> Node:
    node = flow.nodes.get(name)
    if node is None:
        raise EditRefusedError(f"There is no node `{name}` in this flow.")
    return node


def _replace(flow: Flow, name: NodeId, node: Node, label: str, library: Library | None = None) -> Change:
    lost = {} if library is None else dict.fromkeys(_stranded(flow, name, node, library))
    removed, added, bends = _rewire(flow, lost)
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


def _rewire(
    flow: Flow, moved: _WireMap
) -> tuple[frozenset[Wire], frozenset[Wire], dict[str, Swap[tuple[Point, ...]]]]:
    """Removed wires, added wires, and what that does to the bends, which move along."""
    before = flow.layout.bends
    after = {text: points for text, points in before.items() if text not in {str(wire) for wire in moved}}
    after.update({str(new): before[str(old)] for old, new in moved.items() if new and str(old) in before})
    bends: dict[str, Swap[tuple[Point, ...]]] = {
        text: (before.get(text), after.get(text))
        for text in (*before, *after)
        if before.get(text) != after.get(text)
    }
    return frozenset(moved), frozenset(new for new in moved.values() if new is not None), bends


def _header(
    flow: Flow,
    *,
    name: str | None = None,
    description: str | None = None,
    policies: tuple[Json, ...] | None = None,
) -> Swap[Header]:
    before = Header(flow.name, flow.description, flow.policies)
    after = Header(
        flow.name if name is None else name,
        flow.description if description is None else description,
        flow.policies if policies is None else policies,
    )
    return (None, None) if before == after else (before, after)


def _renamed_in(policy: Json, old: NodeId, new: NodeId) -> Json:
    """A policy names nodes under `node` and `nodes`; every other text in it is left alone."""
    if isinstance(policy, list):
        return [_renamed_in(one, old, new) for one in policy]
    if not isinstance(policy, dict):
        return policy
    rename: Callable[[Json], Json] = lambda one: new if one == old else one  # noqa: E731
    result: dict[str, Json] = {}
    for key, value in policy.items():
        if key == "node":
            result[key] = rename(value)
        elif key == "nodes" and isinstance(value, list):
            result[key] = [rename(one) for one in value]
        else:
            result[key] = _renamed_in(value, old, new)
    return result


def _renamed_in_frames(flow: Flow, old: NodeId, new: NodeId) -> dict[str, Swap[Frame]]:
    """Collapsed frames name what they hide."""
    return {
        name: (frame, replace(frame, holds=tuple(new if one == old else one for one in frame.holds)))
        for name, frame in flow.layout.frames.items()
        if old in frame.holds
    }


def _named(flow: Flow, nodes: list[NodeId]) -> str:
    return title_of(flow, nodes[0]) if len(nodes) == 1 else _counted(len(nodes), "node")


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _words(name: str) -> str:
    return name.replace("_", " ")
