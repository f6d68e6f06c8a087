"""Edits of wires: drawn, taken away, bent, and put into the order of a list."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from studio.errors import EditRefusedError
from studio.flow.change import Change, Swap
from studio.flow.ports import AFTER
from studio.flow.records import (
    Flow,
    Library,
    Point,
    Socket,
    Wire,
    title_of,
)
from studio.flow.structure.wiring import refusal

WireMap: TypeAlias = Mapping[Wire, Wire | None]
"""What becomes of wires: another one, or nothing."""


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
        removed, _, bends = rewired(flow, dict.fromkeys(present))
        return Change(label, removed=removed, added=frozenset({Wire(source, target)}), bends=bends)
    if target.port == AFTER:
        return Change(label, added=frozenset({Wire(source, target)}))
    index = max((wire.index or 0 for wire in present), default=-1) + 1
    return Change(label, added=frozenset({Wire(source, target, index)}))


def disconnect(flow: Flow, wires: Iterable[Wire]) -> Change:
    """Take wires away, with their bends."""
    listed = frozenset(wires)
    lost = {wire: None for wire in flow.wires if wire in listed}
    removed, added, bends = rewired(flow, lost)
    label = f"Disconnect {counted(len(lost), 'wire')}"
    if len(lost) == 1:
        ends = next(iter(lost))
        label = f"Disconnect {title_of(flow, ends.source.node)} from {title_of(flow, ends.target.node)}"
    return Change(label, removed=removed, added=added, bends=bends)


def bend(flow: Flow, wire: Wire, points: Iterable[Point]) -> Change:
    """Lead a wire through `points`; none makes it straight again."""
    before, after = flow.layout.bends.get(str(wire)), tuple(points) or None
    return Change("Bend wire" if after else "Straighten wire", bends={str(wire): (before, after)})


def renumber(flow: Flow, socket: Socket) -> Change:
    """Number the wires into a list input 0, 1, 2 … in their present order."""
    renumbered: dict[Wire, Wire | None] = {
        wire: Wire(wire.source, wire.target, index) for index, wire in enumerate(wires_into(flow, socket))
    }
    removed, added, bends = rewired(flow, {old: new for old, new in renumbered.items() if old != new})
    return Change(
        f"Renumber {spaced(socket.port)} of {title_of(flow, socket.node)}",
        removed=removed - added,
        added=added - removed,
        bends=bends,
    )


def wires_into(flow: Flow, socket: Socket) -> list[Wire]:
    """The wires that end at `socket`, in the order in which their values are taken."""
    found = [wire for wire in flow.wires if wire.target == socket]
    return sorted(found, key=lambda wire: (wire.index or 0, wire.sort_key))


def rewired(
    flow: Flow, moved: WireMap
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


def counted(count: int, noun: str) -> str:
    """Say how many things a change is about."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def spaced(name: str) -> str:
    """Write the name of a port or setting as words."""
    return name.replace("_", " ")
