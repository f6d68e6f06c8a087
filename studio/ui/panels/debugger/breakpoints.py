"""The list of a flow's breakpoints and catches: ticked on and off, edited, removed, and gone to."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from studio.ui.look import Look
from studio.ui.panels.debugger.breakpoint_rows import ROW, BreakRow, BreakRowPainter


class BreakpointList(QListWidget):
    """Shows rows, and asks for what is to be done to one."""

    chosen = Signal(object)
    """A row was clicked, or entered: what it stands for is to be shown; one in another flow only by Enter."""
    switched = Signal(object, bool)
    edit_asked = Signal(object)
    remove_asked = Signal(object)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_filling = False
        self._has_ticked = False
        """Whether the press that is under way was at the tick, which is no wish to go there."""
        self.setItemDelegate(BreakRowPainter(look, self))
        self.setAccessibleName(self.tr("Breakpoints"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        look.changed.connect(self.viewport().update)
        self.itemChanged.connect(self._switch)
        self.itemClicked.connect(self._click)
        self.itemDoubleClicked.connect(self._edit)

    @property
    def rows(self) -> list[BreakRow]:
        """What is listed."""
        found = [self.item(at).data(ROW) for at in range(self.count())]
        return [one for one in found if isinstance(one, BreakRow)]

    @property
    def current(self) -> BreakRow | None:
        """The row that the keyboard stands on."""
        return row_of(self.currentItem())

    def show_rows(self, rows: Sequence[BreakRow]) -> None:
        """List these; the row that the keyboard stands on stays so."""
        if list(rows) == self.rows:
            return
        self._is_filling = True
        current = self.current
        is_same = [row.key for row in rows] == [row.key for row in self.rows]
        if not is_same:
            self.clear()
        for at, row in enumerate(rows):
            item = self.item(at) if is_same else QListWidgetItem(self)
            item.setText(row.title)
            item.setData(ROW, row)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, row.words)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if row.is_on else Qt.CheckState.Unchecked)
            item.setToolTip("\n".join(part for part in (row.title, row.beneath) if part))
            if not is_same and current is not None and row.key == current.key:
                self.setCurrentItem(item)
        self._is_filling = False
        if is_same:
            self.scheduleDelayedItemsLayout()  # one may have become higher

    def stand_on(self, key: tuple[str, str]) -> None:
        """Put the keyboard's place onto a row."""
        keys = [row.key for row in self.rows]
        if key in keys:
            self.setCurrentRow(keys.index(key))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Delete removes, F2 edits."""
        row = self.current
        if row is not None and event.key() in {Qt.Key.Key_Delete, Qt.Key.Key_Backspace}:
            self.remove_asked.emit(row)
        elif row is not None and event.key() == Qt.Key.Key_F2:
            self.edit_asked.emit(row)
        elif row is not None and event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.chosen.emit(row)
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A press is at a tick or at a row."""
        self._has_ticked = False
        super().mousePressEvent(event)

    def _click(self, item: QListWidgetItem) -> None:
        row = row_of(item)
        if row is not None and not row.flow and not self._has_ticked:
            self.chosen.emit(row)

    def _edit(self, item: QListWidgetItem) -> None:
        if (row := row_of(item)) is not None and not self._has_ticked:
            self.edit_asked.emit(row)

    def _switch(self, item: QListWidgetItem) -> None:
        row = row_of(item)
        is_on = item.checkState() == Qt.CheckState.Checked
        if not self._is_filling and row is not None and row.is_on != is_on:
            self._has_ticked = True
            self.switched.emit(row, is_on)


def row_of(item: QListWidgetItem | None) -> BreakRow | None:
    """The row that an item shows."""
    found = item.data(ROW) if item is not None else None
    return found if isinstance(found, BreakRow) else None
