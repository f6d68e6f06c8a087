"""A list of objects as a table."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QShowEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from studio.ui.look import Look
from studio.ui.viewmodels.run.results import cell_of

ROWS = 12
"""Rows that it is high at most; more are scrolled to."""
WIDEST = 26
"""How wide a column is at first, at most, in small gaps."""

Index = QModelIndex | QPersistentModelIndex


class RowsModel(QAbstractTableModel):
    """Rows by column name."""

    def __init__(self, rows: Sequence[Mapping[str, object]], columns: Sequence[str]) -> None:
        super().__init__()
        self._rows, self._columns = rows, columns

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """How many rows there are."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """How many columns there are."""
        return 0 if parent.isValid() else len(self._columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """A cell's text; numbers stand at the right."""
        value = self._rows[index.row()].get(self._columns[index.column()])
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole}:
            return cell_of(value)
        if role == Qt.ItemDataRole.TextAlignmentRole and _is_number(value):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """The columns' names, and the rows' numbers from 1."""
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return self._columns[section] if orientation is Qt.Orientation.Horizontal else str(section + 1)


class RowsTable(QTableView):
    """Shows rows; Ctrl+C copies the chosen cells, columns apart by tabs, so that a spreadsheet takes them."""

    def __init__(
        self,
        look: Look,
        name: str,
        rows: Sequence[Mapping[str, object]],
        columns: Sequence[str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._look = look
        self.setAccessibleName(name)
        self.setModel(RowsModel(rows, columns))
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setProperty("plain", True)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().setDefaultSectionSize(look.length("size.row"))
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setVisible(False)
        self.horizontalHeader().setDefaultAlignment(
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        )
        self.horizontalHeader().setStretchLastSection(True)
        self.horizontalHeader().setHighlightSections(False)

    def showEvent(self, event: QShowEvent) -> None:
        """Now the rows and columns have the size that the style gives them."""
        super().showEvent(event)
        widest = self._look.length("space.small") * WIDEST
        self.resizeColumnsToContents()
        for column in range(self.model().columnCount()):
            self.setColumnWidth(column, min(self.columnWidth(column), widest))
        rows = min(self.model().rowCount(), ROWS)
        height = (
            rows * self.verticalHeader().defaultSectionSize() + self.horizontalHeader().sizeHint().height()
        )
        if self.horizontalScrollBar().maximum() or self.horizontalHeader().length() > self.viewport().width():
            height += self.horizontalScrollBar().sizeHint().height()
        self.setFixedHeight(height + 2)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The page scrolls, unless there is more in here than it shows."""
        if self.verticalScrollBar().maximum():
            super().wheelEvent(event)
        else:
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy; all else as tables do."""
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.chosen_text())
            return
        super().keyPressEvent(event)

    def chosen_text(self) -> str:
        """The chosen cells, a row a line."""
        rows: dict[int, list[str]] = {}
        for index in sorted(self.selectedIndexes(), key=lambda one: (one.row(), one.column())):
            rows.setdefault(index.row(), []).append(str(index.data() or ""))
        return "\n".join("\t".join(cells) for cells in rows.values())


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
