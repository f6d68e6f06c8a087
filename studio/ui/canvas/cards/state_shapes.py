"""The states of steps as small shapes, so that nobody needs to tell their colours apart."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from studio.ui.canvas.cards.pills import STATE_COLORS
from studio.ui.canvas.style import Style

_LINES: Mapping[str, Sequence[Sequence[tuple[float, float]]]] = {
    "done": [[(-2.6, 0.2), (-0.8, 2.0), (2.6, -1.8)]],
    "failed": [[(-2.0, -2.0), (2.0, 2.0)], [(2.0, -2.0), (-2.0, 2.0)]],
    "held": [[(-1.5, -2.2), (-1.5, 2.2)], [(1.5, -2.2), (1.5, 2.2)]],
    "waiting": [[(-2.5, 0), (-2.4, 0)], [(0, 0), (0.1, 0)], [(2.4, 0), (2.5, 0)]],
    "skipped": [[(-2.2, 0), (2.2, 0)]],
}
"""In a disc of radius 5: a tick, a cross, two bars, three dots, a dash."""
_FILLED: Mapping[str, Sequence[tuple[float, float]]] = {
    "running": [(-1.6, -2.6), (2.6, 0), (-1.6, 2.6)],
    "stopped": [(-2, -2), (2, -2), (2, 2), (-2, 2)],
}


def draw_state(painter: QPainter, status: str, place: QRectF, style: Style) -> None:
    """Draw a disc in the state's colour with the state's shape; `ready` is a ring."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(place.center())
    unit = min(place.width(), place.height()) / 11
    painter.scale(unit, unit)
    color, ink = style.color(STATE_COLORS.get(status, "state.skipped")), style.color("state.on_state")
    if status == "ready":
        painter.setPen(QPen(color, 1.5))
        painter.setBrush(style.color("surface.raised"))
        painter.drawEllipse(QPointF(), 4.4, 4.4)
    else:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawEllipse(QPointF(), 5.2, 5.2)
        painter.setBrush(ink)
        if (corners := _FILLED.get(status)) is not None:
            painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in corners]))
        painter.setPen(
            QPen(ink, 1.6, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
        )
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for points in _LINES.get(status, ()):
            painter.drawPolyline([QPointF(x, y) for x, y in points])
    painter.restore()
