"""A stroke across wires that cuts them."""

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from studio.flow import edits
from studio.flow.records import Wire
from studio.ui.canvas.board import Board
from studio.ui.canvas.buffers import Floats
from studio.ui.canvas.drawing import overlay
from studio.ui.canvas.scene.scene import Ints
from studio.ui.canvas.scene.wires import points_on
from studio.ui.canvas.sight import View

STEPS = 32
"""Straight pieces of a curve that are tried against the stroke."""


class Cut:
    """Marks the wires that the stroke has crossed; letting go cuts them, Escape spares them."""

    cursor = Qt.CursorShape.CrossCursor

    def __init__(self, board: Board, at: QPointF) -> None:
        self._board = board
        self._stroke = [board.camera.to_scene(at.x(), at.y())]
        self.crossed: set[Wire] = set()

    def move(self, at: QPointF, keys: Qt.KeyboardModifier) -> "Cut":
        """Go on with the stroke."""
        del keys
        scene = self._board.scene
        here = self._board.camera.to_scene(at.x(), at.y())
        if len(scene.wires):
            found = _crossed(scene.curves, scene.curve_bounds, self._stroke[-1], here)
            self.crossed |= {scene.wires[row] for row in scene.piece_wire[found].tolist()}
        self._stroke.append(here)
        self._board.stirred.tell()
        return self

    def release(self, at: QPointF, keys: Qt.KeyboardModifier) -> None:
        """Cut what was crossed: one change."""
        del at, keys
        if self.crossed:
            self._board.document.history.do(edits.disconnect(self._board.flow, self.crossed))

    def cancel(self) -> None:
        """Spare the wires."""
        self._board.stirred.tell()

    def paint(self, painter: QPainter, view: View) -> None:
        """Draw the stroke, and mark what it cuts."""
        board = self._board
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for wire in self.crossed:
            row = board.scene.wire_row.get(wire)
            if row is not None:
                overlay.paint_wire(painter, board, view, row, "state.failed", 4.0, 0.9)
        painter.setPen(QPen(board.style.color("text.strong"), 1.5, Qt.PenStyle.DashLine))
        painter.drawPolyline(QPolygonF([QPointF(*view.camera.to_widget(*one)) for one in self._stroke]))


def _crossed(curves: Floats, boxes: Floats, start: tuple[float, float], end: tuple[float, float]) -> Ints:
    """The rows of the curves that a straight stroke crosses."""
    (x0, y0), (x1, y1) = start, end
    left, right, top, bottom = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
    rows = np.nonzero(
        (boxes[:, 0] <= right) & (boxes[:, 2] >= left) & (boxes[:, 1] <= bottom) & (boxes[:, 3] >= top)
    )[0]
    if not len(rows):
        return rows
    on = points_on(curves[rows], STEPS)
    ahead = np.diff(on, axis=1)
    from_start = on - (x0, y0)
    side = (x1 - x0) * from_start[:, :, 1] - (y1 - y0) * from_start[:, :, 0]
    to_start, to_end = np.array([x0, y0]) - on[:, :-1], np.array([x1, y1]) - on[:, :-1]
    one = ahead[:, :, 0] * to_start[:, :, 1] - ahead[:, :, 1] * to_start[:, :, 0]
    other = ahead[:, :, 0] * to_end[:, :, 1] - ahead[:, :, 1] * to_end[:, :, 0]
    meets = (side[:, :-1] * side[:, 1:] <= 0) & (one * other <= 0) & ((x0, y0) != (x1, y1))
    return rows[meets.any(axis=1)]
