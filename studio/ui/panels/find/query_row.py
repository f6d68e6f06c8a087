"""What is looked for: a field, and switches for capitals, whole words and patterns."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QToolButton, QWidget

from studio.app.documents.find_replace import Query
from studio.ui.layouts import row_layout
from studio.ui.look import Look


class QueryRow(QWidget):
    """Tells `asked` whenever words or switches change."""

    asked = Signal()

    def __init__(self, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(name)
        self.field.setAccessibleName(name)
        self.field.setClearButtonEnabled(True)
        self.field.setMinimumWidth(look.length("space.wide") * 3)
        self.field.textChanged.connect(self.asked)
        self.case = self._switch("Aa", self.tr("Match case"))
        self.word = self._switch("“ab”", self.tr("Whole words"))
        self.pattern = self._switch(".*", self.tr("Regular expression"))
        row = row_layout(self, 0, look.length("space.tight"))
        row.addWidget(self.field, 1)
        for button in (self.case, self.word, self.pattern):
            row.addWidget(button)

    @property
    def query(self) -> Query:
        """What is looked for now."""
        switches = self.case.isChecked(), self.word.isChecked(), self.pattern.isChecked()
        return Query(self.field.text(), *switches)

    def begin(self, words: str = "") -> None:
        """Put the keyboard into the field, with `words` where there are any."""
        if words:
            self.field.setText(words)
        self.field.selectAll()
        self.field.setFocus()

    def _switch(self, text: str, name: str) -> QToolButton:
        button = QToolButton(self)
        button.setText(text)
        button.setCheckable(True)
        button.setProperty("plain", True)
        button.setToolTip(name)
        button.setAccessibleName(name)
        button.toggled.connect(self.asked)
        return button
