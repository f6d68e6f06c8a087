"""The rows of what grew as a widget, which changes row by row while a run goes on."""

from collections.abc import Mapping, Sequence
from typing import cast

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from studio.ui.look import Look
from studio.ui.viewmodels.run.growth_rows import GrownRow

Index = QModelIndex | QPersistentModelIndex
SHOWN = Qt.ItemDataRole.UserRole
TITLE, SCORE, VISITS, TOKENS, SAID = range(5)
NUMBERS = (SCORE, VISITS, TOKENS)
READABLE = 5
"""How much of the lowest titles is seen at least, in heights of a row."""
TO_READ = 12
"""How wide the title's column is, in heights of a row, where what came of it stands beside it."""


class GrowthTree(QTreeWidget):
    """Shows rows; `chosen` tells the key of the one that the keyboard or the mouse came to."""

    chosen = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._items: dict[str, QTreeWidgetItem] = {}
        self._above: dict[str, str] = {}
        self._dots: dict[str, QIcon] = {}
        self._is_filling = False
        self.setColumnCount(5)
        self.setHeaderLabels(
            [
                self.tr("Part"),
                self.tr("Score"),
                self.tr("Visits"),
                self.tr("Tokens"),
                self.tr("Result"),
            ]
        )
        self.setAccessibleName(self.tr("Parts generated in the run"))
        self.setUniformRowHeights(True)
        self.setAnimated(False)
        self.setIndentation(look.length("space.normal"))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionsMovable(False)
        header.setMinimumSectionSize(look.length("size.row"))
        for column in range(5):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
        self.currentItemChanged.connect(self._tell)
        self.itemClicked.connect(self._tell)
        look.changed.connect(self._redraw)

    @property
    def current(self) -> GrownRow | None:
        """The row that the keyboard stands on."""
        return _row_of(self.currentItem())

    def show_rows(self, rows: Sequence[GrownRow], *, is_whole: bool = True) -> None:
        """Show these, each after the one above it; what stays keeps its place, open or closed.

        Without `is_whole` they are what a search found, and stand open.
        """
        self._is_filling = True
        if self._only_grows(rows):
            self._drop({row.row.key for row in rows})
        else:
            self._clear()
        for row in rows:
            self._show(row)
        if not is_whole:
            self.expandAll()
        self._is_filling = False
        self._share()

    def choose(self, key: str) -> bool:
        """Put the keyboard on a row without telling; gives whether it is there."""
        item = self._items.get(key)
        if item is None or item is self.currentItem():
            return item is not None
        self._is_filling = True
        self.setCurrentItem(item)
        self._is_filling = False
        self.scrollToItem(item)
        return True

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the width anew."""
        super().resizeEvent(event)
        self._share()

    # ---------------------------------------------------------------- rows

    def _only_grows(self, rows: Sequence[GrownRow]) -> bool:
        """Whether what stays has its place beneath the same row, and what is new stands behind it."""
        behind = set[str]()
        for row in rows:
            key, above = row.row.key, row.row.above
            if key not in self._items:
                behind.add(above)
            elif self._above[key] != above or above in behind:
                return False
        return self._is_in_order({row.row.key: place for place, row in enumerate(rows)})

    def _is_in_order(self, order: Mapping[str, int]) -> bool:
        """Whether those that stay beneath one row stand there one after the other as before."""
        last: dict[str, int] = {}
        for key, above in self._above.items():
            if key in order:
                if order[key] < last.get(above, -1):
                    return False
                last[above] = order[key]
        return True

    def _clear(self) -> None:
        self.clear()
        self._items.clear()
        self._above.clear()

    def _drop(self, keys: set[str]) -> None:
        """Take rows away, the lowest first."""
        for key in reversed([one for one in self._items if one not in keys]):
            item = self._items.pop(key)
            self._above.pop(key, None)
            above = item.parent()
            if above is None:  # pyright: ignore[reportUnnecessaryComparison]
                self.takeTopLevelItem(self.indexOfTopLevelItem(item))
            else:
                above.removeChild(item)

    def _show(self, row: GrownRow) -> None:
        key = row.row.key
        item = self._items.get(key)
        if item is None:
            around = self._items.get(row.row.above)
            item = QTreeWidgetItem(around) if around is not None else QTreeWidgetItem(self)
            self._items[key], self._above[key] = item, row.row.above
            item.setExpanded(True)
        elif _row_of(item) == row:
            return
        self._write(item, row)

    def _write(self, item: QTreeWidgetItem, row: GrownRow) -> None:
        look = self._look
        item.setData(TITLE, SHOWN, row)
        for column, text in enumerate((row.title, row.score, row.visits, row.tokens, row.said)):
            item.setText(column, text.replace("\n", " "))
        for column in NUMBERS:
            item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        item.setIcon(TITLE, self._dot(row.tone))
        item.setData(TITLE, Qt.ItemDataRole.AccessibleTextRole, row.words)
        item.setToolTip(TITLE, "\n".join(one for one in (f"{row.title} · {row.state}", row.said) if one))
        font = look.font("body")
        font.setStrikeOut(row.is_dropped)
        item.setFont(TITLE, font)
        item.setForeground(TITLE, look.color("text.muted" if row.is_dropped else "text.normal"))
        for column in (*NUMBERS, SAID):
            item.setForeground(column, look.color("text.muted"))

    def _dot(self, tone: str) -> QIcon:
        found = self._dots.get(tone)
        if found is None:
            found = self._dots[tone] = _dot(self._look.color(f"state.{tone}"), self._look.length("size.dot"))
        return found

    def _redraw(self) -> None:
        self._dots.clear()
        for item in self._items.values():
            row = _row_of(item)
            if row is not None:
                self._write(item, row)

    def _tell(self, item: QTreeWidgetItem | None, *_: object) -> None:
        row = _row_of(item)
        if row is not None and not self._is_filling:
            self.chosen.emit(row.row.key)

    # ---------------------------------------------------------------- columns

    def _share(self) -> None:
        """Show the columns that have anything; what was said only where titles can be read besides."""
        rows = [row for item in self._items.values() if (row := _row_of(item)) is not None]
        line, left = self._look.length("size.row"), self.viewport().width()
        for column, has in (
            (SCORE, any(row.score for row in rows)),
            (VISITS, any(row.visits for row in rows)),
            (TOKENS, any(row.tokens for row in rows)),
        ):
            self.setColumnHidden(column, not has)
            if has:
                title = self.header().fontMetrics().horizontalAdvance(self.headerItem().text(column))
                wide = title + line * 2 // 3
                self.setColumnWidth(column, wide)
                left -= wide
        is_wide = left > line * TO_READ * 2
        self.setColumnHidden(SAID, not is_wide)
        deep = self._deepest() * self.indentation() + line * READABLE  # of a deep tree, titles can be read
        least = min(self.sizeHintForColumn(TITLE), deep)
        self.setColumnWidth(TITLE, max(left // 2 if is_wide else left, least))
        if is_wide:
            self.setColumnWidth(SAID, left - left // 2)

    def _deepest(self) -> int:
        depths: dict[str, int] = {}
        for key, above in self._above.items():
            depths[key] = depths.get(above, 0) + 1
        return max(depths.values(), default=0)


def _row_of(item: QTreeWidgetItem | None) -> GrownRow | None:
    return None if item is None else cast("GrownRow | None", item.data(TITLE, SHOWN))


def _dot(color: QColor, side: int) -> QIcon:
    picture = QPixmap(side * 8, side * 8)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawEllipse(side * 2, side * 2, side * 4, side * 4)
    painter.end()
    return QIcon(picture)
