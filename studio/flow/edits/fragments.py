"""Fragments: a part of a flow as a flow of its own, which the clipboard holds, and put into another one."""

import re
from collections.abc import Iterable

from studio.flow.change import Change, Swap
from studio.flow.edits.boxes import copied
from studio.flow.edits.nodes import named
from studio.flow.records import (
    Flow,
    Layout,
    Point,
    Socket,
    Wire,
)
from studio.ids import NodeId, slug


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
    what = named(fragment, list(names)) if names else "frame" if boxes.frames else "note"
    change = Change(
        f"Paste {what}",
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
