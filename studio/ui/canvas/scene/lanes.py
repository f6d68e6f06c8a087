"""Ways past the cards for wires that would run beneath one: where a tidied flow bends its wires."""

from collections.abc import Iterable, Mapping
from itertools import pairwise

import numpy as np

from studio.flow.records import Point, Wire
from studio.ids import NodeId
from studio.ui.canvas.buffers import Floats
from studio.ui.canvas.scene.scene import Scene
from studio.ui.canvas.scene.wires import cubics, led, points_on

CLEAR = 14
"""Between a card and a wire that is led past it."""
APART = 9
"""Between two wires from different ports that are led beside each other."""
AHEAD = 60
"""Wires whose end is nearer than this have no room for a way of their own."""
MOST = 400_000
"""From so many pairs of wire and card on wires stay as they are: a person waits for it."""
_STEPS = 48
_TRIES = 8

_Lane = tuple[float, float, float, int]
"""From left to right at a height, for wires of this row of nodes."""


def ways_past(
    scene: Scene,
    places: Mapping[NodeId, Point],
    wires: Iterable[Wire],
    bent: Mapping[Wire, tuple[Point, ...]],
) -> dict[Wire, tuple[Point, ...]]:
    """Bends for those of `wires` that would run beneath cards, were the nodes at `places`.

    Wires that are `bent` already keep their way, and the others keep clear of them.
    """
    rows = scene.rows_of_wires
    free = sorted((wire for wire in wires if wire not in bent), key=lambda one: one.sort_key)
    chosen = np.array([scene.wire_row[wire] for wire in free], dtype=np.int64)
    if not len(chosen) or len(chosen) * len(scene.ids) > MOST:
        return {}
    homes = scene.home.copy()
    for node, point in places.items():
        homes[scene.row[node]] = point.x, point.y
    scene.settle(homes)
    ends, rects = rows.ends.copy(), scene.rects.copy()
    scene.settle()
    cards = _Cards(rects, np.nonzero(scene.has_card)[0])
    taken = [
        (float(one.x), float(other.x), float(one.y), scene.row[wire.source.node])
        for wire, points in bent.items()
        for one, other in pairwise(points)
        if one.y == other.y
    ]
    found: dict[Wire, tuple[Point, ...]] = {}
    by_length = sorted(zip(chosen.tolist(), free, strict=True), key=lambda one: _length(ends[one[0]]))
    for row, wire in by_length:
        if wire.source.node in scene.hidden or wire.target.node in scene.hidden:
            continue
        own = int(rows.sources[row]), int(rows.targets[row])
        lane = _lane(cards, ends[row], rows.ways[row], own, taken)
        if lane is not None:
            taken.append(lane)
            left, right, y, _ = lane
            found[wire] = Point(round(left), round(y)), Point(round(right), round(y))
    return found


class _Cards:
    """The boxes that a wire keeps clear of."""

    def __init__(self, rects: Floats, rows: np.ndarray) -> None:
        self.rows = rows
        x, y, width, height = rects[rows].T
        self.left, self.top, self.right, self.bottom = x, y, x + width, y + height

    def beneath(self, curves: Floats, own: tuple[int, int]) -> np.ndarray:
        """Which cards, but those at the wire's ends, lie over a point of these curves."""
        on = points_on(curves, _STEPS).reshape(-1, 2)
        x, y = on[:, :1], on[:, 1:]
        covers = (x > self.left - 2) & (x < self.right + 2) & (y > self.top - 2) & (y < self.bottom + 2)
        return covers.any(axis=0) & ~np.isin(self.rows, own)


def _length(ends: Floats) -> float:
    return float(ends[2] - ends[0])


def _lane(
    cards: _Cards, ends: Floats, ways: Floats, own: tuple[int, int], taken: list[_Lane]
) -> _Lane | None:
    """The nearest way past the cards in which nothing lies over the wire; None where it has to stay."""
    if ways.tolist() != [1, 0, -1, 0] or ends[2] - ends[0] < AHEAD:
        return None
    over = cards.beneath(cubics(ends[None], ways[None, :2], ways[None, 2:]), own)
    if not over.any():
        return None
    left = max(float(cards.left[over].min()) - CLEAR, float(ends[0]) + CLEAR)
    right = min(float(cards.right[over].max()) + CLEAR, float(ends[2]) - CLEAR)
    if left >= right:
        return None
    beside = (cards.right > left) & (cards.left < right)
    tops, bottoms = cards.top[beside], cards.bottom[beside]
    tries = {float(ends[1]), float(ends[3])}
    for step in range(3):
        tries |= set((tops - CLEAR - step * (APART + 1)).tolist())
        tries |= set((bottoms + CLEAR + step * (APART + 1)).tolist())
    heights = [
        y
        for y in sorted(tries, key=lambda y: (abs(y - ends[1]) + abs(y - ends[3]), y))
        if not ((tops - CLEAR < y) & (y < bottoms + CLEAR)).any()
        and not _is_taken(left, right, y, own[0], taken)
    ]
    for y in heights[:_TRIES]:
        if not cards.beneath(led(ends, ways, [(left, y), (right, y)]), own).any():
            return left, right, y, own[0]
    return None


def _is_taken(left: float, right: float, y: float, source: int, taken: list[_Lane]) -> bool:
    return any(
        other != source and abs(y - at) < APART and left < end and start < right
        for start, end, at, other in taken
    )
