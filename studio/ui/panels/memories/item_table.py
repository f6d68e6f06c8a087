"""The items of one memory as a table: searched by words, sorted by any column."""

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from studio.app.memories.item_search import searched, with_words
from studio.sdk.items import Item
from studio.ui.look import Look
from studio.ui.slots import of_any
from studio.ui.viewmodels.memories.memory_words import Column, columns_of

Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()
ROOM = 3
"""How wide, in heights of a row, each column has to be for who wrote an item, and when, to stand there."""
A_NAME = "researcher"
"""As much of who wrote an item as can be read."""
TO_READ = 5
"""How much wider than it must be, in heights of a row, the text is to be for when it was to stand there."""
SORTED = 60
"""Characters by which words are sorted."""


class ItemModel(QAbstractTableModel):
    """Those items of a memory that have all words of a search."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._all: Sequence[Item] = ()
        self._texts: list[str] = []
        self._columns: Sequence[Column] = columns_of("")
        self._words = ""
        self._order: tuple[int, Qt.SortOrder] = (-1, Qt.SortOrder.AscendingOrder)
        self.items: Sequence[Item] = ()

    @property
    def columns(self) -> Sequence[Column]:
        """The columns that are shown."""
        return self._columns

    def show_items(self, kind: str, items: Sequence[Item]) -> None:
        """Show other items."""
        self.beginResetModel()
        self._columns = columns_of(kind)
        self._all = items
        self._texts = []
        if self._order[0] >= len(self._columns):
            self._order = (-1, Qt.SortOrder.AscendingOrder)
        self._arrange()
        self.endResetModel()

    def search(self, words: str) -> None:
        """Show the items that have each of these words, wherever in them."""
        self.beginResetModel()
        self._words = words.strip()
        self._arrange()
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; a negative one means by age."""
        self.layoutAboutToBeChanged.emit()
        self._order = (column, order)
        self._arrange()
        self.layoutChanged.emit()

    def _arrange(self) -> None:
        found: Sequence[Item] = self._all
        if self._words:
            if len(self._texts) != len(self._all):
                self._texts = [searched(one) for one in self._all]
            found = with_words(self._all, self._words, self._texts)
        column, order = self._order
        if column >= 0:
            value = self._columns[column].value
            is_down = order is Qt.SortOrder.DescendingOrder
            found = sorted(found, key=lambda one: _sortable(value(one)), reverse=is_down)
        self.items = found

    def row_of(self, item_id: str) -> int:
        """Where an item stands; -1 where it is not shown."""
        return next((row for row, one in enumerate(self.items) if one.id == item_id), -1)

    def rowCount(self, parent: Index = NOWHERE) -> int:
        """As many as were found."""
        return 0 if parent.isValid() else len(self.items)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        """As the kind of memory has them."""
        return 0 if parent.isValid() else len(self._columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """What stands in a cell."""
        if not index.isValid():
            return None
        column = self._columns[index.column()]
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
            return column.words(self.items[index.row()])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            is_number = isinstance(column.value(self.items[index.row()]), int | float)
            side = Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """The titles of the columns."""
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self._columns[section].title
        return None


class ItemTable(QTableView):
    """Shows the model; `chosen` tells the id of the item that the keyboard stands on, empty for none."""

    chosen = Signal(str)
    opened = Signal()
    removed = Signal()

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._row = look.length("size.row")
        self.items = ItemModel(self)
        self.setModel(self.items)
        self.setAccessibleName(self.tr("Items of the memory"))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setWordWrap(False)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(self._row)
        self.verticalHeader().setMinimumSectionSize(self._row)
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.setHighlightSections(False)
        header.setSortIndicatorShown(True)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.sortIndicatorChanged.connect(self._sort)
        self.doubleClicked.connect(of_any(self.opened.emit))
        self.selectionModel().currentRowChanged.connect(of_any(self._tell))

    def show_items(self, kind: str, items: Sequence[Item]) -> None:
        """Show other items; the chosen one stays so, where it is still there."""
        others = [one.title for one in columns_of(kind)] != [one.title for one in self.items.columns]
        if others:
            self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self._keep(lambda: self.items.show_items(kind, items))
        if others:
            self._share()

    def search(self, words: str) -> None:
        """Show the items that have these words."""
        self._keep(lambda: self.items.search(words))

    def current(self) -> Item | None:
        """The item that the keyboard stands on."""
        row = self.currentIndex().row()
        return self.items.items[row] if 0 <= row < len(self.items.items) else None

    def current_id(self) -> str:
        """Its id; empty where it stands on none."""
        found = self.current()
        return found.id if found is not None else ""

    def choose(self, item_id: str) -> bool:
        """Put the keyboard on an item; gives whether it is shown."""
        row = self.items.row_of(item_id)
        if row >= 0:
            self.selectRow(row)
            self.scrollTo(self.items.index(row, 0))
        return row >= 0

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens, Delete removes."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.opened.emit()
        elif event.key() in {Qt.Key.Key_Delete, Qt.Key.Key_Backspace}:
            self.removed.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the width anew."""
        super().resizeEvent(event)
        self._share()

    def _tell(self) -> None:
        self.chosen.emit(self.current_id())

    def _sort(self, column: int, order: Qt.SortOrder) -> None:
        self._keep(lambda: self.items.sort(column, order))

    def _keep(self, act: Callable[[], None]) -> None:
        before = self.current_id()
        act()
        if before and self.choose(before):
            return
        if self.items.items:
            self.selectRow(0)
        else:
            self.chosen.emit("")

    def _share(self) -> None:
        """Give each column its share of the width; who wrote it, and when, only where there is room.

        Where one of these can stand it is who wrote it: when is told on the item's page as well.
        """
        columns, width = self.items.columns, self.viewport().width()
        moment = self.fontMetrics().horizontalAdvance("2026-11-21 20:41:50") + self._row
        least = [self._least(place) for place in range(len(columns) - 1)]
        needed = max(self._row * ROOM * len(least), sum(least))
        hidden = 0 if width - moment >= needed + self._row * TO_READ else 1 if width >= needed else 2
        for place in range(len(columns)):
            self.setColumnHidden(place, place >= len(columns) - hidden)
        rest = width if hidden else width - moment
        shared = columns[: len(columns) - max(hidden, 1)]
        least = least[: len(shared)]
        whole, free = sum(one.share for one in shared), max(rest - sum(least), 0)
        for place, one in enumerate(shared):
            self.setColumnWidth(place, least[place] + free * one.share // whole)
        self.setColumnWidth(len(columns) - 1, moment)

    def _least(self, place: int) -> int:
        """The width at which the title of a column can be read, and words as short as most are."""
        title = self.items.columns[place].title
        readable = self.horizontalHeader().fontMetrics().horizontalAdvance(title)
        if place == len(self.items.columns) - 2:
            readable = max(readable, self.fontMetrics().horizontalAdvance(A_NAME))
        return readable + self._row


def _sortable(value: object) -> tuple[int, Any]:
    """Numbers first, then words; what is missing last."""
    if isinstance(value, int | float):
        return 0, value
    return (2, "") if value is None else (1, str(value)[:SORTED].casefold())
