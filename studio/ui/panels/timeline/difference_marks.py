"""Marks the bars of steps that did something else in one of two runs that are compared."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath

from studio.ui.look import Look


def paint_difference(painter: QPainter, look: Look, rect: QRectF, *, is_first: bool) -> None:
    """Draw a wedge over a bar's beginning, pointing at it; a larger one where the runs went apart."""
    size = look.length("space.small") if is_first else look.length("space.tight")
    tip = QPointF(rect.left(), rect.top() + size)
    wedge = QPainterPath(tip)
    wedge.lineTo(tip + QPointF(-size, -size * 1.4))
    wedge.lineTo(tip + QPointF(size, -size * 1.4))
    wedge.closeSubpath()
    painter.setPen(Qt.PenStyle.NoPen)
    painter.fillPath(wedge, look.color("text.strong"))
