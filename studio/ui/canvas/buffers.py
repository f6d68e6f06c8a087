"""Hands numpy arrays to Qt's batched draw calls without a Python list in between.

`shiboken6.wrapInstance` reads the array's memory as an array of `QLineF` or `QRectF`: four contiguous
float64 each. Arrays must stay alive during the call, which they do as arguments. Where the trick does not
hold on some build of Qt, `probe` finds out at start and lists are used instead.
"""

from functools import cache
from typing import cast

import numpy as np
import numpy.typing as npt
import shiboken6
from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QPainter

Floats = npt.NDArray[np.float64]


def draw_lines(painter: QPainter, lines: Floats) -> None:
    """Draw rows of (x1, y1, x2, y2) with the painter's pen, in one call."""
    count = len(lines)
    if count == 0:
        return
    if not is_direct():
        painter.drawLines([QLineF(*row) for row in lines.tolist()])
        return
    block = np.ascontiguousarray(lines, dtype=np.float64)
    painter.drawLines(cast("QLineF", shiboken6.wrapInstance(block.ctypes.data, QLineF)), count)


def draw_rects(painter: QPainter, rects: Floats) -> None:
    """Draw rows of (x, y, width, height) with the painter's pen and brush, in one call."""
    count = len(rects)
    if count == 0:
        return
    if not is_direct():
        painter.drawRects([QRectF(*row) for row in rects.tolist()])
        return
    block = np.ascontiguousarray(rects, dtype=np.float64)
    painter.drawRects(cast("QRectF", shiboken6.wrapInstance(block.ctypes.data, QRectF)), count)


@cache
def is_direct() -> bool:
    """Whether this build of Qt reads our memory as we believe it does."""
    return _reads(QLineF, (1.5, 2.5, 3.5, 4.5)) and _reads(QRectF, (5.5, 6.5, 7.5, 8.5))


def _reads(kind: type[QLineF] | type[QRectF], values: tuple[float, float, float, float]) -> bool:
    block = np.array([values], dtype=np.float64)
    try:
        seen = shiboken6.wrapInstance(block.ctypes.data, kind)
    except (RuntimeError, TypeError):
        return False
    return seen == kind(*values)
