"""Marks of breakpoints: on the corner of a card or area, and over ports. Each kind has a shape of its own."""

from collections.abc import Collection
from typing import Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from studio.ui.canvas.document import BreakpointMark
from studio.ui.canvas.scene.geometry import Spot
from studio.ui.canvas.style import Style

MIDDLE: Final = QPointF(1.5, 1.5)
"""Where a mark stands, from the corner or port that it is for."""
_SIZE = 6.0
_DIAMOND = QPolygonF([QPointF(0, -7.4), QPointF(7.4, 0), QPointF(0, 7.4), QPointF(-7.4, 0)])
_TRIANGLE = QPolygonF([QPointF(0, -7.2), QPointF(7.2, 5.4), QPointF(-7.2, 5.4)])


def draw_port_breakpoint(
    painter: QPainter, marked: Collection[tuple[str, BreakpointMark]], spot: Spot, style: Style
) -> None:
    """Draw the breakpoint of a port over it, if it is among the marked ones."""
    kind = dict(marked).get(spot.port)
    if kind is not None:
        painter.save()
        painter.translate(QPointF(spot.x, spot.y) - MIDDLE)
        draw_breakpoint(painter, kind, style)
        painter.restore()


def draw_breakpoint(painter: QPainter, kind: BreakpointMark, style: Style) -> None:
    """Draw a breakpoint on the corner or port at the origin: full while it holds, hollow while it is off.

    A disc holds always, one with two bars under a condition; a diamond writes a line and holds nothing; a
    triangle holds when something happens there.
    """
    color, ground = style.color("state.failed"), style.color("surface.canvas")
    shape, _, state = kind.partition(" ")
    is_on = not state and shape != "off"
    painter.save()
    painter.translate(MIDDLE)
    painter.setPen(
        QPen(
            ground if is_on else color,
            2.0 if is_on else 1.6,
            Qt.PenStyle.SolidLine,
            j=Qt.PenJoinStyle.RoundJoin,
        )
    )
    painter.setBrush(color if is_on else ground)
    if shape == "log":
        painter.drawPolygon(_DIAMOND)
    elif shape == "catch":
        painter.drawPolygon(_TRIANGLE)
    else:
        painter.drawEllipse(QPointF(), _SIZE, _SIZE)
    if shape == "condition":
        painter.setPen(QPen(style.color("state.on_state") if is_on else color, 1.5))
        for y in (-1.7, 1.7):
            painter.drawLine(QPointF(-2.6, y), QPointF(2.6, y))
    painter.restore()


def draw_ring(painter: QPainter, style: Style) -> None:
    """Draw the ring around a breakpoint that a run is held at, or came by just now."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(style.color("state.held"), 2.0))
    reach = _SIZE + 4.5
    painter.drawEllipse(QRectF(MIDDLE.x() - reach, MIDDLE.y() - reach, 2 * reach, 2 * reach))
