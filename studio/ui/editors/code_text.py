"""A highlighted text that is read and copied, and not edited."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from studio.ui.editors.highlight import CodeHighlighter
from studio.ui.look import Look


class CodeText(QPlainTextEdit):
    """Shows a text in a language that Pygments knows, a line a line; `name` is what it is called aloud."""

    def __init__(self, look: Look, name: str, text: str, language: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        flags = Qt.TextInteractionFlag
        self.setTextInteractionFlags(flags.TextSelectableByMouse | flags.TextSelectableByKeyboard)
        self.setProperty("mono", True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setAccessibleName(name)
        self.document().setDocumentMargin(look.length("space.small"))
        self._highlighter = CodeHighlighter(self.document(), look, language)
        self.setPlainText(text)
