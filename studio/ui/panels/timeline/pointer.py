"""What a pointer does in the timeline: clicks choose; drags pan, scrub in the ruler, or choose a part."""

from enum import Enum, auto

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent

from studio.ui.panels.timeline.view import TimelineView

DRAG_FROM = 4
"""Pixels that the pointer moves before a press is a drag."""


class Doing(Enum):
    """What a drag does, told by where and with which keys it began."""

    PANS = auto()
    SCRUBS = auto()
    CHOOSES = auto()


class Pointer:
    """Follows one pointer from press to release."""

    def __init__(self, view: TimelineView) -> None:
        self._view = view
        self._doing: Doing | None = None
        self._pressed = QPointF()
        self._last = QPointF()
        self._dragged = False

    def press(self, event: QMouseEvent) -> None:
        """Begin; in the ruler the playhead comes at once."""
        if event.button() not in {Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton}:
            return
        self._pressed = self._last = event.position()
        self._dragged = False
        self._doing = Doing.PANS
        if event.button() == Qt.MouseButton.LeftButton:
            if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self._doing = Doing.CHOOSES
            elif self._view.is_ruler(event.position()):
                self._doing = Doing.SCRUBS
                self._view.ask_moment(event.position().x())

    def move(self, event: QMouseEvent) -> None:
        """Go on with what was begun."""
        place = event.position()
        if self._doing is None:
            self._view.viewport().setCursor(self._shape(place))
            return
        if not self._dragged and (place - self._pressed).manhattanLength() < DRAG_FROM:
            return
        self._dragged = True
        match self._doing:
            case Doing.SCRUBS:
                self._view.ask_moment(place.x())
            case Doing.CHOOSES:
                view = self._view
                view.choose_part((view.seconds_at(self._pressed.x()), view.seconds_at(place.x())))
            case Doing.PANS:
                self._view.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
                moved = place - self._last
                self._view.pan(moved.x(), moved.y())
        self._last = place

    def release(self, event: QMouseEvent) -> None:
        """End it; a press that was no drag is a click."""
        doing, self._doing = self._doing, None
        self._view.viewport().setCursor(self._shape(event.position()))
        if doing is None or self._dragged or event.button() != Qt.MouseButton.LeftButton:
            return
        if doing is Doing.CHOOSES:
            self._view.choose_part(None)
        elif doing is Doing.PANS:
            bar = self._view.bar_at(event.position())
            if bar is not None:
                self._view.choose(bar)

    def _shape(self, place: QPointF) -> Qt.CursorShape:
        if self._view.is_ruler(place):
            return Qt.CursorShape.SplitHCursor
        over = self._view.bar_at(place) is not None
        return Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor
