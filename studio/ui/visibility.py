"""Panels that are told of runs and edits only while a person can see them."""

from collections.abc import Callable

from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QWidget


def is_seen(widget: QWidget) -> bool:
    """Whether any of a widget lies within its window: Qt moves docks that are behind a tab outside of it."""
    window = widget.window()
    place = QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())
    return widget.isVisible() and window.rect().intersects(place)


class Seen:
    """Has a panel read what it shows while it is seen, or else once it is seen again."""

    def __init__(self, panel: QWidget, read: Callable[[], object]) -> None:
        """Join a panel to the function that has it `read` all that it shows."""
        self._panel, self._read = panel, read
        self._is_late = False

    def tell(self, read: Callable[[], object] | None = None) -> None:
        """Have it read anew; `read` is a shorter way for a panel that missed nothing."""
        if self._is_late or not is_seen(self._panel):
            self._is_late = True
            self.catch_up()
        else:
            (read or self._read)()

    def catch_up(self) -> None:
        """Have it read what it missed, where it is seen by now."""
        if self._is_late and is_seen(self._panel):
            self._is_late = False
            self._read()
