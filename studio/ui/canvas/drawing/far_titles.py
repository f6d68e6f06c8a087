"""Titles of areas and frames seen from far: above the blocks in them, not beneath."""

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter

from studio.ui.canvas.style import Role, Style

STRIP = 44.0
"""Scene units between the upper edge of an area or a frame and the first card in it."""
LEAST = 0.75
"""The smallest that a title gets where that strip is lower than its letters."""
LEAST_WIDTH = 60
"""Widget points of width from which there is a title at all."""


def paint_far_title(
    painter: QPainter, style: Style, place: QRectF, title: str, color: QColor, scale: float
) -> None:
    """Write the title of what stands in `place`, in the strip that its blocks leave free."""
    capitals = style.metrics[Role.SMALL].capHeight()
    room = min(STRIP * scale, place.height())
    if place.width() <= LEAST_WIDTH or place.height() < capitals + 4:
        return
    shrink = min(1.0, max(LEAST, room / (capitals + 4)))
    painter.save()
    painter.translate(place.left() + 8, place.top() + (room + capitals * shrink) / 2)
    painter.scale(shrink, shrink)
    painter.setFont(style.fonts[Role.SMALL])
    painter.setPen(color)
    painter.drawText(QPointF(0, 0), style.elided(title, Role.SMALL, (place.width() - 16) / shrink))
    painter.restore()
