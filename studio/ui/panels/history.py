"""Everything that was done to a flow, in order; a click goes back to any moment, or on to it again."""

from collections.abc import Callable, Sequence
from datetime import datetime

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QVBoxLayout, QWidget

from studio.app.history import History, Step
from studio.ui.look import Look

Index = QModelIndex | QPersistentModelIndex


class HistoryPanel(QWidget):
    """Lists the steps of one flow; the row that the flow stands at is strong, what was undone is muted."""

    def __init__(self, look: Look, history: History, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._history = history
        self.rows = _Rows(look, self)
        self.list = QListView(self)
        self.list.setModel(self.rows)
        self.list.setUniformItemSizes(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setAccessibleName(self.tr("History of the flow"))
        self.list.setAccessibleDescription(self.tr("Enter goes to the step that is chosen"))
        self.list.clicked.connect(self._jump)
        self.list.activated.connect(self._jump)
        small = look.length("space.small")
        column = QVBoxLayout(self)
        column.setContentsMargins(small, small, small, 0)
        column.addWidget(self.list)
        look.changed.connect(self._show)
        self._endings: Sequence[Callable[[], None]] = (
            history.on_move(lambda _: self._follow()),
            history.on_change(lambda _: self._follow()),
        )
        self._is_behind = True

    def close_history(self) -> None:
        """Stop listening."""
        for end in self._endings:
            end()

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what happened out of sight."""
        super().showEvent(event)
        if self._is_behind:
            self._show()

    def _jump(self, index: QModelIndex) -> None:
        self._history.jump(index.row())

    def _follow(self) -> None:
        if self.isVisible():
            self._show()
        else:
            self._is_behind = True

    def _show(self) -> None:
        self._is_behind = False
        self.rows.show_steps(self._history.steps, self._history.position)
        here = self.rows.index(self._history.position)
        self.list.setCurrentIndex(here)
        self.list.scrollTo(here, QAbstractItemView.ScrollHint.EnsureVisible)


class _Rows(QAbstractListModel):
    """The state before the first step, and then each step; nothing is made of those out of sight."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self._steps: Sequence[Step] = ()
        self._position = 0

    def show_steps(self, steps: Sequence[Step], position: int) -> None:
        """Show these steps, of which `position` are done."""
        self.beginResetModel()
        self._steps, self._position = steps, position
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        """One row more than steps."""
        return 0 if parent is not None and parent.isValid() else len(self._steps) + 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """What a row says, and how it looks."""
        row = index.row()
        roles = Qt.ItemDataRole
        if role == roles.DisplayRole:
            return self._words(row)
        if role == roles.AccessibleTextRole:
            return f"{self._words(row)}, {self._state(row)}"
        if role == roles.ToolTipRole:
            return f"{self._words(row)}\n{self._time(row)}".strip()
        if role == roles.FontRole:
            return self._look.font("body", strong=row == self._position)
        if role == roles.ForegroundRole:
            return self._look.color("text.muted" if row > self._position else "text.normal")
        return None

    def _words(self, row: int) -> str:
        return self._steps[row - 1].change.label if row else self.tr("The flow as it was at first")

    def _state(self, row: int) -> str:
        if row == self._position:
            return self.tr("the flow stands here")
        return self.tr("undone") if row > self._position else self.tr("done")

    def _time(self, row: int) -> str:
        if not row:
            return ""
        return datetime.fromtimestamp(self._steps[row - 1].at).astimezone().strftime("%Y-%m-%d %H:%M:%S")
