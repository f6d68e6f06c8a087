"""Draws ports and what is set at them."""

from collections.abc import Collection

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPen

from studio.ui.canvas.cards.glyphs import draw_glyph
from studio.ui.canvas.document import Breakpoint
from studio.ui.canvas.scene.geometry import PORT_RADIUS, Spot, type_name
from studio.ui.canvas.style import Style


def draw_port(
    painter: QPainter,
    spot: Spot,
    at: QPointF,
    style: Style,
    *,
    is_wired: bool,
    size: float = 1.0,
    fade: float = 1.0,
) -> None:
    """Draw a port in the shape and colour of its type, hollow while unwired; order is a small square."""
    color = style.color(f"port.{type_name(spot.type)}", fade)
    if not spot.is_known:
        color = style.color("state.failed", fade)
    ground = style.color("surface.canvas")
    if spot.is_order:
        half = 3.2 * size
        painter.setPen(QPen(color, 1.6))
        painter.setBrush(color if is_wired else ground)
        painter.drawRect(QRectF(at.x() - half, at.y() - half, 2 * half, 2 * half))
        return
    draw_glyph(painter, spot.type, at, PORT_RADIUS * size, color, ground, is_full=is_wired)


def draw_port_breakpoint(
    painter: QPainter, marked: Collection[tuple[str, Breakpoint]], spot: Spot, style: Style
) -> None:
    """Draw the breakpoint of a port over it, if it is among the marked ones."""
    kind = dict(marked).get(spot.port)
    if kind is not None:
        painter.save()
        painter.translate(spot.x - 1.5, spot.y - 1.5)
        draw_breakpoint(painter, kind, style)
        painter.restore()


def draw_breakpoint(painter: QPainter, kind: Breakpoint, style: Style) -> None:
    """Draw a breakpoint on the corner or port at the origin: full while it holds, hollow while it is off."""
    color = style.color("state.failed")
    is_on = kind == "on"
    painter.setPen(QPen(style.color("surface.canvas") if is_on else color, 2.0 if is_on else 1.6))
    painter.setBrush(color if is_on else style.color("surface.canvas"))
    painter.drawEllipse(QPointF(1.5, 1.5), 6, 6)
