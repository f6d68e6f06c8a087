"""Editors of several lines: plain text, prompts with placeholders, code, and one-line expressions."""

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QResizeEvent, QSyntaxHighlighter, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from studio.ui.editors.editor import Editor
from studio.ui.editors.highlight import CodeHighlighter, PlaceholderHighlighter
from studio.ui.look import Look


class GrowingText(QPlainTextEdit):
    """Plain text that is as high as its lines, between `least` and `most` of them."""

    def __init__(self, look: Look, parent: QWidget | None = None, *, least: int = 3, most: int = 14) -> None:
        super().__init__(parent)
        self._look = look
        self._least, self._most = least, most
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setMinimumWidth(look.length("space.wide") * 4)
        self.document().setDocumentMargin(look.length("space.small"))
        self.textChanged.connect(self._resize)
        self._resize()

    def put(self, text: str) -> None:
        """Replace the text, keeping the cursor where it stood and the view where it was."""
        place, scrolled = self.textCursor().position(), self.verticalScrollBar().value()
        self.setPlainText(text)
        cursor = self.textCursor()
        cursor.setPosition(min(place, len(text.encode("utf-16-le")) // 2))
        self.setTextCursor(cursor)
        self.verticalScrollBar().setValue(scrolled)

    def lines(self, least: int, most: int) -> None:
        """Change how many lines it shows."""
        self._least, self._most = least, most
        self._resize()

    def changeEvent(self, event: QEvent) -> None:
        """Follow a font that the stylesheet or the theme changed."""
        super().changeEvent(event)
        if event.type() in {QEvent.Type.FontChange, QEvent.Type.StyleChange}:
            self._resize()

    def sizeHint(self) -> QSize:
        """As wide as a form makes it."""
        return QSize(super().sizeHint().width(), self.maximumHeight())

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Coming in by Tab puts the cursor at the end, where one goes on writing."""
        super().focusInEvent(event)
        if event.reason() == Qt.FocusReason.TabFocusReason:
            self.moveCursor(QTextCursor.MoveOperation.End)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width breaks lines elsewhere."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._resize()

    def _resize(self) -> None:
        line, margin = self.fontMetrics().lineSpacing(), self.document().documentMargin()
        text = self._text_height(self._most * line + margin) - margin
        room = min(max(text, self._least * line), self._most * line)
        frame = self.contentsMargins()
        policies = Qt.ScrollBarPolicy
        is_long = text > self._most * line
        self.setVerticalScrollBarPolicy(
            policies.ScrollBarAsNeeded if is_long else policies.ScrollBarAlwaysOff
        )
        self.setFixedHeight(round(room + 2 * margin) + frame.top() + frame.bottom() + 1)

    def _text_height(self, enough: float) -> float:
        """How high the text is with the margin above it, as far as it matters.

        Qt lays lines out only once they are seen, unless one asks for each.
        """
        layout, block, height = self.document().documentLayout(), self.document().begin(), 0.0
        while block.isValid() and height < enough:
            height += layout.blockBoundingRect(block).height()
            block = block.next()
        return height


class TextEditor(Editor):
    """Several lines of text."""

    def __init__(self, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = GrowingText(look, self)
        self.field.setUndoRedoEnabled(False)
        self.hold(self.field, name)
        self.field.textChanged.connect(self._tell)

    def value(self) -> str:
        """The text."""
        return self.field.toPlainText()

    def show_value(self, value: object) -> None:
        """Show text; anything else is shown as it prints."""
        self.field.put("" if value is None else str(value))


class PromptEditor(TextEditor):
    """Text in which `{{names}}` are filled in, and become ports where the node type says so."""

    def __init__(self, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(look, name, parent)
        self.field.lines(6, 22)
        self.field.setProperty("mono", True)
        self._highlighter: QSyntaxHighlighter = PlaceholderHighlighter(self.field.document(), look)


class CodeEditor(TextEditor):
    """Source in a language; Tab still leaves the field, as everywhere in the form."""

    def __init__(self, look: Look, name: str, language: str, parent: QWidget | None = None) -> None:
        super().__init__(look, name, parent)
        self.field.lines(6, 28)
        self.field.setProperty("mono", True)
        self.field.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._highlighter = CodeHighlighter(self.field.document(), look, language)


class ExpressionEditor(TextEditor):
    """One line of the expression language, coloured as the Python that it is a part of."""

    def __init__(self, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(look, name, parent)
        self.field.lines(1, 4)
        self.field.setProperty("mono", True)
        self._highlighter = CodeHighlighter(self.field.document(), look, "python")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """An expression has no line breaks."""
        breaks = {Qt.Key.Key_Return, Qt.Key.Key_Enter}
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() in breaks:
            return True
        return super().eventFilter(watched, event)
