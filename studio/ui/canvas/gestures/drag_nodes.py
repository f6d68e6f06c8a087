"""Dragging nodes: live while the button is down, one undo step at the end."""

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter

from studio.ids import NodeId
from studio.ui.canvas.board import Board
from studio.ui.canvas.painter import View

STEP = 8
"""Scene units to which the grabbed node keeps, so that rows line up; Alt moves freely."""


class DragNodes:
    """Moves the selected nodes, and with an area everything in it."""

    cursor = Qt.CursorShape.ClosedHandCursor

    def __init__(self, board: Board, grabbed: NodeId, at: QPointF) -> None:
        self._board = board
        self._from = board.camera.to_scene(at.x(), at.y())
        self._nodes = sorted(board.scene.bodies(board.selected))
        self._rows = np.array([board.scene.row[node] for node in self._nodes], dtype=np.int64)
        area = board.scene.area_of(grabbed)
        lead = next(iter(sorted(area.region.body)), grabbed) if area is not None else grabbed
        self._lead = board.scene.home[board.scene.row.get(lead, 0)].tolist()
        self._offset = (0.0, 0.0)
        self._areas = _shapes(board)
        board.moving = self._rows
        board.redrawn.tell()

    def move(self, at: QPointF, keys: Qt.KeyboardModifier) -> "DragNodes":
        """Show the nodes where the pointer has them."""
        board = self._board
        x, y = board.camera.to_scene(at.x(), at.y())
        dx, dy = x - self._from[0], y - self._from[1]
        step = 1 if keys & Qt.KeyboardModifier.AltModifier else STEP
        dx = round((self._lead[0] + dx) / step) * step - self._lead[0]
        dy = round((self._lead[1] + dy) / step) * step - self._lead[1]
        if (dx, dy) == self._offset:
            return self
        self._offset = (dx, dy)
        board.scene.shift(self._rows, dx, dy)
        areas = _shapes(board)
        if areas != self._areas:
            self._areas = areas
            board.redrawn.tell()
        else:
            board.stirred.tell()
        return self

    def release(self, at: QPointF, keys: Qt.KeyboardModifier) -> None:
        """Put the nodes down: one change."""
        board, (dx, dy) = self._board, self._offset
        board.moving = None
        if (dx, dy) == (0.0, 0.0):
            board.scene.settle()
            board.redrawn.tell()
            return
        homes = board.scene.home
        places = {
            node: (homes[row, 0] + dx, homes[row, 1] + dy)
            for node, row in zip(self._nodes, self._rows, strict=True)
        }
        board.put(places)

    def cancel(self) -> None:
        """Put the nodes back."""
        self._board.moving = None
        self._board.scene.settle()
        self._board.redrawn.tell()

    def paint(self, painter: QPainter, view: View) -> None:
        """The dragged nodes are drawn by the view itself."""


def _shapes(board: Board) -> list[tuple[object, ...]]:
    return [(area.rect, area.pills) for area in board.scene.areas.values()]
