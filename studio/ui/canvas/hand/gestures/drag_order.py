"""Dragging the number of a wire: its value comes earlier or later in the list."""

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter

from studio.flow.edits import list_order
from studio.ui.canvas.board import Board
from studio.ui.canvas.scene.order_marks import OrderMark
from studio.ui.canvas.sight import View

HOLD = 60.0
"""Widget points from a number within which the hand means its place."""


class DragOrder:
    """Shows the numbers as they would be; letting go puts the wire there, one change."""

    cursor = Qt.CursorShape.SizeVerCursor

    def __init__(self, board: Board, mark: OrderMark) -> None:
        self._board = board
        self._wire = mark.wire
        self._marks = board.order_marks.of(mark.wire.target)
        self._place = mark.place

    def move(self, at: QPointF, keys: Qt.KeyboardModifier) -> "DragOrder":
        """Take the place of the number that is nearest to the pointer."""
        del keys
        board = self._board
        x, y = board.camera.to_scene(at.x(), at.y())
        gaps = [float(np.hypot(mark.x - x, mark.y - y)) for mark in self._marks]
        nearest = int(np.argmin(gaps))
        own = next(place for place, mark in enumerate(self._marks) if mark.wire == self._wire)
        self._place = nearest if gaps[nearest] * board.camera.scale <= HOLD else own
        wires = [mark.wire for mark in self._marks if mark.wire != self._wire]
        wires.insert(self._place, self._wire)
        board.order_marks.trial = {wire: place for place, wire in enumerate(wires)}
        board.stirred.tell()
        return self

    def release(self, at: QPointF, keys: Qt.KeyboardModifier) -> None:
        """Put the wire at its place."""
        del at, keys
        board = self._board
        board.order_marks.trial = {}
        if self._marks[self._place].wire != self._wire:
            board.document.history.do(list_order.put_at(board.flow, self._wire, self._place))
        board.stirred.tell()

    def cancel(self) -> None:
        """Leave the order as it was."""
        self._board.order_marks.trial = {}
        self._board.stirred.tell()

    def paint(self, painter: QPainter, view: View) -> None:
        """The numbers are drawn where they always are."""
