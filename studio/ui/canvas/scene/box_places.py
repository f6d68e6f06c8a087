"""The frames and notes of a flow: where they are shown, and which of them is at a point. No Qt."""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Literal, NamedTuple

from studio.flow.edits.boxes import BAR, Place, Things, hidden_things, standing_in
from studio.flow.records import Flow, Frame, Layout, Note
from studio.ids import NodeId
from studio.ui.canvas.camera import Rect

FOLDED_WIDTH, TITLE = BAR
"""The width of a collapsed frame; the height of one, and of every frame's title."""
EDGE_REACH = 6.0
"""Widget points around an edge in which a press takes the edge."""

Edges = tuple[int, int]
"""Which edges a hand has: -1 left or upper, 1 right or lower, 0 neither."""

NO_EDGES: Edges = (0, 0)


class Key(NamedTuple):
    """One frame or note."""

    kind: Literal["frame", "note"]
    name: str


class Standing:
    """What stands beside the nodes; `flow` gives the flow as it is now."""

    def __init__(self, flow: Callable[[], Flow]) -> None:
        self._flow = flow
        self._read: Layout | None = None
        self._hidden = Things()
        self._rects: dict[Key, Rect] = {}
        self.held: Mapping[Key, Rect] = {}
        """Those in the hand, and where it has them."""

    @property
    def hidden(self) -> Things:
        """What collapsed frames hide."""
        self._follow()
        return self._hidden

    def rects(self) -> Mapping[Key, Rect]:
        """Where frames and notes are shown: what lies around others first, hidden ones left out."""
        self._follow()
        return self._rects

    def rect(self, key: Key) -> Rect | None:
        """Where one is shown just now; None where it is hidden or gone."""
        return self.held.get(key) or self.rects().get(key)

    def box(self, key: Key) -> Frame | Note | None:
        """The record of one."""
        layout = self._flow().layout
        return layout.frames.get(key.name) if key.kind == "frame" else layout.notes.get(key.name)

    def frame(self, key: Key) -> Frame | None:
        """The record of a frame; None for notes."""
        return self._flow().layout.frames.get(key.name) if key.kind == "frame" else None

    def hit(self, x: float, y: float, reach: float) -> tuple[Key, Edges] | None:
        """What a press at a scene point takes; a frame only by its title and edges."""
        for key, rect in reversed(list(self.rects().items())):
            if not rect.grown(reach).contains(x, y):
                continue
            frame = self.frame(key)
            edges = NO_EDGES if frame is not None and frame.holds else _edges(rect, x, y, reach)
            if edges != NO_EDGES:
                return key, edges
            if rect.contains(x, y) and (frame is None or y <= rect.y + TITLE):
                return key, NO_EDGES
        return None

    def touched(self, box: Rect) -> tuple[frozenset[str], frozenset[str]]:
        """The frames that lie wholly in a rectangle, and the notes that touch it."""
        rects = self.rects().items()
        frames = [
            key.name
            for key, rect in rects
            if key.kind == "frame" and box.contains(rect.x, rect.y) and box.contains(rect.right, rect.bottom)
        ]
        return frozenset(frames), frozenset(
            key.name for key, rect in rects if key.kind == "note" and rect.meets(box)
        )

    def inside(self, name: str, rects: Mapping[NodeId, Place]) -> Things:
        """What stands in a frame."""
        return standing_in(self._flow(), name, rects)

    def _follow(self) -> None:
        layout = self._flow().layout
        if layout is self._read:
            return
        self._read = layout
        self._hidden = hidden_things(self._flow())
        frames = [
            (Key("frame", name), _frame_rect(frame))
            for name, frame in layout.frames.items()
            if name not in self._hidden.frames
        ]
        frames.sort(key=lambda one: (-one[1].width * one[1].height, one[0].name))
        notes = [
            (Key("note", name), Rect(note.x, note.y, note.width, note.height))
            for name, note in sorted(layout.notes.items())
            if name not in self._hidden.notes
        ]
        self._rects = dict([*frames, *notes])


def around_all(rects: Sequence[Rect]) -> Rect | None:
    """The smallest rectangle around all of them; None around none."""
    return reduce(Rect.united, rects) if rects else None


def resized(rect: Rect, edges: Edges, dx: float, dy: float, least: tuple[float, float]) -> Rect:
    """The rectangle after its edges were pulled, not smaller than `least`."""
    left, right = rect.x, rect.right
    top, bottom = rect.y, rect.bottom
    if edges[0] < 0:
        left = min(left + dx, right - least[0])
    elif edges[0] > 0:
        right = max(right + dx, left + least[0])
    if edges[1] < 0:
        top = min(top + dy, bottom - least[1])
    elif edges[1] > 0:
        bottom = max(bottom + dy, top + least[1])
    return Rect(left, top, right - left, bottom - top)


def _frame_rect(frame: Frame) -> Rect:
    if frame.holds:
        return Rect(frame.x, frame.y, FOLDED_WIDTH, TITLE)
    return Rect(frame.x, frame.y, frame.width, frame.height)


def _edges(rect: Rect, x: float, y: float, reach: float) -> Edges:
    across = -1 if abs(x - rect.x) <= reach else 1 if abs(x - rect.right) <= reach else 0
    down = -1 if abs(y - rect.y) <= reach else 1 if abs(y - rect.bottom) <= reach else 0
    return across, down
