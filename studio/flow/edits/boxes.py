"""Edits of what stands beside nodes: frames around them, notes, and what is collapsed."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from studio.errors import EditRefusedError
from studio.flow.change import Change, Swap
from studio.flow.records import Flow, Frame, Note, title_of
from studio.ids import NodeId, slug

LEAST_FRAME = (120, 64)
LEAST_NOTE = (96, 40)
"""The least width and height that these can be given."""

BAR = (240, 30)
"""Width and height of a collapsed frame."""

_FRAMES, _NOTES = "frames.", "notes."

Place = tuple[float, float, float, float]
"""Left, top, width, height."""

_Box = TypeVar("_Box", Frame, Note)


@dataclass(frozen=True, slots=True)
class Things:
    """Some of what stands on the canvas, by id."""

    nodes: frozenset[NodeId] = frozenset()
    frames: frozenset[str] = frozenset()
    notes: frozenset[str] = frozenset()

    def united(self, other: "Things") -> "Things":
        """What is in either."""
        return Things(self.nodes | other.nodes, self.frames | other.frames, self.notes | other.notes)


@dataclass(slots=True)
class Copied:
    """The swaps that add copies of frames and notes."""

    frames: dict[str, Swap[Frame]] = field(default_factory=dict[str, Swap[Frame]])
    notes: dict[str, Swap[Note]] = field(default_factory=dict[str, Swap[Note]])


def add_frame(flow: Flow, frame: Frame) -> tuple[str, Change]:
    """Put a frame on the canvas; gives its id."""
    name = slug("frame", flow.layout.frames)
    return name, Change("Add frame", frames={name: (None, _at_least(frame, LEAST_FRAME))})


def add_note(flow: Flow, note: Note) -> tuple[str, Change]:
    """Put a note on the canvas; gives its id."""
    name = slug("note", flow.layout.notes)
    return name, Change("Add note", notes={name: (None, _at_least(note, LEAST_NOTE))})


def set_frame(flow: Flow, name: str, frame: Frame, label: str = "Change frame") -> Change:
    """Replace a frame: title, colour, place, size."""
    before = _frame(flow, name)
    after = _at_least(frame, LEAST_FRAME)
    return Change(label, frames={name: (before, after)} if before != after else {})


def set_note(flow: Flow, name: str, note: Note, label: str = "Change note") -> Change:
    """Replace a note: text, place, size."""
    before = flow.layout.notes.get(name)
    if before is None:
        raise EditRefusedError(f"There is no note `{name}` in this flow.")
    after = _at_least(note, LEAST_NOTE)
    return Change(label, notes={name: (before, after)} if before != after else {})


def remove_boxes(flow: Flow, frames: Iterable[str], notes: Iterable[str]) -> Change:
    """Take frames and notes away; what a collapsed frame hid is seen again."""
    gone = {name: flow.layout.frames[name] for name in frames if name in flow.layout.frames}
    torn = {name: flow.layout.notes[name] for name in notes if name in flow.layout.notes}
    left = let_go(flow, Things(frames=frozenset(gone), notes=frozenset(torn)))
    parts = [_counted(len(gone), "frame")] if gone else []
    parts += [_counted(len(torn), "note")] if torn else []
    return Change(
        f"Delete {' and '.join(parts)}",
        frames={**left, **{name: (frame, None) for name, frame in gone.items()}},
        notes={name: (note, None) for name, note in torn.items()},
    )


def let_go(flow: Flow, gone: Things, instead: Iterable[NodeId] = ()) -> dict[str, Swap[Frame]]:
    """The collapsed frames that hide what goes, and hide it no longer: another of its name shall be seen.

    `instead` are nodes that come in the place of what goes; a frame that hid all of that hides them.
    """
    names = {
        *map(str, gone.nodes),
        *(_FRAMES + one for one in gone.frames),
        *(_NOTES + one for one in gone.notes),
    }
    swaps: dict[str, Swap[Frame]] = {}
    for name, frame in flow.layout.frames.items():
        if names.isdisjoint(frame.holds):
            continue
        kept = [one for one in frame.holds if one not in names]
        if names <= set(frame.holds):
            kept = sorted({*kept, *map(str, instead)})
        swaps[name] = (frame, replace(frame, holds=tuple(kept)))
    return swaps


def shift(flow: Flow, things: Things, dx: int, dy: int) -> Change:
    """Move frames and notes by as much; nodes are moved by `edits.move`."""
    frames, notes = flow.layout.frames, flow.layout.notes
    return Change(
        "Move",
        frames={name: _shifted(frames[name], dx, dy) for name in things.frames if name in frames},
        notes={name: _shifted(notes[name], dx, dy) for name in things.notes if name in notes},
    )


def copied(flow: Flow, fragment: Flow, names: Mapping[NodeId, NodeId], dx: int, dy: int) -> Copied:
    """Copies of a fragment's frames and notes under new ids; `names` has those of its nodes."""
    renamed: dict[str, str] = {str(old): str(new) for old, new in names.items()}
    for kind, word, have, fresh in (
        (_FRAMES, "frame", flow.layout.frames, fragment.layout.frames),
        (_NOTES, "note", flow.layout.notes, fragment.layout.notes),
    ):
        taken = set(have)
        for name in sorted(fresh):
            renamed[kind + name] = slug(word, taken)
            taken.add(renamed[kind + name])
    result = Copied()
    for name, frame in fragment.layout.frames.items():
        holds = tuple(_kind(one) + renamed[one] for one in frame.holds if one in renamed)
        moved = replace(frame, x=frame.x + dx, y=frame.y + dy, holds=holds)
        result.frames[renamed[_FRAMES + name]] = (None, moved)
    for name, note in fragment.layout.notes.items():
        result.notes[renamed[_NOTES + name]] = (None, replace(note, x=note.x + dx, y=note.y + dy))
    return result


def standing_in(flow: Flow, name: str, rects: Mapping[NodeId, Place]) -> Things:
    """What a frame holds: nodes by their middle, frames and notes that lie wholly inside.

    `rects` has where the nodes stand. A collapsed frame holds what it hides, wherever that stands, and
    nothing else does, but what holds that frame.
    """
    frame = _frame(flow, name)
    if frame.holds:
        return _hidden_by(flow, name)
    right, bottom = frame.x + frame.width, frame.y + frame.height
    hidden = hidden_things(flow)
    nodes = (
        node
        for node, (x, y, width, height) in rects.items()
        if frame.x <= x + width / 2 <= right and frame.y <= y + height / 2 <= bottom
    )
    frames = {
        other
        for other, one in flow.layout.frames.items()
        if other not in hidden.frames | {name} and _lies_in(_seen(one), frame)
    }
    notes = {other for other, one in flow.layout.notes.items() if _lies_in(one, frame)}
    found = Things(frozenset(nodes) - hidden.nodes, frozenset(frames), frozenset(notes) - hidden.notes)
    for other in frames:
        if flow.layout.frames[other].holds:
            found = found.united(_hidden_by(flow, other))
    return found


def hidden_things(flow: Flow) -> Things:
    """Everything that collapsed frames hide."""
    found = Things()
    for name, frame in flow.layout.frames.items():
        if frame.holds:
            found = found.united(_hidden_by(flow, name))
    return found


def collapse(flow: Flow, nodes: Collection[NodeId]) -> Change:
    """Collapse these nodes, or unfold them where all of them are collapsed."""
    known = frozenset(node for node in nodes if node in flow.nodes)
    titles = title_of(flow, next(iter(known))) if len(known) == 1 else _counted(len(known), "node")
    if known <= flow.layout.collapsed:
        return Change(f"Expand {titles}", expanded=known)
    return Change(f"Collapse {titles}", collapsed=known - flow.layout.collapsed)


def collapse_frame(flow: Flow, name: str, holds: Things) -> Change:
    """Hide what a frame holds behind its title; raises `EditRefusedError` where that is nothing."""
    frame = _frame(flow, name)
    hidden = (
        *sorted(str(node) for node in holds.nodes),
        *sorted(_FRAMES + one for one in holds.frames if one != name),
        *sorted(_NOTES + one for one in holds.notes),
    )
    if not hidden:
        raise EditRefusedError("This frame has nothing to hide.")
    return Change("Collapse frame", frames={name: (frame, replace(frame, holds=hidden))})


def unfold_frame(flow: Flow, name: str) -> Change:
    """Show again what a frame hides."""
    frame = _frame(flow, name)
    return Change("Expand frame", frames={name: (frame, replace(frame, holds=()))} if frame.holds else {})


def _hidden_by(flow: Flow, name: str) -> Things:
    nodes: set[NodeId] = set()
    frames: set[str] = set()
    notes: set[str] = set()
    waiting, seen = [name], {name}
    while waiting:
        for one in flow.layout.frames[waiting.pop()].holds:
            kind, other = _kind(one), one.removeprefix(_kind(one))
            if kind == _NOTES and other in flow.layout.notes:
                notes.add(other)
            elif kind == _FRAMES and other in flow.layout.frames and other not in seen:
                seen.add(other)
                frames.add(other)
                waiting.append(other)
            elif not kind and one in flow.nodes:
                nodes.add(NodeId(one))
    return Things(frozenset(nodes), frozenset(frames), frozenset(notes))


def _kind(text: str) -> str:
    return next((kind for kind in (_FRAMES, _NOTES) if text.startswith(kind)), "")


def _frame(flow: Flow, name: str) -> Frame:
    frame = flow.layout.frames.get(name)
    if frame is None:
        raise EditRefusedError(f"There is no frame `{name}` in this flow.")
    return frame


def _lies_in(inner: Frame | Note, outer: Frame) -> bool:
    """Whether one lies wholly in a larger one."""
    return (
        outer.x <= inner.x
        and outer.y <= inner.y
        and inner.x + inner.width <= outer.x + outer.width
        and inner.y + inner.height <= outer.y + outer.height
        and (inner.width, inner.height) != (outer.width, outer.height)
    )


def _seen(frame: Frame) -> Frame:
    """A frame as large as it is shown."""
    return replace(frame, width=BAR[0], height=BAR[1]) if frame.holds else frame


def _at_least(box: _Box, least: tuple[int, int]) -> _Box:
    return replace(box, width=max(box.width, least[0]), height=max(box.height, least[1]))


def _shifted(box: _Box, dx: int, dy: int) -> tuple[_Box, _Box]:
    return box, replace(box, x=box.x + dx, y=box.y + dy)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}s" if count != 1 else f"a {noun}"
