"""Read-only text as high as it is long, which a stream lets grow at its end."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QWidget

from studio.ui.editors.highlight import CodeHighlighter
from studio.ui.editors.prose import GrowingText
from studio.ui.look import Look

MOST_LINES = 100_000


class SpokenText(GrowingText):
    """Read-only text as high as it is long; `grow` adds what came since without laying the rest out again."""

    def __init__(self, look: Look, name: str, parent: QWidget | None = None, *, language: str = "") -> None:
        super().__init__(look, parent, least=1, most=MOST_LINES)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setObjectName("spoken")
        self.setProperty("plain", True)
        self.setProperty("mono", bool(language))
        self.setAccessibleName(name)
        self.document().setDocumentMargin(0)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._shown = ""
        self._highlighter = CodeHighlighter(self.document(), look, language) if language else None

    def grow(self, text: str) -> None:
        """Show `text`; where it goes on from what is shown, only the rest is added."""
        if text == self._shown:
            return
        if self._shown and text.startswith(self._shown):
            cursor = QTextCursor(self.document())
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.insertText(text[len(self._shown) :])
        else:
            self.setPlainText(text)
        self._shown = text

    def wheelEvent(self, event: object) -> None:
        """The panel scrolls, never a single message."""
        event.ignore()  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
