"""Where something that is dragged comes to rest: in line with its neighbours, else on the grid. No Qt."""

from dataclasses import dataclass

import numpy as np

from studio.ui.canvas.buffers import Floats
from studio.ui.canvas.camera import Rect

STEP = 8
"""Scene units of the grid."""


@dataclass(frozen=True, slots=True)
class Guide:
    """A line through what is in line: at `at` on one axis, from `start` to `end` on the other."""

    is_upright: bool
    at: float
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Rest:
    """How far something moves, and the lines that say why there."""

    dx: float
    dy: float
    guides: tuple[Guide, ...] = ()


def rest(box: Rect, dx: float, dy: float, others: Floats, reach: float, corner: tuple[float, float]) -> Rest:
    """Let `box`, moved by about (dx, dy), come to rest.

    It is drawn to the edges and middles of `others` (n, 4: left, top, width, height) from `reach` scene
    units on; without one, `corner` comes to a point of the grid.
    """
    at = Rect(box.x + dx, box.y + dy, box.width, box.height)
    across = _nearest((at.x, at.width), others[:, (0, 2)], others[:, (1, 3)], at.y + at.height / 2, reach)
    down = _nearest((at.y, at.height), others[:, (1, 3)], others[:, (0, 2)], at.x + at.width / 2, reach)
    dx = dx + across[0] if across else round((corner[0] + dx) / STEP) * STEP - corner[0]
    dy = dy + down[0] if down else round((corner[1] + dy) / STEP) * STEP - corner[1]
    at = Rect(box.x + dx, box.y + dy, box.width, box.height)
    guides: list[Guide] = []
    if across is not None:
        other = Rect(*others[across[2]].tolist())
        guides.append(Guide(True, across[1], min(at.y, other.y), max(at.bottom, other.bottom)))
    if down is not None:
        other = Rect(*others[down[2]].tolist())
        guides.append(Guide(False, down[1], min(at.x, other.x), max(at.right, other.right)))
    return Rest(dx, dy, tuple(guides))


def _nearest(
    span: tuple[float, float], spans: Floats, crosswise: Floats, middle: float, reach: float
) -> tuple[float, float, int] | None:
    """How far to the nearest like line, where that line is, and whose; of equals, what stands closest."""
    if not len(spans):
        return None
    shares = np.array([0.0, 0.5, 1.0])
    lines = spans[:, :1] + spans[:, 1:] * shares
    gaps = lines - (span[0] + span[1] * shares)
    far = np.abs(gaps)
    best = float(far.min())
    if best > reach:
        return None
    rows, columns = np.nonzero(far <= best + 0.01)
    away = np.abs(crosswise[rows, 0] + crosswise[rows, 1] / 2 - middle)
    chosen = int(np.argmin(away))
    row, column = int(rows[chosen]), int(columns[chosen])
    return float(gaps[row, column]), float(lines[row, column]), row
