"""Everything that was done to a flow and to its project's files; a click goes to any moment of it."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QWidget

from studio.app.documents.history import History
from studio.app.projects.file_changes import FileChanges
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.slots import of_number
from studio.ui.visibility import Seen

Index = QModelIndex | QPersistentModelIndex


class Moment(Protocol):
    """One step as the list shows it."""

    @property
    def label(self) -> str:
        """What was done."""
        ...

    @property
    def at(self) -> float:
        """When: seconds since 1970."""
        ...


class HistoryPanel(QWidget):
    """Lists the steps of one flow, and beneath what was done to the files of its project."""

    def __init__(self, look: Look, history: History, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._history = history
        self._changes: FileChanges | None = None
        self.list = StepList(look, self.tr("History of the flow"), self.tr("Flow as opened"), self)
        self.list.chosen.connect(of_number(history.jump))
        self._title = text_label(self.tr("Project files"), self, tone="muted")
        self.files = StepList(look, self.tr("Changes to files"), self.tr("Files as opened"), self)
        small = look.length("space.small")
        column = column_layout(self, (small, small, small, 0))
        column.addWidget(self.list, 3)
        column.addWidget(self._title)
        column.addWidget(self.files, 1)
        look.changed.connect(self._show)
        self._endings = [
            history.on_move(lambda _: self.seen.tell()),
            history.on_change(lambda _: self.seen.tell()),
        ]
        self.seen = Seen(self, self._show)
        """Has it follow while it is seen, and catch up once it is."""
        self.seen.tell()

    def show_file_changes(self, changes: FileChanges, jump: Callable[[FileChanges, int], None]) -> None:
        """List the changes too; `jump` goes to one of them, and says so where that can't be."""
        self._changes = changes
        self.files.chosen.connect(of_number(lambda row: jump(changes, row)))
        self._endings.append(changes.on_change(lambda _: self.seen.tell()))
        self.seen.tell()

    def close_history(self) -> None:
        """Stop listening."""
        for end in self._endings:
            end()

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what happened out of sight."""
        super().showEvent(event)
        self.seen.catch_up()

    def _show(self) -> None:
        self.list.show_steps(self._history.steps, self._history.position)
        changes = self._changes
        has_changes = changes is not None and bool(changes.steps)
        self._title.setVisible(has_changes)
        self.files.setVisible(has_changes)
        if changes is not None:
            self.files.show_steps(changes.steps, changes.position)


class StepList(QListView):
    """Steps in order: the row where all stands is strong, what was undone is muted. A click goes there."""

    chosen = Signal(int)
    """How many steps are to be done."""

    def __init__(self, look: Look, name: str, first: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.rows = _Rows(look, first, self)
        self.setModel(self.rows)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setAccessibleName(name)
        self.setAccessibleDescription(self.tr("Press Enter to go to the selected edit"))
        self.clicked.connect(self._choose)
        self.activated.connect(self._choose)

    def show_steps(self, steps: Sequence[Moment], position: int) -> None:
        """Show these steps, of which `position` are done."""
        self.rows.show_steps(steps, position)
        here = self.rows.index(position)
        self.setCurrentIndex(here)
        self.scrollTo(here, QAbstractItemView.ScrollHint.EnsureVisible)

    def _choose(self, index: QModelIndex) -> None:
        self.chosen.emit(index.row())


class _Rows(QAbstractListModel):
    """The state before the first step, and then each step; nothing is made of those out of sight."""

    def __init__(self, look: Look, first: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._look, self._first = look, first
        self._steps: Sequence[Moment] = ()
        self._position = 0

    def show_steps(self, steps: Sequence[Moment], position: int) -> None:
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
        return self._steps[row - 1].label if row else self._first

    def _state(self, row: int) -> str:
        if row == self._position:
            return self.tr("current state")
        return self.tr("undone") if row > self._position else self.tr("done")

    def _time(self, row: int) -> str:
        if not row:
            return ""
        return datetime.fromtimestamp(self._steps[row - 1].at).astimezone().strftime("%Y-%m-%d %H:%M:%S")
