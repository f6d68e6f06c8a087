"""The timeline in a hand: pan by dragging, choose by a click, every bar within reach of the keyboard."""

from collections.abc import Callable

from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QWidget

from studio.ids import StepId
from studio.ui.look import Look
from studio.ui.panels.timeline.keys import press_key
from studio.ui.panels.timeline.pointer import Pointer
from studio.ui.panels.timeline.view import TimelineView


class TimelineInHand(TimelineView):
    """Hands the events of pointer and keyboard to what knows their meaning; `TimelinePanel` shows it."""

    def __init__(self, look: Look, describe: Callable[[StepId], str], parent: QWidget | None = None) -> None:
        super().__init__(look, describe, parent)
        self._pointer = Pointer(self)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click or a drag."""
        self._pointer.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go on with a drag; otherwise show what can be done here."""
        self._pointer.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a drag, or choose the bar that was clicked."""
        self._pointer.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show the whole run again; in the ruler, as it is now."""
        if self.is_ruler(event.position()):
            self.moment_asked.emit(None)
        else:
            self.follow()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Do what a key says; others go on to whoever is around."""
        if not press_key(self, event):
            super().keyPressEvent(event)
