"""The small square in a category's colour that stands before a node's name."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QWidget

from studio.ui.look import Look


class CategoryMark(QWidget):
    """Shows the category of a node kind."""

    def __init__(self, look: Look, kind: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look, self._kind = look, kind
        look.changed.connect(self.update)

    def set_kind(self, kind: str) -> None:
        """Show another kind's category; an empty kind shows nothing."""
        self._kind = kind
        self.update()

    def sizeHint(self) -> QSize:
        """A row's icon is as large."""
        side = self._look.length("size.icon")
        return QSize(side, side)

    def minimumSizeHint(self) -> QSize:
        """It does not shrink."""
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the square in the middle."""
        if self._kind:
            painter = QPainter(self)
            draw_mark(painter, QRectF(self.rect()), self._look, self._look.category(self._kind))
            painter.end()


def draw_mark(painter: QPainter, place: QRectF, look: Look, color: QColor) -> None:
    """Draw the square into the middle of `place`."""
    side = look.length("size.dot") + 1
    square = QRectF(0, 0, side, side)
    square.moveCenter(place.center())
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawRoundedRect(square, 2.5, 2.5)


def mark_pixmap(look: Look, color: QColor, ratio: float) -> QPixmap:
    """The square as a picture for lists, crisp at a device pixel ratio."""
    side = look.length("size.icon")
    pixmap = QPixmap(round(side * ratio), round(side * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    draw_mark(painter, QRectF(0, 0, side, side), look, color)
    painter.end()
    return pixmap
