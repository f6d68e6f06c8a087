"""What every gesture can do."""

from typing import Protocol, runtime_checkable

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter

from studio.ui.canvas.sight import View


class Gesture(Protocol):
    """One gesture under way. Points are widget points."""

    def move(self, at: QPointF, keys: Qt.KeyboardModifier) -> "Gesture":
        """Follow the pointer; gives the gesture that this one has become."""
        ...

    def release(self, at: QPointF, keys: Qt.KeyboardModifier) -> None:
        """Finish: make the edit, if there is one."""
        ...

    def cancel(self) -> None:
        """Put everything back as it was at the press."""
        ...

    def paint(self, painter: QPainter, view: View) -> None:
        """Draw what is in the hand, above everything else."""
        ...

    @property
    def cursor(self) -> Qt.CursorShape:
        """The pointer's shape meanwhile."""
        ...


@runtime_checkable
class Telling(Protocol):
    """A gesture that has something to say while it is under way."""

    @property
    def reason(self) -> str:
        """Why a release here would not do what it seems to; empty where it would."""
        ...
