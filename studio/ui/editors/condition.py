"""Typing an expression, or a text with some in braces: what may stand there, and what is wrong, at once."""

from collections.abc import Callable

from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit, QWidget

from studio.errors import ExpressionError
from studio.ui.editors.completion_list import Completing, Offer
from studio.ui.editors.prose import ExpressionEditor
from studio.ui.look import Look

Check = Callable[[str], ExpressionError | None]
"""Says what is wrong with a text; None where it can stand."""


class ConditionEditor(ExpressionEditor):
    """Tells only what can stand; what is wrong is said beneath, and underlined from where it begins."""

    def __init__(
        self, look: Look, name: str, offer: Offer, check: Check, parent: QWidget | None = None
    ) -> None:
        super().__init__(look, name, parent)
        self._look, self._check = look, check
        self._judged = ""
        self.completing = Completing(look, self.field, offer)

    def show_value(self, value: object) -> None:
        """Show a text, and what is wrong with it."""
        super().show_value(value)
        self.judge()

    def _tell(self) -> None:
        if self._is_setting or self.value() == self._judged:  # colours count as changes for Qt
            return
        is_right = self.judge()
        if self.field.hasFocus():
            self.completing.follow()
        if is_right:
            super()._tell()
        elif self.completing.is_open:  # a word is begun that can go on
            self.say("")

    def judge(self) -> bool:
        """Say what is wrong, and where; whether nothing is."""
        self._judged = self.value()
        found = self._check(self._judged)
        self.say(found.message if found is not None else "")
        marks: list[QTextEdit.ExtraSelection] = []
        if found is not None and found.column:
            marks.append(self._mark(found.column))
        self.field.setExtraSelections(marks)
        return found is None

    def _mark(self, column: int) -> QTextEdit.ExtraSelection:
        text = self.value()
        start = len(text[: column - 1].encode("utf-16-le")) // 2
        mark, cursor, form = QTextEdit.ExtraSelection(), self.field.textCursor(), QTextCharFormat()
        cursor.setPosition(min(start, max(0, self.field.document().characterCount() - 2)))
        cursor.movePosition(QTextCursor.MoveOperation.EndOfWord, QTextCursor.MoveMode.KeepAnchor)
        if not cursor.hasSelection():
            cursor.movePosition(QTextCursor.MoveOperation.NextCharacter, QTextCursor.MoveMode.KeepAnchor)
        form.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SpellCheckUnderline)
        form.setUnderlineColor(QColor(self._look.color("state.failed")))
        mark.cursor, mark.format = cursor, form  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
        return mark
