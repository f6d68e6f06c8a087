"""Buttons side by side, on as many lines as they need."""

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class Wrapping(QLayout):
    """Puts what does not fit on one line on the next; none is wider than the whole."""

    def __init__(self, parent: QWidget | None = None, spacing: int = 8) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._heights: dict[int, int] = {}
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(spacing)

    def addItem(self, item: QLayoutItem, /) -> None:
        """Take one more."""
        self._items.append(item)
        self.invalidate()

    def count(self) -> int:
        """How many there are."""
        return len(self._items)

    def itemAt(self, index: int, /) -> QLayoutItem | None:  # pyright: ignore[reportIncompatibleMethodOverride]  # Qt ends with None
        """The one at a place; None beyond the last."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int, /) -> QLayoutItem | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Give one away; None beyond the last."""
        if not 0 <= index < len(self._items):
            return None
        self._heights.clear()
        return self._items.pop(index)

    def invalidate(self) -> None:
        """Forget how high it was: something in it wants another size."""
        self._heights.clear()
        super().invalidate()

    def expandingDirections(self) -> Qt.Orientation:
        """It wants no more room than it needs."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """The narrower, the more lines."""
        return True

    def heightForWidth(self, width: int, /) -> int:
        """Where the last line ends; asked for many times while a window is laid out once."""
        height = self._heights.get(width)
        if height is None:
            height = self._heights[width] = self._place(QRect(0, 0, width, 0), is_real=False)
        return height

    def setGeometry(self, rect: QRect, /) -> None:
        """Put them there."""
        super().setGeometry(rect)
        self._place(rect, is_real=True)

    def sizeHint(self) -> QSize:
        """All on one line."""
        sizes = [item.sizeHint() for item in self._items]
        between = self.spacing() * max(len(sizes) - 1, 0)
        return QSize(
            sum(one.width() for one in sizes) + between, max((one.height() for one in sizes), default=0)
        )

    def minimumSize(self) -> QSize:
        """As narrow as it must be: lines wrap, and the longest is shortened."""
        return QSize(0, max((item.sizeHint().height() for item in self._items), default=0))

    def _place(self, rect: QRect, *, is_real: bool) -> int:
        at = rect.topLeft()
        line = 0
        for item in self._items:
            wanted = item.sizeHint()
            size = QSize(min(wanted.width(), max(rect.width(), 1)), wanted.height())
            if at.x() > rect.x() and at.x() + size.width() > rect.x() + rect.width():
                at = QPoint(rect.x(), at.y() + line + self.spacing())
                line = 0
            if is_real:
                item.setGeometry(QRect(at, size))
            at = QPoint(at.x() + size.width() + self.spacing(), at.y())
            line = max(line, size.height())
        return at.y() + line - rect.y()
