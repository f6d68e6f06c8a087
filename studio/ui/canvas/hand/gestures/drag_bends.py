"""Dragging bends of wires: live while the button is down, one undo step at the end."""

from collections.abc import Iterable

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from studio.app.documents.selection import Bend
from studio.flow.edits.wire_bends import lead
from studio.flow.records import Point, Wire
from studio.ui.canvas.board import Board
from studio.ui.canvas.drawing.bend_marks import paint_bends
from studio.ui.canvas.drawing.wires import paint_wires
from studio.ui.canvas.scene.curves import Points
from studio.ui.canvas.scene.guides import STEP
from studio.ui.canvas.sight import View


class DragBends:
    """Moves bends together; the grabbed one keeps to the grid, but for Ctrl."""

    cursor = Qt.CursorShape.ClosedHandCursor

    def __init__(self, board: Board, bends: Iterable[Bend], grabbed: Bend, at: QPointF) -> None:
        self._board = board
        self._from = board.camera.to_scene(at.x(), at.y())
        self._lead = board.scene.bends.point(grabbed) or self._from
        self._bends = frozenset([*bends, grabbed])
        self._ways: dict[Wire, Points] = {}
        self._before = board.loose
        board.loose = self._before | {wire for wire, _ in self._bends}
        board.redrawn.tell()

    def move(self, at: QPointF, keys: Qt.KeyboardModifier) -> "DragBends":
        """Show the wires as they are led with the bends where the pointer has them."""
        board = self._board
        x, y = board.camera.to_scene(at.x(), at.y())
        step = 1 if keys & Qt.KeyboardModifier.ControlModifier else STEP
        dx = round((self._lead[0] + x - self._from[0]) / step) * step - self._lead[0]
        dy = round((self._lead[1] + y - self._from[1]) / step) * step - self._lead[1]
        self._ways = board.scene.bends.moved(self._bends, dx, dy)
        board.scene.settle(bends=self._ways)
        board.stirred.tell()
        return self

    def release(self, at: QPointF, keys: Qt.KeyboardModifier) -> None:
        """Let the bends be where they are: one change."""
        board = self._board
        ways = {wire: [Point(round(x), round(y)) for x, y in points] for wire, points in self._ways.items()}
        self.cancel()
        board.document.history.do(lead(board.flow, ways))

    def cancel(self) -> None:
        """Lead the wires as before."""
        board = self._board
        board.loose = self._before
        board.scene.settle()
        board.redrawn.tell()

    def paint(self, painter: QPainter, view: View) -> None:
        """Draw the wires in the hand, and their bends."""
        board, scene = self._board, self._board.scene
        wires = {wire for wire, _ in self._bends if wire in scene.wire_row}
        rows = np.array(sorted(scene.wire_row[wire] for wire in wires), dtype=np.int64)
        clip = QRectF(0, 0, view.width, view.height)
        paint_wires(painter, scene, board.style, view, clip, rows, width=2.4)
        paint_bends(painter, board, view, wires)
