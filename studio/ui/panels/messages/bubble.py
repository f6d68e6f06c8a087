"""One message: who speaks, what is said, and the tools it calls; a stream only ever grows at its end."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from studio.ui.editors.highlight import CodeHighlighter
from studio.ui.editors.prose import GrowingText
from studio.ui.look import Look
from studio.ui.panels.picture import FindsImages, NoImages, pictures_of
from studio.ui.viewmodels.conversation import Words

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


class Bubble(QFrame):
    """A message's card with a bar in its speaker's colour."""

    def __init__(
        self, look: Look, words: Words, parent: QWidget | None = None, images: FindsImages | None = None
    ) -> None:
        super().__init__(parent)
        self._look = look
        self._words = words
        self.setProperty("card", True)
        small = look.length("space.small")
        rows = QVBoxLayout(self)
        rows.setContentsMargins(small * 2, small - 1, small, small)
        rows.setSpacing(look.length("space.tight"))
        self._heading = QLabel(words.heading, self)
        self._heading.setProperty("type", "label")
        self._body = SpokenText(look, words.heading, self, language="json" if words.is_json else "")
        rows.addWidget(self._heading)
        rows.addWidget(self._body)
        for picture in pictures_of(words.images, images or NoImages(), self):
            rows.addWidget(picture)
        look.changed.connect(self._color)
        self._color()
        self.show_words(words)

    @property
    def words(self) -> Words:
        """What it shows."""
        return self._words

    def fits(self, words: Words) -> bool:
        """Whether it can go on to show `words` without being made again."""
        return (words.is_json, words.images) == (self._words.is_json, self._words.images)

    def show_words(self, words: Words) -> None:
        """Show these words; a longer text grows."""
        if words.heading != self._heading.text():
            self._heading.setText(words.heading)
        recolored = words.color != self._words.color
        self._words = words
        if recolored:
            self._color()
        self._body.grow(words.body)
        self._body.setVisible(bool(words.body))

    @property
    def selected_text(self) -> str:
        """What is selected of it."""
        return self._body.textCursor().selectedText()

    def mark(self, word: str) -> None:
        """Select a word in what is said."""
        self._body.moveCursor(QTextCursor.MoveOperation.Start)
        self._body.find(word)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the bar."""
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._look.color(self._words.color))
        tight = self._look.length("space.tight")
        painter.drawRoundedRect(QRectF(1, tight * 2, 3, self.height() - tight * 4), 1.5, 1.5)
        painter.end()

    def _color(self) -> None:
        palette = self._heading.palette()
        name = self._look.theme.color(self._words.color)
        palette.setColor(palette.ColorRole.WindowText, name)
        self._heading.setPalette(palette)
        self._heading.setStyleSheet(f"color: {name}; font-weight: {self._look.theme.value('type.strong')};")
        self.update()
