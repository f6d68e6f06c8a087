"""Rows that a person moves, adds and leaves out, with the mouse or the keyboard."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QBoxLayout, QToolButton, QWidget

from studio.ui.buttons import push_button
from studio.ui.layouts import column_layout, row_layout
from studio.ui.look import Look
from studio.ui.removal import take_out
from studio.ui.slots import of_flag, of_text

KEYS = {
    Qt.Key.Key_Up: "up",
    Qt.Key.Key_Down: "down",
    Qt.Key.Key_Delete: "remove",
    Qt.Key.Key_Insert: "add",
}
"""What is done to a row with Alt and a key, wherever in the row the keyboard is."""


@dataclass(frozen=True, slots=True)
class RowWords:
    """What the buttons of a row say to those who point at them, and what adds a row."""

    up: str
    down: str
    remove: str
    add: str


class OrderedRows(QWidget):
    """Widgets under one another in an order that a person decides; `make` makes the one that is added."""

    changed = Signal()

    def __init__(
        self, look: Look, words: RowWords, make: Callable[[], QWidget], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._look, self._words, self._make = look, words, make
        self._rows: list[_Row] = []
        column = column_layout(self, 0, look.length("space.small"))
        self._column = column_layout(spacing=look.length("space.small"))
        column.addLayout(self._column)
        self.add_button = push_button(
            words.add,
            self,
            of_flag(lambda _: self._add(len(self._rows))),
            tip=self.tr("{words} (Alt+Insert, after the current one)").format(words=words.add),
        )
        column.addWidget(self.add_button)

    @property
    def widgets(self) -> Sequence[QWidget]:
        """What stands in the rows, from above."""
        return [row.widget for row in self._rows]

    def put(self, widget: QWidget, head: QBoxLayout | None = None) -> None:
        """Put a row at the end; its buttons go into `head`, or beside it."""
        self._insert(len(self._rows), widget, head)

    def clear(self) -> None:
        """Take all rows out, telling nobody."""
        for row in self._rows:
            self._drop(row)
        self._rows = []

    def shift(self, widget: QWidget, by: int) -> None:
        """Move a row up (-1) or down (1); at the end it stays."""
        row = self._row_of(widget)
        before = self._rows.index(row)
        after = before + by
        if not 0 <= after < len(self._rows):
            return
        self._rows.insert(after, self._rows.pop(before))
        focused = QApplication.focusWidget()
        self._column.removeWidget(row)
        self._column.insertWidget(after, row)
        if focused is not None and row.isAncestorOf(focused):
            focused.setFocus()
        self._renew()

    def remove(self, widget: QWidget) -> None:
        """Take a row out; the keyboard goes to the one that stands there then."""
        row = self._row_of(widget)
        at = self._rows.index(row)
        self._rows.pop(at)
        if self._rows:
            self._rows[min(at, len(self._rows) - 1)].widget.setFocus()
        else:
            self.add_button.setFocus()
        self._drop(row)
        self._renew()

    def _add(self, at: int) -> None:
        made = self._make()
        head = getattr(made, "head", None)
        self._insert(at, made, head if isinstance(head, QBoxLayout) else None)
        made.setFocus()
        self._renew()

    def _insert(self, at: int, widget: QWidget, head: QBoxLayout | None) -> None:
        row = _Row(self._look, self._words, widget, head, self)
        row.asked.connect(of_text(lambda deed: self._do(row, deed)))
        self._rows.insert(at, row)
        self._column.insertWidget(at, row)
        self._mark_ends()

    def _do(self, row: "_Row", deed: str) -> None:
        match deed:
            case "up":
                self.shift(row.widget, -1)
            case "down":
                self.shift(row.widget, 1)
            case "remove":
                self.remove(row.widget)
            case _:
                self._add(self._rows.index(row) + 1)

    def _row_of(self, widget: QWidget) -> "_Row":
        return next(row for row in self._rows if row.widget is widget)

    def _drop(self, row: "_Row") -> None:
        take_out(self._column, row)

    def _renew(self) -> None:
        self._mark_ends()
        self.changed.emit()

    def _mark_ends(self) -> None:
        for number, row in enumerate(self._rows):
            row.up.setEnabled(number > 0)
            row.down.setEnabled(number < len(self._rows) - 1)


class _Row(QWidget):
    """A widget with what moves it, and its keys."""

    asked = Signal(str)

    def __init__(
        self, look: Look, words: RowWords, widget: QWidget, head: QBoxLayout | None, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.widget = widget
        line = row_layout(self, 0, look.length("space.tight"))
        line.addWidget(widget, 1)
        self.up = self._button(look, "chevron_up", self.tr("{words} (Alt+Up)").format(words=words.up), "up")
        self.down = self._button(
            look, "chevron_down", self.tr("{words} (Alt+Down)").format(words=words.down), "down"
        )
        self.remove = self._button(
            look, "remove", self.tr("{words} (Alt+Delete)").format(words=words.remove), "remove"
        )
        for button in (self.up, self.down, self.remove):
            if head is not None:
                head.addWidget(button)
            else:
                line.addWidget(button, alignment=Qt.AlignmentFlag.AlignTop)
        self.setFocusProxy(widget)
        for inner in (widget, *widget.findChildren(QWidget)):
            inner.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Alt with an arrow, Delete or Insert is about the row; nothing else in the window hears it."""
        if not isinstance(event, QKeyEvent) or event.modifiers() != Qt.KeyboardModifier.AltModifier:
            return False
        if _row_around(watched) is not self:
            return False
        deed = KEYS.get(Qt.Key(event.key()))
        if deed is None or event.type() not in {QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress}:
            return False
        event.accept()
        if event.type() == QEvent.Type.KeyPress:
            self.asked.emit(deed)
        return True

    def _button(self, look: Look, icon: str, words: str, deed: str) -> QToolButton:
        button = QToolButton(self)
        button.setProperty("plain", True)
        button.setIcon(look.icon(icon, "text.muted"))
        button.setToolTip(words)
        button.setAccessibleName(words)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(of_flag(lambda _: self.asked.emit(deed)))
        return button


def _row_around(inner: QObject) -> "_Row | None":
    """The innermost row that a widget stands in."""
    found: QObject | None = inner
    while found is not None and not isinstance(found, _Row):
        found = found.parent()
    return found
