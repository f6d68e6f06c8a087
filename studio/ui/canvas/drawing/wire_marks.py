"""Draws the marks of wires that have a problem, halfway along them."""

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from studio.ui.canvas.camera import Camera, Rect
from studio.ui.canvas.cards.cards import Cards
from studio.ui.canvas.cards.details import wire_mark
from studio.ui.canvas.cards.marks import draw_mark
from studio.ui.canvas.scene.scene import Ints


def paint_wire_marks(painter: QPainter, cards: Cards, camera: Camera, seen: Rect, rows: Ints) -> None:
    """Draw the marks of those wires among `rows` that have one, and are in view."""
    found, wires = cards.shown.found.wires, cards.scene.wires
    if not found:
        return
    drawn: list[int] = rows.tolist()
    for row in drawn:
        sign = cards.shown.found.wire_sign(wires[row])
        place = wire_mark(cards, wires[row]) if sign is not None else None
        if sign is None or place is None or not seen.contains(place.center().x(), place.center().y()):
            continue
        left, top = camera.to_widget(place.x(), place.y())
        side = place.width() * camera.scale
        draw_mark(painter, sign, QRectF(left, top, side, side), cards.style)
