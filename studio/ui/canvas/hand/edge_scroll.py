"""The paper comes along when a hand drags something to the edge of the window."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QPointF, Qt, QTimer
from PySide6.QtWidgets import QWidget

from studio.ui.canvas.board import Board

MARGIN = 28.0
"""Widget points from the edge within which the paper moves, the faster the nearer."""
FASTEST = 16.0
"""Widget points for each step."""
STEP = 16
"""Milliseconds between steps."""


class EdgeScroll(QObject):
    """Moves the paper in steps as long as the pointer stays at an edge, and lets the gesture follow."""

    def __init__(
        self, canvas: QWidget, board: Board, again: Callable[[QPointF, Qt.KeyboardModifier], None]
    ) -> None:
        super().__init__(canvas)
        self._canvas, self._board, self._again = canvas, board, again
        self._at, self._keys = QPointF(), Qt.KeyboardModifier.NoModifier
        self._clock = QTimer(self, interval=STEP)
        self._clock.timeout.connect(self.step)

    @property
    def is_under_way(self) -> bool:
        """Whether the pointer is at an edge."""
        return self._clock.isActive()

    def follow(self, at: QPointF, keys: Qt.KeyboardModifier) -> None:
        """Hear where the pointer has dragged something."""
        self._at, self._keys = at, keys
        if self._pace() == (0.0, 0.0):
            self._clock.stop()
        elif not self._clock.isActive():
            self._clock.start()

    def stop(self) -> None:
        """Let the paper lie: nothing is dragged any more."""
        self._clock.stop()

    def step(self) -> None:
        """Move the paper once, and what is dragged with it."""
        dx, dy = self._pace()
        board = self._board
        board.camera = board.camera.panned(dx, dy).snapped(board.ratio)
        self._again(self._at, self._keys)
        board.stirred.tell()

    def _pace(self) -> tuple[float, float]:
        return _pace(self._at.x(), self._canvas.width()), _pace(self._at.y(), self._canvas.height())


def _pace(at: float, length: float) -> float:
    """How far the paper moves along one side in a step: to the right at the left edge."""
    near, far = max(0.0, MARGIN - at), max(0.0, at - (length - MARGIN))
    return min(FASTEST, near / MARGIN * FASTEST) - min(FASTEST, far / MARGIN * FASTEST)
