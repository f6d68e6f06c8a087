"""The table of trials: rows in lines, variants in columns, cells coloured by score and written out."""

from dataclasses import replace

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelection,
    QModelIndex,
    QPoint,
    QRect,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from studio.experiments.trial_pages import ShownRow, Wanted
from studio.ui.look import Look
from studio.ui.panels.widgets.two_lines import Index, TwoLines
from studio.ui.slots import of_number
from studio.ui.viewmodels.experiments.table_rows import CellLook, TableRows

NOWHERE = QModelIndex()
ROW, CELL = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1
NARROWEST = 5
"""How wide a column is at least, in wide gaps."""


class TrialModel(QAbstractTableModel):
    """Shows the rows of a table, of which only those that are looked at are read."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.rows: TableRows | None = None

    def show_rows(self, rows: TableRows | None) -> None:
        """Show another table, or the same in another order."""
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def read_again(self) -> None:
        """Read anew what is looked at."""
        if self.rows is not None and self.rows.count:
            self.rows.forget()
            last = self.index(self.rows.count - 1, self.columnCount() - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def rowCount(self, parent: Index = NOWHERE) -> int:
        """As many as are listed."""
        return 0 if parent.isValid() or self.rows is None else self.rows.count

    def columnCount(self, parent: Index = NOWHERE) -> int:
        """The row's own, and one for each variant."""
        return 0 if parent.isValid() or self.rows is None else 1 + len(self.rows.variants)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """What stands in a cell, and how it is said and coloured."""
        if not index.isValid() or self.rows is None or index.row() >= self.rows.count:
            return None
        if index.column() == 0:
            return self._of_row(self.rows.row(index.row()), role)
        if role in {
            CELL,
            Qt.ItemDataRole.DisplayRole,
            Qt.ItemDataRole.ToolTipRole,
            Qt.ItemDataRole.AccessibleTextRole,
        }:
            return self._of_cell(self.rows.cell(index.row(), index.column() - 1), index, role)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """The names of the variants."""
        if self.rows is None or orientation is not Qt.Orientation.Horizontal:
            return None
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole}:
            return self.tr("Row") if section == 0 else self.rows.variants[section - 1]
        return None

    @staticmethod
    def _of_row(row: ShownRow, role: int) -> object:
        if role == ROW:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return row.id
        if role == Qt.ItemDataRole.ToolTipRole:
            return "\n".join([row.said, *row.tags])
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{row.id}: {row.said}"
        return None

    def _of_cell(self, look: CellLook, index: Index, role: int) -> object:
        if role == CELL:
            return look
        if role == Qt.ItemDataRole.AccessibleTextRole and self.rows is not None:
            variant = self.rows.variants[index.column() - 1]
            return f"{self.rows.row(index.row()).id}, {variant}: {look.text}. {look.detail}"
        return look.tip if role == Qt.ItemDataRole.ToolTipRole else look.text


class _Cells(TwoLines):
    """Paints two lines: a name or a score, and below it what was asked, or what went wrong."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        look = self._look
        rect: QRect = option.rect  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
        state: QStyle.StateFlag = option.state  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
        cell, row = index.data(CELL), index.data(ROW)
        painter.save()
        painter.setPen(Qt.PenStyle.NoPen)
        is_chosen = bool(state & QStyle.StateFlag.State_Selected)
        inner = rect.adjusted(1, 1, -1, -1)
        if isinstance(cell, CellLook):
            first, second = cell.text, cell.detail
            if cell.grade:
                painter.setBrush(look.color(f"score.{cell.grade}"))
                painter.drawRect(inner)
        else:
            first, second = (row.id, " ".join(row.said.split())) if isinstance(row, ShownRow) else ("", "")
        if is_chosen:
            painter.setBrush(
                Qt.BrushStyle.NoBrush if isinstance(cell, CellLook) else look.color("surface.selection")
            )
            painter.setPen(look.color("accent.focus"))
            painter.drawRect(inner.adjusted(0, 0, -1, -1))
        small = look.length("space.small")
        line = look.length("size.row")
        width = rect.width() - 2 * small
        painter.setFont(look.font("body"))
        is_dim = isinstance(cell, CellLook) and not cell.is_over
        painter.setPen(look.color("text.muted" if is_dim else "text.strong"))
        top = rect.top() + (2 if second else (rect.height() - line) // 2)
        self._line(painter, QRect(rect.left() + small, top, width, line), first)
        if second:
            painter.setFont(look.font("small"))
            painter.setPen(look.color("text.normal" if isinstance(cell, CellLook) else "text.muted"))
            below = QRect(rect.left() + small, top + line - 5, width, look.length("space.large") + 2)
            self._line(painter, below, second)
        painter.restore()

    @staticmethod
    def _line(painter: QPainter, place: QRect, text: str) -> None:
        elided = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, elided)


class TrialTable(QTableView):
    """Shows the model; a click on a head sorts, Enter or a double click opens a cell's run."""

    sort_wanted = Signal(object)
    """Rows are wanted in another order: `Wanted`."""
    opened = Signal(int, int)
    """The cell of a listed row and a variant is to be opened."""
    chosen_changed = Signal()
    """Other cells are chosen."""
    menu_asked = Signal(QPoint)

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self.trials = TrialModel(self)
        self.setModel(self.trials)
        self.setItemDelegate(_Cells(look, self))
        self.setAccessibleName(self.tr("Trials: rows in lines, variants in columns"))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        high = look.length("size.row") + look.length("space.large")
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(high)
        self.horizontalHeader().setSectionsClickable(True)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().sectionClicked.connect(of_number(self._sort))
        self.doubleClicked.connect(self._open)
        self.customContextMenuRequested.connect(self._ask_menu)
        look.changed.connect(self.viewport().update)

    @property
    def chosen(self) -> list[tuple[int, int]]:
        """The chosen cells of variants, as listed row and variant, from the top."""
        found = (one for one in self.selectedIndexes() if one.column() > 0)
        return sorted((one.row(), one.column() - 1) for one in found)

    @property
    def current(self) -> tuple[int, int] | None:
        """The cell that the keyboard stands on; its variant is -1 on the row's own."""
        index = self.currentIndex()
        return (index.row(), index.column() - 1) if index.isValid() else None

    def show_rows(self, rows: TableRows | None) -> None:
        """Show another table or order, with nothing chosen."""
        self.trials.show_rows(rows)
        self._show_order()
        self._fit()
        self.chosen_changed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the run of the cell with Enter."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self._open(self.currentIndex())
            return
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the width among the columns."""
        super().resizeEvent(event)
        self._fit()

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        """Tell of it."""
        super().selectionChanged(selected, deselected)
        self.chosen_changed.emit()

    def currentChanged(self, current: Index, previous: Index) -> None:
        """Tell of it."""
        super().currentChanged(current, previous)
        self.chosen_changed.emit()

    def _open(self, index: Index) -> None:
        if index.isValid() and index.column() > 0:
            self.opened.emit(index.row(), index.column() - 1)

    def _sort(self, section: int) -> None:
        rows = self.trials.rows
        if rows is None:
            return
        wanted = rows.wanted
        column = section - 1 if section else -1
        if wanted.sort != column:
            fresh = replace(wanted, sort=column, is_descending=False)
        elif not wanted.is_descending:
            fresh = replace(wanted, is_descending=True)
        else:
            fresh = replace(wanted, sort=-2, is_descending=False)  # as the dataset has them
        self.sort_wanted.emit(fresh)

    def _show_order(self) -> None:
        rows = self.trials.rows
        wanted = rows.wanted if rows is not None else Wanted()
        head = self.horizontalHeader()
        head.setSortIndicatorShown(wanted.sort > -2)
        way = Qt.SortOrder.DescendingOrder if wanted.is_descending else Qt.SortOrder.AscendingOrder
        head.setSortIndicator(wanted.sort + 1 if wanted.sort > -2 else -1, way)

    def _fit(self) -> None:
        count = self.trials.columnCount()
        if count < 2:
            return
        least = self._look.length("space.wide") * NARROWEST
        room = self.viewport().width()
        own = max(round(room * 0.3), least * 2)
        each = max((room - own) // (count - 1), least)
        self.setColumnWidth(0, max(own, least) if each > least else least * 2)
        for column in range(1, count):
            self.setColumnWidth(column, each)

    def _ask_menu(self, at: QPoint) -> None:
        index = self.indexAt(at)
        if index.isValid():
            if not self.selectionModel().isSelected(index):
                self.setCurrentIndex(index)
            self.menu_asked.emit(self.viewport().mapToGlobal(at))
