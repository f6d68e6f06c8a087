"""A line of text that gives way where there is little room."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel


class ShortLabel(QLabel):
    """A line that ends in dots where there is no room for all of it; its tooltip has the whole."""

    def minimumSizeHint(self) -> QSize:
        """As narrow as its dots."""
        return QSize(self.fontMetrics().horizontalAdvance("…"), super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw as much as there is room for."""
        painter = QPainter(self)
        room = self.contentsRect()
        said = painter.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, said)
        painter.end()
