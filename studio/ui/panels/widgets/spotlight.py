"""A ring about a place in the window, for a moment: where something is that was asked for."""

from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from studio.ui.later import later
from studio.ui.look import Look

LASTS = 2_500
"""Milliseconds."""


class Spotlight(QWidget):
    """Takes no clicks and no keys; what lies beneath is used as ever."""

    def __init__(self, look: Look, place: QWidget, part: QRect | None = None) -> None:
        """Point at a widget, or at a part of it, in its own pixels."""
        super().__init__(place.window())
        self._look = look
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        gap = look.length("space.tight")
        rect = (part or place.rect()).intersected(place.rect())
        within = QRect(place.mapTo(place.window(), rect.topLeft()), rect.size())
        self.setGeometry(within.adjusted(-gap, -gap, gap, gap).intersected(place.window().rect()))
        self.show()
        self.raise_()
        later(self, self.leave, LASTS)

    def leave(self) -> None:
        """Go before the time is over."""
        self.hide()
        self.deleteLater()

    @property
    def middle(self) -> QPoint:
        """What it points at, in pixels of the window."""
        return self.geometry().center()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the ring."""
        wide = self._look.length("size.focus") + self._look.length("size.hairline")
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._look.color("accent.focus"), wide))
        round_ = self._look.length("radius.field")
        edge = QRectF(self.rect()).adjusted(wide / 2, wide / 2, -wide / 2, -wide / 2)
        painter.drawRoundedRect(edge, round_, round_)
        painter.end()
