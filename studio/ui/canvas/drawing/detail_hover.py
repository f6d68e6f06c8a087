"""Outlines what can be clicked under the pointer: a field around the name of a port, a ring at a mark."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from studio.ui.canvas.camera import Camera
from studio.ui.canvas.cards.details import Detail, Typed
from studio.ui.canvas.style import Style


def paint_detail(painter: QPainter, detail: Detail | None, camera: Camera, style: Style) -> None:
    """Draw the outline, if there is anything to outline."""
    if detail is None:
        return
    left, top = camera.to_widget(detail.place.left(), detail.place.top())
    scale = camera.scale
    place = QRectF(left, top, detail.place.width() * scale, detail.place.height() * scale)
    painter.save()
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(style.color("accent.action"), 1.5))
    if isinstance(detail, Typed):
        pad = 4 * scale
        field = QRectF(
            place.left() - pad, place.center().y() - 10 * scale, place.width() + 2 * pad, 20 * scale
        )
        painter.drawRoundedRect(field, 4 * scale, 4 * scale)
    else:
        painter.drawEllipse(place.adjusted(-2.5, -2.5, 2.5, 2.5))
    painter.restore()
