"""The shapes of wires: cubics from port to port, as arrays; tessellated for drawing, sampled for hits."""

from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from studio.ui.canvas.buffers import Floats

Ints = npt.NDArray[np.int64]

_STEPS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 36)
TOLERANCE = 0.3
"""Device pixels by which a drawn wire may miss its curve."""

TURN = 18.0
"""Wires whose end lies less than this ahead turn back between the cards, unless they are level."""


def cubics(ends: Floats, source_way: Floats, target_way: Floats) -> Floats:
    """Control points (n, 8) of wires between `ends` (n, 4); ways are unit vectors out of the ports.

    A wire swings half the distance that it goes on, and some of the distance that it goes aside.
    """
    delta = ends[:, 2:] - ends[:, :2]
    along = (delta * source_way).sum(axis=1)
    across = np.abs(delta).sum(axis=1) - np.abs(along)
    ahead = np.maximum(along * 0.5, np.minimum(24 + across * 0.25, 72))
    back = np.minimum(48 + np.abs(along) * 0.3 + across * 0.08, 160)
    far: Floats = np.asarray(np.where(along > 0, ahead, back), dtype=np.float64)
    reach = far.reshape(-1, 1)
    return np.hstack(
        [ends[:, :2], ends[:, :2] + source_way * reach, ends[:, 2:] + target_way * reach, ends[:, 2:]]
    )


def turning(ends: Floats, ways: Floats) -> Ints:
    """The rows of the wires that end behind their beginning, and have to turn back."""
    ahead, aside = ends[:, 2] - ends[:, 0], np.abs(ends[:, 3] - ends[:, 1])
    is_short = (ahead >= 0) & (aside < TURN)
    return np.nonzero((ahead < TURN) & ~is_short & (ways[:, 0] > 0) & (ways[:, 2] < 0))[0]


def led(ends: Floats, ways: Floats, bends: Sequence[tuple[float, float]]) -> Floats:
    """The curves of one wire through its bends, meeting without a corner (tangents as Catmull and Rom)."""
    on = np.array([ends[:2], *bends, ends[2:]])
    steps = np.diff(on, axis=0)
    far = np.hypot(*steps.T).reshape(-1, 1)
    heading = np.empty_like(on)
    heading[0], heading[-1] = ways[:2], -ways[2:]
    across = on[2:] - on[:-2]
    length = np.hypot(*across.T).reshape(-1, 1)
    heading[1:-1] = across / np.where(length == 0, 1, length)
    reach = far * 0.36
    return np.hstack([on[:-1], on[:-1] + heading[:-1] * reach, on[1:] - heading[1:] * reach, on[1:]])


def turned(ends: Floats, levels: Floats) -> tuple[Floats, Floats, Floats]:
    """Three pieces for each wire that has to go back to the left: out to its level, along it, and home.

    `levels` are the heights at which they may pass without crossing the cards at their ends.
    """
    x0, y0, x1, y1 = ends.T
    swing = np.minimum(36 + np.abs(levels - y0) * 0.18, 68)
    home = np.minimum(36 + np.abs(y1 - levels) * 0.18, 68)
    bend = np.minimum((x0 - x1) / 2, 110)
    left, right = x1 + bend, x0 - bend
    flat = np.maximum(bend, 28)
    out = np.stack([x0, y0, x0 + swing * 1.4, y0, right + flat + swing * 1.2, levels, right, levels], axis=1)
    third = (right - left) / 3
    along = np.stack([right, levels, right - third, levels, left + third, levels, left, levels], axis=1)
    back = np.stack([left, levels, left - flat - home * 1.2, levels, x1 - home * 1.4, y1, x1, y1], axis=1)
    return out, along, back


def bounds(curves: Floats) -> Floats:
    """Boxes (n, 4) as left, top, right, bottom of the control points: a cubic never leaves them."""
    points = curves.reshape(-1, 4, 2)
    return np.hstack([points.min(axis=1), points.max(axis=1)])


def points_on(curves: Floats, steps: int) -> Floats:
    """Points (n, steps + 1, 2) at equal parameters."""
    weights = _bernstein(steps)
    points = np.empty((len(curves), steps + 1, 2))
    points[..., 0] = curves[:, 0::2] @ weights
    points[..., 1] = curves[:, 1::2] @ weights
    return points


@cache
def _bernstein(steps: int) -> Floats:
    """How much (4, steps + 1) each control point weighs at equal parameters."""
    t = np.linspace(0.0, 1.0, steps + 1)
    return np.stack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3])


def _swing(curves: Floats) -> Floats:
    """How far (n) each curve turns aside from where it is heading, in units of its control points.

    The bound by which Wang (1984) tells into how many equal pieces a cubic has to be cut: the square root
    of 3/4 of it over the tolerance. What merely hurries along needs no further piece, so the part of it
    along the chord counts only as far as the curve heads elsewhere.
    """
    points = curves.reshape(-1, 4, 2)
    chord = points[:, 3] - points[:, 0]
    along = (chord / np.maximum(np.hypot(chord[:, 0], chord[:, 1]), 1e-9)[:, None])[:, None]
    legs = points[:, 1:] - points[:, :-1]
    ahead: Floats = (legs * along).sum(axis=2)
    aside: Floats = np.abs(legs[..., 0] * along[..., 1] - legs[..., 1] * along[..., 0])
    sine: Floats = aside / np.maximum(np.hypot(legs[..., 0], legs[..., 1]), 1e-9)
    sine[ahead < 0] = 1
    bend = legs[:, 1:] - legs[:, :-1]
    on: Floats = np.abs((bend * along).sum(axis=2)).max(axis=1)
    off: Floats = np.abs(bend[..., 0] * along[..., 1] - bend[..., 1] * along[..., 0]).max(axis=1)
    return off + on * sine.max(axis=1)


def runs(lines: Floats, ratio: float) -> Floats:
    """Rectangles (m, 4) of the device pixels that lines one pixel wide cover, in widget points.

    A run is what a line covers of one row of pixels, or of one column where it is steep. Filling runs costs
    Qt half of what stepping along the same lines from pixel to pixel does, since most wires lie nearly level.
    """
    scaled = lines * ratio
    is_steep = np.abs(scaled[:, 3] - scaled[:, 1]) > np.abs(scaled[:, 2] - scaled[:, 0])
    level, steep = _level_runs(scaled[~is_steep]), _level_runs(scaled[is_steep][:, (1, 0, 3, 2)])
    return np.concatenate([level, steep[:, (1, 0, 3, 2)]]) / ratio


def _level_runs(lines: Floats) -> Floats:
    """The runs (left, row, length, 1) of lines that go further along than down."""
    ends = np.where((lines[:, 0] > lines[:, 2])[:, None], lines[:, (2, 3, 0, 1)], lines)
    x0, y0, x1, y1 = ends.T
    first: Floats = np.floor(y0)
    down: Floats = np.where(y1 < y0, -1.0, 1.0)
    counts = np.abs(np.floor(y1) - first).astype(np.int64) + 1
    owner = np.repeat(np.arange(len(ends)), counts)
    last = np.cumsum(counts)
    nth = np.arange(len(owner)) - (last - counts)[owner]
    slope: Floats = (x1 - x0) / np.where(y1 == y0, 1.0, y1 - y0)
    row = first[owner] + down[owner] * nth
    # Where a line leaves a row it enters the next; the first and last run begin and end where the line does.
    leaves: Floats = x0[owner] + (row + (down[owner] > 0) - y0[owner]) * slope[owner]
    leaves[last - 1] = x1
    enters = np.empty_like(leaves)
    enters[1:] = leaves[:-1]
    enters[last - counts] = x0
    result: Floats = np.ones((len(row), 4))
    result[:, 0], result[:, 1] = np.round(enters), row
    result[:, 2] = np.maximum(np.round(leaves) - result[:, 0], 1.0)
    return result


def segments(curves: Floats, ratio: float, clip: tuple[float, float, float, float]) -> Floats:
    """Lines (m, 4) that draw the curves, already in widget points; `ratio` is device pixels to a point.

    No line is further than `TOLERANCE` device pixels from its curve, but for curves that would take more
    than the most pieces; pieces outside `clip` are dropped.
    """
    if len(curves) == 0:
        return np.empty((0, 4))
    need = np.sqrt(_swing(curves) * (ratio * 0.75 / TOLERANCE))
    bucket = np.searchsorted(_STEPS, np.minimum(need, _STEPS[-1]))
    pieces: list[Floats] = []
    for index in np.unique(bucket).tolist():
        on = points_on(curves[bucket == index], _STEPS[int(index)])
        pieces.append(np.concatenate([on[:, :-1], on[:, 1:]], axis=2).reshape(-1, 4))
    lines = np.concatenate(pieces)
    left, top, right, bottom = clip
    inside = (
        (np.maximum(lines[:, 0], lines[:, 2]) >= left)
        & (np.minimum(lines[:, 0], lines[:, 2]) <= right)
        & (np.maximum(lines[:, 1], lines[:, 3]) >= top)
        & (np.minimum(lines[:, 1], lines[:, 3]) <= bottom)
    )
    return lines if inside.all() else lines[inside]


def nearest(curves: Floats, boxes: Floats, x: float, y: float, within: float) -> int | None:
    """The row of the curve nearest to a point and at most `within` from it; later rows win ties."""
    rows = np.nonzero(
        (boxes[:, 0] - within <= x)
        & (boxes[:, 2] + within >= x)
        & (boxes[:, 1] - within <= y)
        & (boxes[:, 3] + within >= y)
    )[0]
    if len(rows) == 0:
        return None
    on = points_on(curves[rows], 32)
    start, step = on[:, :-1], np.diff(on, axis=1)
    length = (step**2).sum(axis=2)
    offset = np.array([x, y]) - start
    t = np.clip((offset * step).sum(axis=2) / np.where(length == 0, 1, length), 0, 1)
    gap = np.hypot(*np.moveaxis(offset - step * t[:, :, None], 2, 0)).min(axis=1)
    best = len(gap) - 1 - int(np.argmin(gap[::-1]))
    return int(rows[best]) if gap[best] <= within else None


def crossing(curves: Floats, boxes: Floats, box: tuple[float, float, float, float]) -> Ints:
    """The rows of the curves that touch a box given as left, top, right, bottom."""
    left, top, right, bottom = box
    rows = np.nonzero(
        (boxes[:, 0] <= right) & (boxes[:, 2] >= left) & (boxes[:, 1] <= bottom) & (boxes[:, 3] >= top)
    )[0]
    on = points_on(curves[rows], 24)
    hit = (on[:, :, 0] >= left) & (on[:, :, 0] <= right) & (on[:, :, 1] >= top) & (on[:, :, 1] <= bottom)
    return rows[hit.any(axis=1)]
