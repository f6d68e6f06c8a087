"""The order of the wires into a list input: which value comes first."""

from collections.abc import Sequence
from dataclasses import replace

from studio.flow.change import Change, difference
from studio.flow.edits import connect, wires_into
from studio.flow.ports import AFTER
from studio.flow.records import Flow, Library, Socket, Wire, title_of


def place_of(flow: Flow, wire: Wire) -> int | None:
    """Which value of its list a wire brings, from 0; None where it is alone or order means nothing."""
    if wire.index is None or wire.target.port == AFTER:
        return None
    listed = wires_into(flow, wire.target)
    return listed.index(wire) if len(listed) > 1 and wire in listed else None


def put_at(flow: Flow, wire: Wire, place: int) -> Change:
    """Let a wire bring the value at `place` (from 0) of its list; the others keep their order."""
    others = [one for one in wires_into(flow, wire.target) if one != wire]
    at = max(0, min(place, len(others)))
    label = f"Put a wire at place {at + 1} of {title_of(flow, wire.target.node)}"
    return _numbered(flow, [*others[:at], wire, *others[at:]], label)


def connect_at(flow: Flow, source: Socket, target: Socket, place: int, library: Library) -> Change:
    """Wire an output to a list input so that its value comes at `place` (from 0).

    Raises `EditRefusedError` with the reason when the flow's rules forbid it.
    """
    change = connect(flow, source, target, library)
    drawn = next(iter(change.added))
    grown = change.applied_to(flow)
    return change.then(put_at(grown, drawn, place)).labelled(change.label)


def moved(flow: Flow, wire: Wire, place: int) -> Wire:
    """What a wire is called once `put_at` has put it at a place."""
    count = len(wires_into(flow, wire.target))
    return replace(wire, index=max(0, min(place, count - 1)))


def _numbered(flow: Flow, wires: Sequence[Wire], label: str) -> Change:
    """Number these wires 0, 1, 2 …; their bends go along."""
    names = {wire: replace(wire, index=index) for index, wire in enumerate(wires)}
    texts = {str(old): str(new) for old, new in names.items()}
    listed = sorted((names.get(wire, wire) for wire in flow.wires), key=lambda wire: wire.sort_key)
    bends = {texts.get(text, text): points for text, points in flow.layout.bends.items()}
    after = replace(flow, wires=tuple(listed), layout=replace(flow.layout, bends=bends))
    return difference(flow, after, label)
