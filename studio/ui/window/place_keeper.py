"""Keeps how the window stands a moment after it was changed, for the window after one that is killed."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget

from studio.ui.window.docks import Docks

REST = 1_000
"""Milliseconds without a change after which it is kept."""
_CHANGES = frozenset({QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.WindowStateChange})


class PlaceKeeper(QObject):
    """Watches a window's place and its docks."""

    def __init__(self, window: QWidget, docks: Docks, keep: Callable[[], None]) -> None:
        super().__init__(window)
        self._window = window
        self._resting = QTimer(self, singleShot=True, interval=REST)
        self._resting.timeout.connect(keep)
        docks.arranged.connect(self._begin)
        window.installEventFilter(self)

    def stop(self) -> None:
        """Keep nothing any more."""
        self._resting.stop()
        self._window.removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """See where the window goes."""
        if event.type() in _CHANGES:
            self._begin()
        return super().eventFilter(watched, event)

    def _begin(self) -> None:
        if self._window.isVisible():
            self._resting.start()
