"""Whether a hand is on the canvas: while it is, nothing comes or goes around it by itself."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QApplication

from studio.ui.later import later

if TYPE_CHECKING:
    from studio.ui.canvas.view import CanvasView

ENDS = frozenset({QEvent.Type.Leave, QEvent.Type.MouseButtonRelease, QEvent.Type.FocusIn, QEvent.Type.Hide})
"""What a hand's leaving the canvas shows in: the pointer goes, a drag ends, the keyboard comes back."""


class Stillness(QObject):
    """Watches canvases: the pointer on one, a gesture under way, a text that is written there."""

    over = Signal()
    """No hand is on a canvas any more."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._canvases: list[CanvasView] = []

    def add(self, canvas: "CanvasView") -> None:
        """Watch a canvas, as long as it is open."""
        self._canvases.append(canvas)
        canvas.installEventFilter(self)

    def remove(self, canvas: "CanvasView") -> None:
        """Watch it no more."""
        canvas.removeEventFilter(self)
        self._canvases.remove(canvas)
        self._tell()

    @property
    def is_wanted(self) -> bool:
        """Whether a hand is on a canvas that is seen."""
        return any(_is_in_hand(canvas) for canvas in self._canvases if canvas.isVisible())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Tell once a hand has left."""
        if event.type() in ENDS:
            later(self, self._tell)
        return super().eventFilter(watched, event)

    def _tell(self) -> None:
        if not self.is_wanted:
            self.over.emit()


def _is_in_hand(canvas: "CanvasView") -> bool:
    focused = QApplication.focusWidget()
    is_written = focused is not None and focused is not canvas and canvas.isAncestorOf(focused)
    return canvas.underMouse() or canvas.gesture is not None or is_written
