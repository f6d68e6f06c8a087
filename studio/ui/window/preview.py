"""A text to read or copy: a file of the project."""

from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from studio.ui.editors.highlight import CodeHighlighter
from studio.ui.look import Look
from studio.ui.window.room import open_at


class Preview(QDialog):
    """Shows a text, highlighted."""

    def __init__(
        self,
        look: Look,
        title: str,
        about: str,
        text: str,
        language: str,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        wide, large = look.length("space.wide"), look.length("space.large")
        open_at(self, QSize(wide * 36, wide * 28))
        heading = QLabel(title, self)
        heading.setProperty("type", "heading")
        said = QLabel(about, self)
        said.setTextFormat(Qt.TextFormat.PlainText)
        said.setProperty("tone", "muted")
        said.setWordWrap(True)
        self.text = QPlainTextEdit(self)
        self.text.setReadOnly(True)
        flags = Qt.TextInteractionFlag
        self.text.setTextInteractionFlags(flags.TextSelectableByMouse | flags.TextSelectableByKeyboard)
        self.text.setProperty("mono", True)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setAccessibleName(title)
        self.text.document().setDocumentMargin(look.length("space.small"))
        self._highlighter = CodeHighlighter(self.text.document(), look, language)
        self.text.setPlainText(text)
        buttons = QHBoxLayout()
        self.copy_button = QPushButton(self.tr("Copy"), self)
        self.copy_button.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.text.toPlainText()))
        close = QPushButton(self.tr("Close"), self)
        close.clicked.connect(self.close)
        buttons.addWidget(self.copy_button)
        buttons.addStretch(1)
        buttons.addWidget(close)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(large, large, large, large)
        rows.setSpacing(look.length("space.normal"))
        rows.addWidget(heading)
        rows.addWidget(said)
        rows.addWidget(self.text, 1)
        rows.addLayout(buttons)


def language_of(path: Path) -> str:
    """Pygments' name for what a file holds, by its ending; plain text where it is unknown."""
    known = {
        ".json": "json",
        ".py": "python",
        ".yaml": "yaml",
        ".yml": "yaml",
        ".toml": "toml",
        ".md": "markdown",
    }
    return known.get(path.suffix.casefold(), "text")
