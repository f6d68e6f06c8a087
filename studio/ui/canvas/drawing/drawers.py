"""Draws the open drawers of cards: below their lower edge, the ports that are neither wired nor needed."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen

from studio.ids import NodeId
from studio.ui.canvas.board import Board
from studio.ui.canvas.cards.break_marks import draw_port_breakpoint
from studio.ui.canvas.cards.card import RADIUS
from studio.ui.canvas.cards.labels import label_of
from studio.ui.canvas.cards.port_marks import draw_port
from studio.ui.canvas.scene.geometry import Box, Side
from studio.ui.canvas.sight import CARDS_FROM, View
from studio.ui.canvas.style import Role


def paint_drawers(painter: QPainter, board: Board, view: View) -> None:
    """Draw them above the still picture, the one that the hand is at above the others."""
    if view.camera.scale < CARDS_FROM:
        return
    for node in reversed(board.unfolded()):
        rect = board.scene.rect(node)
        painter.save()
        painter.translate(*view.camera.to_widget(rect.x, rect.y))
        painter.scale(view.camera.scale, view.camera.scale)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        _paint_drawer(painter, board, node, board.scene.boxes[board.scene.row[node]])
        painter.restore()


def _paint_drawer(painter: QPainter, board: Board, node: NodeId, box: Box) -> None:
    style = board.style
    painter.setPen(QPen(style.color("surface.edge"), 1))
    painter.setBrush(style.color("surface.panel"))
    painter.drawPath(_outline(box))
    painter.setFont(style.fonts[Role.LABEL])
    held = board.cards.card(node).held_ports
    for spot in box.spots:
        if spot.is_spare and (label := label_of(box, spot, style)) is not None:
            painter.setPen(style.color("text.muted"))
            align = Qt.AlignmentFlag.AlignLeft if spot.side is Side.LEFT else Qt.AlignmentFlag.AlignRight
            painter.drawText(label.place, align | Qt.AlignmentFlag.AlignVCenter, label.text)
    for spot in box.spots:
        if spot.is_spare:
            draw_port(painter, spot, QPointF(spot.x, spot.y), style, is_wired=False)
            draw_port_breakpoint(painter, held, spot, style)
    for spot in box.spots:
        if spot.side is Side.BOTTOM:  # what the drawer would cut
            is_wired = (spot.port, False) in board.cards.card(node).wired
            draw_port(painter, spot, QPointF(spot.x, spot.y), style, is_wired=is_wired)


def _outline(box: Box) -> QPainterPath:
    """Square above, where it comes out of the card, and round below."""
    place = QRectF(0.5, box.height, box.width - 1, box.drawer)
    path = QPainterPath(place.topLeft())
    path.lineTo(place.left(), place.bottom() - RADIUS)
    path.quadTo(place.bottomLeft(), QPointF(place.left() + RADIUS, place.bottom()))
    path.lineTo(place.right() - RADIUS, place.bottom())
    path.quadTo(place.bottomRight(), QPointF(place.right(), place.bottom() - RADIUS))
    path.lineTo(place.topRight())
    return path
