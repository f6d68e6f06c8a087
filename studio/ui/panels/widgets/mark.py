"""The glyph of a kind of node in its category's colour, which stands before a node's name."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QWidget

from studio.ui.look import Look
from studio.ui.theme.kind_glyphs import draw_kind


class KindMark(QWidget):
    """Shows a node kind."""

    def __init__(self, look: Look, kind: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look, self._kind = look, kind
        look.changed.connect(self.update)

    def set_kind(self, kind: str) -> None:
        """Show another kind; an empty one shows nothing."""
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
        """Draw the glyph in the middle."""
        if self._kind:
            painter = QPainter(self)
            draw_mark(painter, QRectF(self.rect()), self._look, self._kind)
            painter.end()


def draw_mark(painter: QPainter, place: QRectF, look: Look, kind: str) -> None:
    """Draw a kind's glyph into the middle of `place`."""
    side = min(place.width(), place.height(), look.length("size.icon"))
    square = QRectF(0, 0, side, side)
    square.moveCenter(place.center())
    draw_kind(painter, kind, square, look.category(kind))


def mark_pixmap(look: Look, kind: str, ratio: float) -> QPixmap:
    """The glyph as a picture for lists, crisp at a device pixel ratio."""
    side = look.length("size.icon")
    pixmap = QPixmap(round(side * ratio), round(side * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    draw_mark(painter, QRectF(0, 0, side, side), look, kind)
    painter.end()
    return pixmap
