"""Moving the paper under the window."""

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter

from studio.ui.canvas.board import Board
from studio.ui.canvas.sight import View


class Pan:
    """The middle button, or the left one while Space is held."""

    cursor = Qt.CursorShape.ClosedHandCursor

    def __init__(self, board: Board, at: QPointF) -> None:
        self._board = board
        self._from = at
        self._camera = board.camera

    def move(self, at: QPointF, keys: Qt.KeyboardModifier) -> "Pan":
        """Keep what was grabbed under the pointer."""
        del keys
        offset = at - self._from
        self._board.camera = self._camera.panned(offset.x(), offset.y()).snapped(self._board.ratio)
        self._board.stirred.tell()
        return self

    def release(self, at: QPointF, keys: Qt.KeyboardModifier) -> None:
        """Stay where the paper was dragged."""

    def cancel(self) -> None:
        """Go back to where the paper lay."""
        self._board.camera = self._camera
        self._board.stirred.tell()

    def paint(self, painter: QPainter, view: View) -> None:
        """Nothing but the paper is in the hand."""
