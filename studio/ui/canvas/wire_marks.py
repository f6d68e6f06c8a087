"""Draws the marks of wires that have a problem, halfway along them."""

from collections.abc import Collection

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from studio.ui.canvas.camera import Camera, Rect
from studio.ui.canvas.cards import Cards
from studio.ui.canvas.details import wire_mark
from studio.ui.canvas.marks import draw_mark, sign_of


def paint_wire_marks(
    painter: QPainter, cards: Cards, camera: Camera, seen: Rect, rows: Collection[int]
) -> None:
    """Draw the marks of those wires among `rows` that have one, and are in view."""
    drawn = set(rows) if cards.shown.found.wires else set[int]()
    for wire, problems in cards.shown.found.wires.items():
        sign, place = sign_of(problems), wire_mark(cards, wire)
        if sign is None or place is None or cards.scene.wire_row[wire] not in drawn:
            continue
        if seen.contains(place.center().x(), place.center().y()):
            left, top = camera.to_widget(place.x(), place.y())
            side = place.width() * camera.scale
            draw_mark(painter, sign, QRectF(left, top, side, side), cards.style)
