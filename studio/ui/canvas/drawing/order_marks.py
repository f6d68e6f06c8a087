"""Draws the numbers on the wires into a list input; a hand drags them."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from studio.ui.canvas.scene.order_marks import OrderMarks
from studio.ui.canvas.sight import View
from studio.ui.canvas.style import Role, Style

RADIUS = 8.0
SMALLEST = 0.65
"""The scale below which the numbers do not shrink with the cards, so that they stay legible."""


def paint_marks(painter: QPainter, marks: OrderMarks, style: Style, view: View) -> None:
    """Draw the numbers, from 1."""
    scale = min(1.0, max(view.camera.scale, SMALLEST))
    box = QRectF(-RADIUS, -RADIUS, 2 * RADIUS, 2 * RADIUS)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(style.fonts[Role.SMALL])
    for mark in marks.seen(view):
        x, y = view.camera.to_widget(mark.x, mark.y)
        is_held = mark.wire in marks.trial
        painter.setPen(QPen(style.color("accent.action" if is_held else "surface.edge"), 1.2))
        painter.setBrush(style.color("surface.raised"))
        painter.translate(x, y)
        painter.scale(scale, scale)
        painter.drawEllipse(box)
        painter.setPen(style.color("text.strong"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(mark.place + 1))
        painter.scale(1 / scale, 1 / scale)
        painter.translate(-x, -y)
    painter.restore()
