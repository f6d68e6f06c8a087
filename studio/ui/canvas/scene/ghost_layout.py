"""Where ghosts stand among themselves: what grew out of something, or waits for it, to the right of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np

from studio.ui.canvas.buffers import Floats

WIDTH, HEIGHT, HEAD = 184, 46, 24
"""How large a ghost is, and how high the line above them, in scene units."""
ACROSS, DOWN = 44, 12
"""Scene units between two ghosts."""
MANY = 8
"""Ghosts that nothing joins which stand one below the other; more stand in columns."""
RELATION = 1.6
"""How much wider than high such a block is about."""


@dataclass(frozen=True, slots=True)
class Ghost:
    """What a step makes: `of` and `after` have keys of others; `tone` is a state colour without `state.`."""

    key: str
    title: str
    tone: str = "skipped"
    note: str = ""
    """What came of it, in a line."""
    figure: str = ""
    """How it was judged."""
    of: str = ""
    after: tuple[str, ...] = ()
    mark: str = ""
    """The category of the node that it would be; empty for none."""
    is_dropped: bool = False
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Laid:
    """Ghosts with their rectangles from (0, 0), and the wires among them, `is_growth` for those of `of`."""

    ghosts: Sequence[Ghost]
    rects: Floats
    curves: Floats
    is_growth: Sequence[bool]
    width: float
    height: float


def lay_out(ghosts: Sequence[Ghost]) -> Laid:
    """Put each to the right of all that it needs, the first of its kind beside it and others below."""
    by_key = {ghost.key: place for place, ghost in enumerate(ghosts)}
    needs = [_needs(ghost, by_key, place) for place, ghost in enumerate(ghosts)]
    columns = _columns(needs)
    if not any(needs):
        rows = _block(len(ghosts), columns)
    elif any(sum(one in by_key for one in ghost.after) > 1 for ghost in ghosts):
        rows = _layers(needs, columns)
    else:
        rows = _rows(needs, columns)
    rects = np.array(
        [
            (column * (WIDTH + ACROSS), row * (HEIGHT + DOWN), WIDTH, HEIGHT)
            for column, row in zip(columns, rows, strict=True)
        ],
        dtype=np.float64,
    ).reshape(-1, 4)
    links = list(_links(ghosts, by_key))
    curves = np.array([_curve(rects[first], rects[last]) for first, last, _ in links]).reshape(-1, 8)
    width = float((rects[:, 0] + rects[:, 2]).max()) if len(rects) else 0.0
    height = float((rects[:, 1] + rects[:, 3]).max()) if len(rects) else 0.0
    return Laid(ghosts, rects, curves, [is_growth for _, _, is_growth in links], width, height)


def _needs(ghost: Ghost, by_key: Mapping[str, int], place: int) -> list[int]:
    """The places of what stands left of a ghost; what is named but is not there does not count."""
    named = (*ghost.after, ghost.of) if ghost.of else ghost.after
    return [by_key[one] for one in named if by_key.get(one, place) != place]


def _columns(needs: Sequence[Sequence[int]]) -> list[int]:
    """How many others stand left of each, at most; those in a circle as if they were told in their order."""
    columns = [0] * len(needs)
    done = [False] * len(needs)
    for start in range(len(needs)):
        waiting, under_way = [start], set[int]()
        while waiting:
            one = waiting[-1]
            left = [other for other in needs[one] if not done[other] and other not in under_way]
            if done[one] or not left:
                columns[one] = max((columns[other] + 1 for other in needs[one] if done[other]), default=0)
                done[one] = True
                waiting.pop()
            else:
                under_way.add(one)
                waiting.extend(left)
    return columns


def _rows(needs: Sequence[Sequence[int]], columns: Sequence[int]) -> list[int]:
    """The first that follows stands beside, each further one below all that stand there already."""
    follows: list[list[int]] = [[] for _ in needs]
    firsts: list[int] = []
    for place, before in enumerate(needs):
        left = [one for one in before if columns[one] < columns[place]]
        if left:
            follows[max(left, key=lambda one: (columns[one], -one))].append(place)
        else:
            firsts.append(place)
    rows, free = [0] * len(needs), 0
    waiting = [(one, True) for one in reversed(firsts)]
    while waiting:
        place, is_below = waiting.pop()
        free += is_below
        rows[place] = free - 1
        following = follows[place]
        waiting.extend((one, True) for one in reversed(following[1:]))
        waiting.extend((one, False) for one in following[:1])
    return rows


def _layers(needs: Sequence[Sequence[int]], columns: Sequence[int]) -> list[int]:
    """Where one may wait for several: each column from the top, in the order of what stands left of it."""
    rows = [0] * len(needs)
    for column in range(max(columns) + 1):
        places = [place for place, one in enumerate(columns) if one == column]

        def middle(place: int) -> float:
            left = [rows[one] for one in needs[place]]
            return sum(left) / len(left) if left else 0.0

        for row, place in enumerate(sorted(places, key=middle)):
            rows[place] = row
    return rows


def _block(count: int, columns: list[int]) -> list[int]:
    """Where nothing joins them: one below the other, or many in columns."""
    if count <= MANY:
        return list(range(count))
    high = max(MANY, ceil(sqrt(count * (WIDTH + ACROSS) / (HEIGHT + DOWN) / RELATION)))
    columns[:] = [place // high for place in range(count)]
    return [place % high for place in range(count)]


def _links(ghosts: Sequence[Ghost], by_key: Mapping[str, int]) -> Iterator[tuple[int, int, bool]]:
    for place, ghost in enumerate(ghosts):
        waits = [by_key[one] for one in ghost.after if by_key.get(one, place) != place]
        for one in waits:
            yield one, place, False
        if not waits and by_key.get(ghost.of, place) != place:  # else the first of them says it for all
            yield by_key[ghost.of], place, True


def _curve(first: Floats, last: Floats) -> list[float]:
    x0, y0 = float(first[0] + first[2]), float(first[1] + first[3] / 2)
    x1, y1 = float(last[0]), float(last[1] + last[3] / 2)
    swing = max(ACROSS / 2, min(abs(x1 - x0) / 2, 80))
    return [x0, y0, x0 + swing, y0, x1 - swing, y1, x1, y1]
