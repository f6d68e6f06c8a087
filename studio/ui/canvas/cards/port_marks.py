"""Draws ports."""

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPen

from studio.ui.canvas.cards.glyphs import draw_glyph
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
