"""A painter that remembers every text it is to draw, with the pixels that the text would really cover."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QImage, QPainter, QTransform

PAD = 8
"""Pixels around a text within which its ink is looked for."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """One text: its ink in device pixels, and whether the box that it was drawn into cut it."""

    text: str
    ink: QRectF
    is_cut: bool


class Recorder(QPainter):
    """Is told what any painter is, and paints on a single pixel: nobody looks at the rest."""

    def __init__(self) -> None:
        self._pixel = QImage(1, 1, QImage.Format.Format_RGB32)
        super().__init__(self._pixel)
        self.drawn: list[Drawn] = []

    def drawText(self, *args: Any) -> Any:
        """Remember the text."""
        place, text = args[0], args[-1]
        font, transform = self.font(), self.worldTransform()
        metrics = QFontMetricsF(font)
        if isinstance(place, QRectF):
            width, flags = metrics.horizontalAdvance(text), Qt.AlignmentFlag(args[1])
            is_cut = width > place.width() + 0.05 or metrics.height() > place.height() + 0.05
            start = _aligned(place, flags, width, metrics)
        else:
            is_cut, start = False, QPointF(place)
        at = transform.map(start)
        x, y, width, height = _ink(text, font.toString(), round(transform.m11(), 6), at.x() % 1, at.y() % 1)
        if width:
            corner = QPointF(int(at.x() // 1) + x, int(at.y() // 1) + y)
            self.drawn.append(Drawn(text, QRectF(corner.x(), corner.y(), width, height), is_cut))
        return None


def _aligned(place: QRectF, flags: Qt.AlignmentFlag, width: float, metrics: QFontMetricsF) -> QPointF:
    left = place.left()
    if flags & Qt.AlignmentFlag.AlignRight:
        left = place.right() - width
    elif flags & Qt.AlignmentFlag.AlignHCenter:
        left = place.center().x() - width / 2
    top = place.center().y() - metrics.height() / 2
    return QPointF(left, top + metrics.ascent())


@lru_cache(20_000)
def _ink(text: str, font: str, scale: float, dx: float, dy: float) -> tuple[int, int, int, int]:
    """The pixels of a text around its start, as it is drawn at a scale: left, top, width, height."""
    found = QFont()
    found.fromString(font)
    found.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    metrics = QFontMetricsF(found)
    width = int(metrics.horizontalAdvance(text) * scale) + 4 * PAD
    up, down = int(metrics.ascent() * scale) + PAD, int(metrics.descent() * scale) + PAD
    image = QImage(width, up + down, QImage.Format.Format_Alpha8)
    image.fill(0)
    painter = QPainter(image)
    painter.setTransform(QTransform(scale, 0, 0, scale, 2 * PAD + dx, up + dy))
    painter.setFont(found)
    painter.setPen(Qt.GlobalColor.black)
    painter.drawText(QPointF(0, 0), text)
    painter.end()
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    rows, columns = np.nonzero(pixels[:, :width] > 64)
    if len(rows) == 0:
        return 0, 0, 0, 0
    left, top = int(columns.min()), int(rows.min())
    return left - 2 * PAD, top - up, int(columns.max()) - left + 1, int(rows.max()) - top + 1
