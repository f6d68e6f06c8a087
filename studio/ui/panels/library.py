"""The node library: search, then drag a kind onto the canvas, or add it with Enter."""

import time
from collections.abc import Iterable, Iterator, Sequence

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QPainter, QShowEvent
from PySide6.QtWidgets import QLineEdit, QListView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from studio.flow.plain_text import quoted
from studio.sdk.node import NodeType
from studio.ui.canvas.document import KIND_MIME
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.widgets.mark import mark_pixmap
from studio.ui.viewmodels.flow.library_rows import LibraryRow, library_rows

Index = QModelIndex | QPersistentModelIndex

AT_ONCE = 0.01
"""Seconds for which node types are loaded before the window has its turn again."""


class LibraryModel(QAbstractListModel):
    """Rows of the library; kinds can be dragged, categories cannot be chosen."""

    def __init__(self, look: Look, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.rows: Sequence[LibraryRow] = ()

    def show_rows(self, rows: Sequence[LibraryRow]) -> None:
        """Replace all rows."""
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        """How many rows there are; a list has no children."""
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Title, summary, mark and font of a row."""
        row = self.rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.title
            case Qt.ItemDataRole.ToolTipRole:
                return quoted(row.summary) or None
            case Qt.ItemDataRole.DecorationRole if row.kind:
                return mark_pixmap(self._look, row.kind, 2.0)
            case Qt.ItemDataRole.FontRole if not row.kind:
                return self._look.font("label", strong=True)
            case Qt.ItemDataRole.UserRole:
                return row.kind
            case _:
                return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Kinds can be chosen and dragged."""
        if not index.isValid() or not self.rows[index.row()].kind:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsDragEnabled

    def mimeTypes(self) -> list[str]:
        """What a drag carries."""
        return [KIND_MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """The dragged kind, as UTF-8."""
        data = QMimeData()
        if indexes:
            data.setData(KIND_MIME, self.rows[indexes[0].row()].kind.encode())
        return data


class _RowPainter(QStyledItemDelegate):
    def __init__(self, look: Look, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._look = look

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        """Only as high as rows are: for its width, the text would be measured and the mark drawn."""
        row = self._look.length("size.row")
        is_first = index.row() == 0
        extra = 0 if index.data(Qt.ItemDataRole.UserRole) or is_first else self._look.length("space.small")
        return QSize(0, row + extra)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if index.data(Qt.ItemDataRole.UserRole):
            super().paint(painter, option, index)
            return
        painter.save()
        painter.setFont(self._look.font("label", strong=True))
        painter.setPen(self._look.color("text.muted"))
        place = option.rect.adjusted(
            self._look.length("space.tight"), 0, 0, -self._look.length("space.tight")
        )  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
        painter.drawText(place, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft, index.data())  # pyright: ignore[reportUnknownArgumentType]
        painter.restore()


class LibraryPanel(QWidget):
    """Offers every kind of node; `chosen` tells which one shall be added.

    Node types are loaded as they are read: a little at a time once the panel is seen, or all for a search.
    """

    chosen = Signal(str)

    def __init__(self, look: Look, types: Iterable[NodeType], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._unread: Iterator[NodeType] | None = iter(types)
        self._types: list[NodeType] = []
        self._reading = QTimer(self, interval=0)
        self._reading.timeout.connect(self._read_some)
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(self.tr("Search nodes"))
        self.search.setClearButtonEnabled(True)
        self.search.setAccessibleName(self.tr("Search nodes"))
        self.search.textChanged.connect(self._filter)
        self.search.installEventFilter(self)
        self.model = LibraryModel(look, self)
        self.view = QListView(self)
        self.view.setModel(self.model)
        self.view.setItemDelegate(_RowPainter(look, self.view))
        self.view.setDragEnabled(True)
        self.view.setDragDropMode(QListView.DragDropMode.DragOnly)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setAccessibleName(self.tr("Node library"))
        self.view.activated.connect(self._choose)
        look.changed.connect(self._restyle)
        normal = look.length("space.normal")
        rows = column_layout(self, (normal, normal, normal, 0), look.length("space.small"))
        rows.addWidget(self.search)
        rows.addWidget(self.view, 1)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """From the search field, Down goes to the list and Enter adds the first that is found."""
        if watched is self.search and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Down:
                self.view.setFocus()
                self.view.setCurrentIndex(self._first())
                return True
            if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
                self._choose(self._first())
                return True
        return super().eventFilter(watched, event)

    def showEvent(self, event: QShowEvent) -> None:
        """Read the library, once."""
        super().showEvent(event)
        if self._unread is not None:
            self._reading.start()

    def _read_some(self) -> None:
        if self._unread is None:
            self._reading.stop()
            return
        until = time.perf_counter() + AT_ONCE
        for one in self._unread:
            self._types.append(one)
            if time.perf_counter() > until:
                return
        self._filter()

    def _restyle(self) -> None:
        if self._unread is None:
            self._filter()

    def _filter(self) -> None:
        if self._unread is not None:
            self._types += self._unread
            self._unread = None
        self.model.show_rows(library_rows(self._types, self.search.text()))

    def _first(self) -> QModelIndex:
        for number, row in enumerate(self.model.rows):
            if row.kind:
                return self.model.index(number)
        return QModelIndex()

    def _choose(self, index: QModelIndex) -> None:
        if index.isValid() and self.model.rows[index.row()].kind:
            self.chosen.emit(self.model.rows[index.row()].kind)
