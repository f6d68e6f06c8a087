"""One question as a card: who asks, what is asked, and the form that answers it."""

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from studio.bounds.schemas import mismatch
from studio.servers.records import DECLINED, MAY_DECLINE
from studio.trace.events import ApprovalAsked
from studio.ui.labels import text_label
from studio.ui.look import Look
from studio.ui.panels.forms.fields import Schema, fields_of
from studio.ui.panels.forms.nested_values import ObjectEditor
from studio.ui.panels.inspector.form import Form
from studio.ui.panels.widgets.icon_button import icon_button


class QuestionCard(QFrame):
    """What all questions share; `answered` gives what a person decided."""

    answered = Signal(object)
    refused = Signal(QWidget)
    """Here is what is wrong with an answer: it has the keyboard, and should be seen."""

    def __init__(self, look: Look, who: str, asked: ApprovalAsked, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.setProperty("card", True)
        self.asked = asked
        self.schema: dict[str, Any] = dict(asked.schema)
        self.rows = QVBoxLayout(self)
        self.rows.setContentsMargins(*(look.length("space.normal"),) * 4)
        self.rows.setSpacing(look.length("space.small"))
        self.head = QHBoxLayout()
        self.who = text_label(who, self, "label", "held", wraps=True, is_plain=True)
        self.head.addWidget(self.who, 1)
        self.shows_run = icon_button(look, "open", self.tr("Show the run that is asking"), self)
        self.shows_run.hide()
        self.head.addWidget(self.shows_run)
        self.rows.addLayout(self.head)
        first, _, more = asked.question.partition("\n")
        for text, kind in ((first, "strong"), (more, "small")):
            if text:
                self.rows.addWidget(
                    text_label(text, self, kind, wraps=True, is_plain=True, is_selectable=True)
                )

    def focus_first(self) -> None:
        """Give the keyboard to where an answer begins."""
        raise NotImplementedError

    def tell(self, answer: object) -> None:
        """Give the answer, once: what is asked next may look the same."""
        self.let_answer(is_possible=False)
        self.answered.emit(answer)

    def let_answer(self, *, is_possible: bool) -> None:
        """Let the question be answered, or no more."""
        for button in self.findChildren(QPushButton):
            button.setEnabled(is_possible)


class QuestionForm(QuestionCard):
    """A question that is answered by filling in fields, or by yes or no."""

    def __init__(self, look: Look, who: str, asked: ApprovalAsked, parent: QWidget | None = None) -> None:
        super().__init__(look, who, asked, parent)
        fields = fields_of(self.schema)
        self._yes_or_no = next(iter(fields), "") if _is_yes_or_no(fields) else ""
        shown: Schema = {**self.schema, "properties": {}} if self._yes_or_no else self.schema
        self.filled = ObjectEditor(look, shown, self.schema, self)
        self.rows.addWidget(self.filled)
        foot = QHBoxLayout()
        foot.addStretch(1)
        self.no = self._button(foot, self.tr("No"), is_shown=bool(self._yes_or_no))
        self.no.clicked.connect(lambda: self.tell({self._yes_or_no: False}))
        self.decline = self._button(foot, self.tr("Decline"), is_shown=self.schema.get(MAY_DECLINE) is True)
        self.decline.clicked.connect(lambda: self.answered.emit({DECLINED: True}))
        self.button = QPushButton(self.tr("Yes") if self._yes_or_no else self.tr("Answer"), self)
        self.button.setProperty("primary", True)
        foot.addWidget(self.button)
        self.button.clicked.connect(self._answer)
        self.rows.addLayout(foot)

    @property
    def form(self) -> Form:
        """The fields, by name."""
        return self.filled.form

    def focus_first(self) -> None:
        """Give the keyboard to the first field, or to the safe one of two buttons."""
        for field in self.form:
            field.editor.setFocus()
            return
        self.no.setFocus()

    def _button(self, foot: QHBoxLayout, words: str, *, is_shown: bool) -> QPushButton:
        button = QPushButton(words, self)
        button.setVisible(is_shown)
        foot.addWidget(button)
        return button

    def _answer(self) -> None:
        if self._yes_or_no:
            self.tell({self._yes_or_no: True})
            return
        if (wrong := self.filled.check()) is not None:
            wrong.setFocus()
            self.refused.emit(wrong)
            return
        answer = self.filled.value()
        problem = mismatch(answer, self.schema, self.tr("The answer"))
        self.filled.say(problem)
        if not problem:
            self.tell(answer)


def _is_yes_or_no(fields: Schema) -> bool:
    """Whether a form has nothing but one thing to allow or not: two buttons are quicker, and plainer."""
    parts = list(fields.values())
    return len(parts) == 1 and parts[0].get("type") == "boolean" and "allow" in fields
