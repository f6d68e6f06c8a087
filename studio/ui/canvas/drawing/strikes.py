"""Draws rings around the breakpoints that a run is held at, or came by just now."""

from PySide6.QtGui import QPainter

from studio.ids import NodeId
from studio.ui.canvas.board import Board
from studio.ui.canvas.cards.break_marks import MIDDLE, draw_strike
from studio.ui.canvas.drawing.sight import CARDS_FROM, View


def paint_strikes(painter: QPainter, board: Board, view: View) -> None:
    """Draw them where the marks stand: at the corner of a node, or at its port."""
    if not board.cards.shown.struck or view.camera.scale < CARDS_FROM:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for place in board.cards.shown.struck:
        before, _, port = place.partition(".")
        node = NodeId(before.partition("#")[0])
        if node not in board.scene.row:
            continue
        rect, x, y = board.scene.rect(node), 0.0, 0.0
        spot = next((one for one in board.scene.spots(node) if one.port == port), None)
        if spot is not None and "#" not in before:
            x, y = spot.x - MIDDLE.x(), spot.y - MIDDLE.y()
        painter.save()
        painter.translate(*view.camera.to_widget(rect.x + x, rect.y + y))
        painter.scale(view.camera.scale, view.camera.scale)
        draw_strike(painter, board.style)
        painter.restore()
