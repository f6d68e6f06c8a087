"""The mark of a node that is pinned: on the corner across from a breakpoint."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from studio.ui.canvas.style import Style

_SIZE = 8.0


def draw_pin(painter: QPainter, at: QPointF, style: Style, *, fits: bool) -> None:
    """Draw a pin around a point, in the colour of errors where it does not fit its node any more."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    color = style.color("text.strong" if fits else "state.failed")
    painter.setPen(QPen(color, 1.4))
    painter.setBrush(style.color("surface.panel"))
    painter.drawEllipse(at, _SIZE, _SIZE)
    painter.translate(at)
    painter.rotate(35)
    painter.setPen(QPen(color, 1.4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.drawLine(QPointF(0, 1), QPointF(0, 5))
    painter.drawLine(QPointF(-3, 0.8), QPointF(3, 0.8))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawRoundedRect(QRectF(-1.7, -4.6, 3.4, 5.4), 1, 1)
    painter.restore()
