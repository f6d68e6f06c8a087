"""Things with places that are put beside and beneath one another, blocks within blocks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from studio.flow.layout.columns import Layers, layers_of
from studio.flow.records import Frame, Note, Point
from studio.ids import NodeId

COLUMN_GAP = 80
ROW_GAP = 40
LANE = 40
"""The height that is left free for a wire where it passes a column."""
STRAIGHT = 3
"""How much harder a long wire pulls than a short one."""
_GRID = 10


@dataclass(slots=True)
class Block:
    """Things with places relative to their common upper left corner."""

    width: int = 0
    height: int = 0
    places: dict[NodeId, Point] = field(default_factory=dict[NodeId, Point])
    frames: dict[str, Frame] = field(default_factory=dict[str, Frame])
    notes: dict[str, Note] = field(default_factory=dict[str, Note])

    def put(self, other: "Block", x: int, y: int) -> None:
        """Place another block inside this one, which grows as far as needed."""
        for name, place in other.places.items():
            self.places[name] = Point(place.x + x, place.y + y)
        for name, frame in other.frames.items():
            self.frames[name] = replace(frame, x=frame.x + x, y=frame.y + y)
        for name, note in other.notes.items():
            self.notes[name] = replace(note, x=note.x + x, y=note.y + y)
        self.width = max(self.width, x + other.width)
        self.height = max(self.height, y + other.height)


def columns(blocks: Mapping[NodeId, Block], edges: Sequence[tuple[NodeId, NodeId]]) -> Block:
    """Put blocks into columns by how much lies before them, each level with what it is wired to."""
    layers = layers_of(list(blocks), edges)
    heights = [blocks[name].height + ROW_GAP for name in layers.names]
    heights += [LANE] * (len(layers.before) - len(heights))
    tops = _levelled(layers, heights)
    whole = Block()
    x = 0
    for column in layers.columns:
        shown = [slot for slot in column if slot < len(layers.names)]
        y: int | None = None
        for slot in shown:
            block = blocks[layers.names[slot]]
            top = snapped(round(tops[slot]))
            y = top if y is None else max(y, top)
            if block.places:
                whole.put(block, x, y)
            y += snapped(block.height + ROW_GAP)
        if shown:
            x += snapped(max(blocks[layers.names[slot]].width for slot in shown) + COLUMN_GAP)
    return whole


def _levelled(layers: Layers, heights: Sequence[int]) -> list[float]:
    """Upper edges at which slots are level with their neighbours, each column in its order, none above 0."""
    tops = [0.0] * len(heights)
    for column in layers.columns:
        y = 0.0
        for slot in column:
            tops[slot] = y
            y += heights[slot]
    for forward in (True, False, True, False):
        columns, beside = (layers.columns, layers.before) if forward else (layers.columns[::-1], layers.after)
        for column in columns[1:]:
            _level(column, beside, tops, heights, len(layers.names))
    highest = min(tops, default=0.0)
    return [top - highest for top in tops]


def _level(
    column: Sequence[int],
    beside: Sequence[Sequence[int]],
    tops: list[float],
    heights: Sequence[int],
    passing_from: int,
) -> None:
    """Bring one column near the middles of its neighbours, as far as its order and heights let it.

    Slots from `passing_from` on are wires that pass: they pull harder, since a long wire is to be straight.
    """
    wanted: list[float] = []
    for slot in column:
        pulls = [
            (STRAIGHT if one >= passing_from else 1, tops[one] + heights[one] / 2) for one in beside[slot]
        ]
        total = sum(weight for weight, _ in pulls)
        middle = sum(weight * at for weight, at in pulls) / total if pulls else tops[slot] + heights[slot] / 2
        wanted.append(middle - heights[slot] / 2)
    y = float("-inf")
    for slot, want in zip(column, wanted, strict=True):
        tops[slot] = max(y, want)
        y = tops[slot] + heights[slot]
    drift = sum(tops[slot] - want for slot, want in zip(column, wanted, strict=True)) / max(len(column), 1)
    for slot in column:
        tops[slot] -= drift


def stacked(blocks: Sequence[Block]) -> Block:
    """Blocks beneath each other, their left edges in line."""
    column = Block()
    y = 0
    for block in blocks:
        column.put(block, 0, y)
        y += snapped(block.height + ROW_GAP)
    return column


def side_by_side(parts: Sequence[Block], *, margin: int = 0) -> Block:
    """Columns next to each other, each centred on the tallest."""
    tallest = max((column.height for column in parts), default=0)
    whole = Block()
    x = margin
    for column in parts:
        whole.put(column, x, margin + snapped((tallest - column.height) // 2))
        x += snapped(column.width + COLUMN_GAP)
    whole.width += margin
    whole.height += margin
    return whole


def snapped(number: int) -> int:
    """The next number of the grid, not below."""
    return -(-number // _GRID) * _GRID
