"""Marks the nodes that did something else in one of two runs that are compared."""

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPen

from studio.ui.canvas.board import Board
from studio.ui.canvas.sight import View
from studio.ui.canvas.style import Style

LEAST = 0.6
"""How small it is drawn at most, however far one goes away."""
_SIZE = 8.0


def paint_differences(painter: QPainter, board: Board, view: View) -> None:
    """Draw an unequal sign at the lower left corner of each, filled where the runs went apart."""
    differing = board.cards.shown.differing
    if not differing:
        return
    seen, scale = view.seen().grown(_SIZE), max(view.camera.scale, LEAST)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for node, is_first in differing.items():
        if node not in board.scene.row or not board.scene.rect(node).meets(seen):
            continue
        rect = board.scene.rect(node)
        painter.save()
        painter.translate(*view.camera.to_widget(rect.x, rect.y + rect.height))
        painter.scale(scale, scale)
        draw_difference(painter, board.style, is_first=is_first)
        painter.restore()


def draw_difference(painter: QPainter, style: Style, *, is_first: bool) -> None:
    """Draw the sign around where the painter stands."""
    color = style.color("text.strong")
    painter.setPen(QPen(color, 1.4))
    painter.setBrush(color if is_first else style.color("surface.panel"))
    painter.drawEllipse(QPointF(0, 0), _SIZE, _SIZE)
    line = style.color("surface.panel") if is_first else color
    painter.setPen(QPen(line, 1.6, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.drawLine(QPointF(-3.6, -1.8), QPointF(3.6, -1.8))
    painter.drawLine(QPointF(-3.6, 1.8), QPointF(3.6, 1.8))
    painter.drawLine(QPointF(-2.2, 4.6), QPointF(2.2, -4.6))
