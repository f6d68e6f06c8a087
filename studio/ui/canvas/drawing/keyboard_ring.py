"""Shows where the keyboard stands: a ring round a port with what it is, a dashed one round a passed node."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from studio.ui.canvas.board import Board
from studio.ui.canvas.cards.words import port_title, port_words, wire_title
from studio.ui.canvas.scene.geometry import Side
from studio.ui.canvas.scene.keyboard import Stand, spot_of, stand_point
from studio.ui.canvas.sight import View, widget_rect
from studio.ui.canvas.style import Role

RING = 9.0
"""Widget points from a port to the ring around it."""
GAP = 7.0
WIDEST = 340


def paint_stand(painter: QPainter, board: Board, view: View) -> None:
    """Draw it above everything else that is live; nothing where the selection says it already."""
    stand = board.keyboard.at(board.scene)
    if stand is None:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    spot = spot_of(board.scene, stand)
    at = QPointF(*view.camera.to_widget(*stand_point(board.scene, stand)))
    if stand.wire is not None:
        _say(painter, board, view, at, wire_title(board.flow, stand.wire))
    elif spot is not None:
        for color, width in (("surface.canvas", 4.0), ("accent.action", 2.0)):
            painter.setPen(QPen(board.style.color(color), width))
            painter.drawEllipse(at, RING, RING)
        mark = board.cards.shown.breakpoints.get(str(stand.socket))
        said = f"{port_title(spot.port, spot.label)}: {port_words(board.flow, stand.node, spot, mark)}"
        _say(painter, board, view, at, said, spot.side)
    elif board.document.selection.now.only_node != stand.node:
        _dash(painter, board, view, stand)


def paint_edge(painter: QPainter, board: Board, view: View) -> None:
    """Draw a line along the inside of the canvas, as fields have one around them."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
    painter.setPen(QPen(board.style.color("accent.focus"), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(QRectF(0, 0, view.width - 1, view.height - 1))


def _dash(painter: QPainter, board: Board, view: View, stand: Stand) -> None:
    pen = QPen(board.style.color("text.strong"), 1.5)
    pen.setDashPattern([3, 3])
    painter.setPen(pen)
    place = widget_rect(board.scene.rect(stand.node), view).adjusted(-GAP, -GAP, GAP, GAP)
    painter.drawRoundedRect(place, 10 + GAP, 10 + GAP)


def _say(
    painter: QPainter, board: Board, view: View, at: QPointF, text: str, side: Side = Side.BOTTOM
) -> None:
    """Write what stands at a point, outside the card that it is on, and inside the canvas."""
    style = board.style
    rows = style.wrapped(text, Role.BODY, WIDEST - 24, 3)
    width = max((style.metrics[Role.BODY].horizontalAdvance(row) for row in rows), default=0) + 24
    height = 17 * len(rows) + 12
    left, top = at.x() - width / 2, at.y() - height / 2
    match side:
        case Side.LEFT:
            left = at.x() - RING - 8 - width
        case Side.RIGHT:
            left = at.x() + RING + 8
        case Side.TOP:
            top = at.y() - RING - 8 - height
        case Side.BOTTOM:
            top = at.y() + RING + 8
    place = QRectF(left, top, width, height)
    place.moveRight(min(place.right(), view.width - 8))
    place.moveLeft(max(place.left(), 8))
    place.moveBottom(min(place.bottom(), view.height - 8))
    place.moveTop(max(place.top(), 8))
    painter.setPen(QPen(style.color("accent.action"), 1))
    painter.setBrush(style.color("surface.panel"))
    painter.drawRoundedRect(place, 6, 6)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setFont(style.fonts[Role.BODY])
    painter.setPen(style.color("text.strong"))
    for index, row in enumerate(rows):
        painter.drawText(QPointF(place.left() + 12, place.top() + 18 + 17 * index), row)
