"""Draws who was given a turn: an arrow along the wire to the member that lends itself, with a count."""

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from studio.ui.canvas.board import Board
from studio.ui.canvas.scene.ghosts import Delegation
from studio.ui.canvas.scene.wires import points_on
from studio.ui.canvas.sight import CARDS_FROM, View
from studio.ui.canvas.style import Role

PLACE = 0.3
"""How far from the member the count stands, as a share of the wire."""
HEAD = 9.0
PILL = 16.0


def paint_delegations(painter: QPainter, board: Board, view: View) -> None:
    """Draw the arrows over their wires: bright while a turn goes on."""
    if view.camera.scale < CARDS_FROM:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for one in board.cards.ghosts.delegations:
        row = board.scene.wire_row.get(one.wire)
        if row is not None:
            _paint(painter, board, view, row, one)


def _paint(painter: QPainter, board: Board, view: View, row: int, one: Delegation) -> None:
    scale, style = view.camera.scale, board.style
    on = points_on(board.scene.curves[board.scene.pieces(row)], 64).reshape(-1, 2)
    on = on * scale + (view.camera.x, view.camera.y)
    color = style.color("state.running" if one.is_running else "state.done")
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if one.is_running:
        painter.setPen(QPen(color, 2.6, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawPolyline([QPointF(x, y) for x, y in on.tolist()])
    far = np.hypot(*(on - on[0]).T)
    size = HEAD * max(scale, 0.7)
    tip, end = on[int(np.argmax(far >= size))], on[int(np.argmax(far >= 2 * size))]
    way = tip - end
    way = way / max(float(np.hypot(*way)), 1e-6) * size
    side = np.array([-way[1], way[0]]) * 0.55
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    corners = (tip, tip - way + side, tip - way - side)
    painter.drawPolygon(QPolygonF([QPointF(*corner.tolist()) for corner in corners]))
    x, y = on[round(PLACE * (len(on) - 1))].tolist()
    text = f"×{one.count}"
    wide = max(PILL, style.metrics[Role.PILL].horizontalAdvance(text) + 10)
    place = QRectF(view.snap(x - wide / 2), view.snap(y - PILL / 2), wide, PILL)
    painter.setPen(QPen(color, 1.2))
    painter.setBrush(style.color("surface.canvas"))
    painter.drawRoundedRect(place, PILL / 2, PILL / 2)
    painter.setPen(color)
    painter.setFont(style.fonts[Role.PILL])
    painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)
