"""A plain list of rows with a muted second half, as several panels show it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListWidget,
    QListWidgetItem,
    QStyleOptionViewItem,
    QWidget,
)

from studio.ui.look import Look
from studio.ui.panels.widgets.row_ground import paint_ground
from studio.ui.panels.widgets.two_lines import Index, TwoLines

DEEPEST = 6
"""Steps to the right at most, so that the words keep their room."""


@dataclass(frozen=True, slots=True)
class ListRow:
    """One row: what it is called, what stands muted beneath, and the colour of its mark (or none).

    `depth` says how far it stands to the right, beneath what it belongs to.
    """

    key: str
    title: str
    detail: str = ""
    color: str = ""
    tip: str = ""
    is_current: bool = False
    depth: int = 0


class _Rows(TwoLines):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        has_two = bool(_row_of(index).detail)
        return super().sizeHint(option, index) if has_two else QSize(0, self._look.length("size.row"))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        look = self._look
        row = _row_of(index)
        painter.save()
        rect, is_chosen = paint_ground(painter, look, option, is_current=row.is_current)
        small = look.length("space.small")
        left = rect.left() + small + min(row.depth, DEEPEST) * look.length("space.large")
        line = look.length("size.row")
        if row.color:
            dot = look.length("size.dot")
            painter.setBrush(look.color(row.color))
            painter.drawEllipse(left, rect.top() + (line - dot) // 2 + (2 if row.detail else 0), dot, dot)
            left += dot + small
        width = rect.right() - left - small
        painter.setFont(look.font("body"))
        painter.setPen(look.color("text.strong" if is_chosen else "text.normal"))
        top = rect.top() + (2 if row.detail else 0)
        self._line(painter, QRect(left, top, width, line), row.title)
        if row.detail:
            painter.setFont(look.font("small"))
            painter.setPen(look.color("text.muted"))
            self._line(
                painter, QRect(left, top + line - 5, width, look.length("space.large") + 2), row.detail
            )
        painter.restore()

    def _line(self, painter: QPainter, place: QRect, text: str) -> None:
        elided = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, elided)


def _row_of(index: Index) -> ListRow:
    return cast("ListRow", index.data(Qt.ItemDataRole.UserRole))


class Listing(QListWidget):
    """Shows rows; `chosen` tells the key of the one that was clicked or entered."""

    chosen = Signal(str)

    def __init__(self, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: Sequence[ListRow] = ()
        self.setItemDelegate(_Rows(look, self))
        self.setAccessibleName(name)
        self.setUniformItemSizes(False)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.itemClicked.connect(self._choose)
        self.itemActivated.connect(self._choose)
        look.changed.connect(self.viewport().update)

    @property
    def rows(self) -> Sequence[ListRow]:
        """What is shown."""
        return self._rows

    def show_rows(self, rows: Sequence[ListRow]) -> None:
        """Replace the rows, if they are others; the row that stood chosen stays so."""
        if tuple(rows) == tuple(self._rows):
            return
        chosen = self.current_key()
        is_same = [row.key for row in rows] == [row.key for row in self._rows]
        self._rows = tuple(rows)
        if not is_same:
            self.clear()
        for number, row in enumerate(rows):
            item = self.item(number) if is_same else QListWidgetItem()
            item.setData(Qt.ItemDataRole.UserRole, row)
            item.setData(
                Qt.ItemDataRole.AccessibleTextRole, f"{row.title}, {row.detail}" if row.detail else row.title
            )
            item.setToolTip(row.tip)
            if not is_same:
                self.addItem(item)
                if chosen and row.key == chosen:
                    self.setCurrentItem(item)

    def current_key(self) -> str:
        """The key of the row that the keyboard stands on; empty where it stands on none."""
        item = self.currentItem()
        if item is None:  # pyright: ignore[reportUnnecessaryComparison]
            return ""
        row = item.data(Qt.ItemDataRole.UserRole)
        return row.key if isinstance(row, ListRow) else ""

    def chosen_keys(self) -> list[str]:
        """The keys of all rows that are selected, from the top."""
        rows = (index.data(Qt.ItemDataRole.UserRole) for index in sorted(self.selectedIndexes()))
        return [row.key for row in rows if isinstance(row, ListRow)]

    def _choose(self, item: QListWidgetItem) -> None:
        if len(self.selectedIndexes()) > 1:
            return  # several are gathered, none is gone to
        row = item.data(Qt.ItemDataRole.UserRole)
        if isinstance(row, ListRow):
            self.chosen.emit(row.key)
