"""Searching a text that is shown: type, go on with Enter, leave with Escape."""

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QKeyEvent, QTextCursor, QTextDocument
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget

from studio.ui.labels import text_label
from studio.ui.layouts import row_layout
from studio.ui.look import Look
from studio.ui.panels.widgets.find_buttons import FindButtons
from studio.ui.slots import of_number


class FindBar(QWidget):
    """Finds words in a text, from the cursor on and around its end; hidden until it is opened."""

    def __init__(self, look: Look, text: QPlainTextEdit, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = text
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(self.tr("Find in the script"))
        self.field.setAccessibleName(self.tr("Find in the script"))
        self.field.textEdited.connect(self._search_anew)
        self.found = text_label("", self, tone="muted")
        buttons = FindButtons(look, self)
        buttons.went.connect(of_number(lambda way: self.go_on(back=way < 0)))
        buttons.left.connect(self.leave)
        small = look.length("space.small")
        row = row_layout(self, (small, 0, small, small), look.length("space.tight"))
        row.addWidget(self.field, 1)
        row.addWidget(self.found)
        row.addWidget(buttons)
        self.hide()

    def open(self) -> None:
        """Begin a search, with what is selected."""
        selected = self._text.textCursor().selectedText()
        if selected and "\u2029" not in selected:
            self.field.setText(selected)
        self.show()
        self.field.selectAll()
        self.field.setFocus()
        self._count()

    def leave(self) -> None:
        """End the search."""
        self.hide()
        self._text.setFocus()

    def go_on(self, *, back: bool = False) -> None:
        """Select the next place, or the one before."""
        words = self.field.text()
        flags = QTextDocument.FindFlag.FindBackward if back else QTextDocument.FindFlag(0)
        if words and not self._text.find(words, flags):
            end = QTextCursor.MoveOperation.End if back else QTextCursor.MoveOperation.Start
            kept = self._text.textCursor()
            self._text.moveCursor(end)
            if not self._text.find(words, flags):
                self._text.setTextCursor(kept)
        self._count()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter goes on, Shift+Enter back, Escape leaves."""
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        elif event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.go_on(back=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        else:
            super().keyPressEvent(event)

    def _search_anew(self) -> None:
        """Search from where the last find began, so that typing on does not run ahead."""
        cursor = self._text.textCursor()
        cursor.setPosition(cursor.selectionStart())
        with QSignalBlocker(self._text):  # nobody put it there
            self._text.setTextCursor(cursor)
        self.go_on()

    def _count(self) -> None:
        words = self.field.text().casefold()
        count = self._text.toPlainText().casefold().count(words) if words else 0
        self.found.setText(self.tr("{count} found").format(count=count) if words else "")
