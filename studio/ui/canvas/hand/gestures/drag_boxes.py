"""Dragging a frame or note with all that is selected and stands in it, and pulling its edges."""

from collections.abc import Mapping

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter

from studio.flow.edits import boxes
from studio.flow.records import Frame, Note
from studio.ids import NodeId
from studio.ui.canvas.board import Board
from studio.ui.canvas.camera import Rect
from studio.ui.canvas.hand.moved_boxes import Carried
from studio.ui.canvas.scene.box_places import Edges, Key, resized
from studio.ui.canvas.sight import View
from studio.ui.canvas.things import move_things, selected_things

GRID = 8
"""Scene units to which corners and edges keep; Ctrl moves freely."""

CURSORS: Mapping[Edges, Qt.CursorShape] = {
    (-1, 0): Qt.CursorShape.SizeHorCursor,
    (1, 0): Qt.CursorShape.SizeHorCursor,
    (0, -1): Qt.CursorShape.SizeVerCursor,
    (0, 1): Qt.CursorShape.SizeVerCursor,
    (-1, -1): Qt.CursorShape.SizeFDiagCursor,
    (1, 1): Qt.CursorShape.SizeFDiagCursor,
    (-1, 1): Qt.CursorShape.SizeBDiagCursor,
    (1, -1): Qt.CursorShape.SizeBDiagCursor,
}


class DragBoxes:
    """Moves what is selected, frames or notes among it; what stands in a moved frame comes along."""

    cursor = Qt.CursorShape.ClosedHandCursor

    def __init__(self, board: Board, grabbed: Key | NodeId, at: QPointF) -> None:
        self._board = board
        self._from = board.camera.to_scene(at.x(), at.y())
        self._things = selected_things(board)
        self._carried = Carried(board, self._things)
        rows = [board.scene.row[node] for node in sorted(self._things.nodes)]
        self._rows = np.array(rows, dtype=np.int64)
        rect = board.scene.standing.rect(grabbed) if isinstance(grabbed, Key) else board.scene.rect(grabbed)
        self._corner = (rect.x, rect.y) if rect is not None else (0.0, 0.0)
        self._offset = (0, 0)
        board.moving = self._rows
        self._carried.show(0, 0)
        board.redrawn.tell()

    def move(self, at: QPointF, keys: Qt.KeyboardModifier) -> "DragBoxes":
        """Show everything where the pointer has it."""
        board = self._board
        x, y = board.camera.to_scene(at.x(), at.y())
        grid = 1 if keys & Qt.KeyboardModifier.ControlModifier else GRID
        dx, dy = (
            round(round((corner + now - start) / grid) * grid - corner)
            for corner, now, start in zip(self._corner, (x, y), self._from, strict=True)
        )
        if (dx, dy) == self._offset:
            return self
        self._offset = (dx, dy)
        board.scene.shift(self._rows, dx, dy)
        self._carried.show(dx, dy)
        if board.scene.areas:
            board.redrawn.tell()
        else:
            board.stirred.tell()
        return self

    def release(self, at: QPointF, keys: Qt.KeyboardModifier) -> None:
        """Put everything down: one change."""
        del at, keys
        self.cancel()
        if self._offset != (0, 0):
            self._board.document.history.do(move_things(self._board, self._things, *self._offset))

    def cancel(self) -> None:
        """Put everything back."""
        self._board.moving = None
        self._carried.let_go()
        self._board.scene.settle()
        self._board.redrawn.tell()

    def paint(self, painter: QPainter, view: View) -> None:
        """What is dragged is drawn by the view itself."""


class ResizeBox:
    """Pulls edges of a frame or note."""

    def __init__(self, board: Board, key: Key, edges: Edges, at: QPointF) -> None:
        self._board, self._key, self._edges = board, key, edges
        self._from = board.camera.to_scene(at.x(), at.y())
        self._rect = board.scene.standing.rects()[key]
        self._shown = self._rect
        self.cursor = CURSORS[edges]
        board.scene.standing.held = {key: self._rect}
        board.redrawn.tell()

    def move(self, at: QPointF, keys: Qt.KeyboardModifier) -> "ResizeBox":
        """Show the edges where the pointer has them."""
        x, y = self._board.camera.to_scene(at.x(), at.y())
        grid = 1 if keys & Qt.KeyboardModifier.ControlModifier else GRID
        rect = self._rect
        corner = (
            rect.x if self._edges[0] < 0 else rect.right,
            rect.y if self._edges[1] < 0 else rect.bottom,
        )
        dx, dy = (
            round((edge + now - start) / grid) * grid - edge
            for edge, now, start in zip(corner, (x, y), self._from, strict=True)
        )
        least = boxes.LEAST_FRAME if self._key.kind == "frame" else boxes.LEAST_NOTE
        self._shown = resized(rect, self._edges, dx, dy, least)
        self._board.scene.standing.held = {self._key: self._shown}
        self._board.stirred.tell()
        return self

    def release(self, at: QPointF, keys: Qt.KeyboardModifier) -> None:
        """Give the frame or note its new size: one change."""
        del at, keys
        self.cancel()
        if self._shown != self._rect:
            resize(self._board, self._key, self._shown)

    def cancel(self) -> None:
        """Leave it as it was."""
        self._board.scene.standing.held = {}
        self._board.redrawn.tell()

    def paint(self, painter: QPainter, view: View) -> None:
        """What is pulled is drawn by the view itself."""


def resize(board: Board, key: Key, rect: Rect) -> None:
    """Give a frame or note a place and a size, as one step."""
    box = board.scene.standing.box(key)
    numbers = round(rect.x), round(rect.y), round(rect.width), round(rect.height)
    if isinstance(box, Frame):
        frame = Frame(box.title, *numbers, box.color, box.holds)
        board.do(lambda: boxes.set_frame(board.flow, key.name, frame, "Resize frame"))
    elif isinstance(box, Note):
        note = Note(box.text, *numbers)
        board.do(lambda: boxes.set_note(board.flow, key.name, note, "Resize note"))
