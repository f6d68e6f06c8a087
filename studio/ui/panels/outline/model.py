"""The outline's rows as Qt asks for them."""

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from studio.ui.viewmodels.flow.outline import Outline, Row

Index = QModelIndex | QPersistentModelIndex
NAMED = frozenset({"node", "frame", "note"})
"""The kinds of rows whose title can be edited in place."""
ROW = Qt.ItemDataRole.UserRole
DETAIL = Qt.ItemDataRole.UserRole + 1


class OutlineModel(QAbstractItemModel):
    """Rows of one outline after the other; the outline that is shown is kept alive here."""

    renamed = Signal(object, str)
    """A row, and the title that it shall have."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.outline: Outline | None = None

    def show(self, outline: Outline) -> None:
        """Replace all rows."""
        self.beginResetModel()
        self.outline = outline
        self.endResetModel()

    def row_at(self, index: Index) -> Row | None:
        """The row at an index; None for none."""
        found = index.internalPointer() if index.isValid() else None
        return found if isinstance(found, Row) else None

    def index_of(self, row: Row) -> QModelIndex:
        """Where a row is."""
        return self.createIndex(row.place, 0, row)

    def index(self, row: int, column: int, parent: Index | None = None) -> QModelIndex:
        """The index of one of a row's children."""
        above = self._above(parent)
        if self.outline is None or above is None or column != 0:
            return QModelIndex()
        children = self.outline.children(above)
        return self.createIndex(row, 0, children[row]) if 0 <= row < len(children) else QModelIndex()

    def parent(self, index: Index | None = None) -> QModelIndex:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]  # Qt has two of that name
        """The index of what a row stands beneath."""
        row = self.row_at(index) if index is not None else None
        above = row.parent if row is not None else None
        return QModelIndex() if above is None or above.kind == "flow" else self.index_of(above)

    def rowCount(self, parent: Index | None = None) -> int:
        """How many rows stand beneath one."""
        above = self._above(parent)
        return len(self.outline.children(above)) if self.outline is not None and above is not None else 0

    def hasChildren(self, parent: Index | None = None) -> bool:
        """Whether there are any; answered without making them where every one of its kind has some."""
        above = self._above(parent)
        if above is not None and above.kind in {"node", "ports"}:
            return True
        return self.rowCount(parent) > 0

    def columnCount(self, parent: Index | None = None) -> int:
        """One."""
        del parent
        return 1

    def flags(self, index: Index) -> Qt.ItemFlag:
        """What can be selected, and renamed."""
        row = self.row_at(index)
        if row is None:
            return Qt.ItemFlag.NoItemFlags
        found = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return found | Qt.ItemFlag.ItemIsEditable if row.kind in NAMED else found

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Title, detail, and the row itself for whoever paints it."""
        row, outline = self.row_at(index), self.outline
        if row is None or outline is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole:
                return outline.title(row)
            case Qt.ItemDataRole.AccessibleTextRole:
                title, detail = outline.title(row), outline.detail(row)
                return f"{title}, {detail}" if detail else title
            case Qt.ItemDataRole.ToolTipRole:
                return outline.detail(row) or None
            case _ if role == ROW:
                return row
            case _ if role == DETAIL:
                return outline.detail(row)
            case _:
                return None

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Rename what the row is."""
        row = self.row_at(index)
        if row is None or role != Qt.ItemDataRole.EditRole or not isinstance(value, str):
            return False
        self.renamed.emit(row, value.strip())
        return True

    def _above(self, parent: Index | None) -> Row | None:
        if parent is None or not parent.isValid():
            return self.outline.root if self.outline is not None else None
        return self.row_at(parent)
