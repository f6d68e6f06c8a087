"""Everything that can be done, and every node, found by typing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QWidget

from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.widgets.listing import Listing, ListRow

MOST = 60


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the palette, and what choosing it does."""

    row: ListRow
    act: Callable[[], None]


Find = Callable[[str], Sequence[Entry]]
"""Gives the entries for what was typed, the best first."""


class CommandPalette(QFrame):
    """A field over the window with what it finds; Escape and a click elsewhere close it."""

    def __init__(self, look: Look, window: QWidget) -> None:
        super().__init__(window)
        self._look = look
        self._find: Find = _nothing
        self._entries: Sequence[Entry] = ()
        self._back: QWidget | None = None
        self.setObjectName("command_palette")
        self.setProperty("card", True)
        small = look.length("space.small")
        rows = column_layout(self, small, small)
        self.field = QLineEdit(self)
        self.field.textChanged.connect(self._search)
        self.field.installEventFilter(self)
        self.list = Listing(look, self.tr("Results"), self)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.itemClicked.connect(self._take)
        rows.addWidget(self.field)
        rows.addWidget(self.list, 1)
        window.installEventFilter(self)
        self.hide()

    def open_with(self, hint: str, find: Find) -> None:
        """Ask, and act on what is chosen."""
        self._find = find
        self._back = self.window().focusWidget()
        self.field.setPlaceholderText(hint)
        self.field.setAccessibleName(hint)
        self.field.clear()
        self._search("")
        self._place()
        self.show()
        self.raise_()
        self.field.setFocus()

    def dismiss(self) -> None:
        """Close it, and give the keyboard back to whoever had it."""
        self.hide()
        if self._back is not None:
            self._back.setFocus()
        self._back = None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrows move, Enter takes, Escape closes; so does leaving."""
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._key(event)
        if watched is self.field and event.type() == QEvent.Type.FocusOut and self.isVisible():
            self.hide()
        if watched is not self.field and event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def _key(self, event: QKeyEvent) -> bool:
        match event.key():
            case Qt.Key.Key_Escape:
                self.dismiss()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._take()
            case Qt.Key.Key_Down | Qt.Key.Key_Up:
                step = 1 if event.key() == Qt.Key.Key_Down else -1
                count = self.list.count()
                if count:
                    self.list.setCurrentRow((self.list.currentRow() + step) % count)
            case _:
                return False
        return True

    def _search(self, text: str) -> None:
        self._entries = list(self._find(text))[:MOST]
        nothing = [ListRow("", self.tr("No match. Press Esc to close."))]
        self.list.show_rows([entry.row for entry in self._entries] or nothing)
        if self._entries:
            self.list.setCurrentRow(0)
        self._place()

    def _take(self) -> None:
        row = self.list.currentRow()
        if 0 <= row < len(self._entries):
            entry = self._entries[row]
            self.dismiss()
            entry.act()

    def _place(self) -> None:
        window, wide = self.window(), self._look.length("space.wide")
        width = min(wide * 24, window.width() - wide * 2)
        rows = sum(self.list.sizeHintForRow(row) for row in range(self.list.count()))
        chrome = self.field.sizeHint().height() + self._look.length("space.small") * 3 + 2
        most = min(wide * 17, window.height() - wide * 4)
        height = rows + chrome + 2
        if height > most:  # no row is cut in half
            height = chrome + 2 + self._whole_rows(most - chrome - 2)
        self.setGeometry((window.width() - width) // 2, wide * 3, width, height)

    def _whole_rows(self, room: int) -> int:
        """The height of the first rows that fit."""
        height = 0
        for row in range(self.list.count()):
            more = self.list.sizeHintForRow(row)
            if height + more > room:
                break
            height += more
        return height


def _nothing(_text: str) -> Sequence[Entry]:
    return ()
