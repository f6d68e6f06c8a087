"""Questions of a run that wait for a person, each as a form."""

from collections.abc import Callable, Mapping
from typing import cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from studio.flow.records import CallingLibrary, Flow
from studio.ids import StepId
from studio.sdk.prelude.forms import choices_of
from studio.sdk.prelude.schemas import mismatch
from studio.sdk.schema_ports import port_type_of
from studio.servers.records import DECLINED, MAY_DECLINE
from studio.trace.events import ApprovalAsked
from studio.trace.state import RunState
from studio.ui.editors.editor import Editor
from studio.ui.editors.make import literal_editor
from studio.ui.editors.simple import ChoiceEditor
from studio.ui.look import Look
from studio.ui.panels.empty import EmptyState
from studio.ui.panels.inspector.form import Form
from studio.ui.viewmodels import wording

Schema = Mapping[str, object]


class QuestionForm(QFrame):
    """One question; `answered` gives what a person filled in."""

    answered = Signal(object)

    def __init__(self, look: Look, who: str, asked: ApprovalAsked, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.setProperty("card", True)
        schema = self._schema = _mapping(asked.schema)
        self._required = {str(one) for one in cast("list[object]", schema.get("required") or [])}
        rows = QVBoxLayout(self)
        rows.setContentsMargins(*(look.length("space.normal"),) * 4)
        rows.setSpacing(look.length("space.small"))
        head = QLabel(who, self)
        head.setProperty("type", "label")
        head.setProperty("tone", "held")
        rows.addWidget(head)
        first, _, more = asked.question.partition("\n")
        for text, kind in ((first, "strong"), (more, "small")):
            if text:
                rows.addWidget(self._said(text, kind))
        self.form = Form(look, parent=self)
        fields = _mapping(schema.get("properties"))
        self._yes_or_no = next(iter(fields), "") if _is_yes_or_no(fields) else ""
        shown: Schema = {} if self._yes_or_no else fields
        for name, found in shown.items():
            part = _mapping(found)
            editor = self._editor(name, part)
            self.form.add(
                name,
                str(part.get("title") or name),
                editor,
                edited=lambda _, editor=editor: editor.say(""),
                visited=_nothing,
                help_text=str(part.get("description") or ""),
            )
        rows.addWidget(self.form)
        foot = QHBoxLayout()
        foot.addStretch(1)
        self.no = QPushButton(self.tr("No"), self)
        self.no.clicked.connect(lambda: self._say(is_yes=False))
        self.no.setVisible(bool(self._yes_or_no))
        foot.addWidget(self.no)
        self.decline = QPushButton(self.tr("Decline"), self)
        self.decline.clicked.connect(lambda: self.answered.emit({DECLINED: True}))
        self.decline.setVisible(schema.get(MAY_DECLINE) is True)
        foot.addWidget(self.decline)
        self.button = QPushButton(self.tr("Yes") if self._yes_or_no else self.tr("Answer"), self)
        self.button.setProperty("primary", True)
        self.button.clicked.connect(self._answer)
        foot.addWidget(self.button)
        rows.addLayout(foot)

    def focus_first(self) -> None:
        """Give the keyboard to the first field, or to the safe one of two buttons."""
        for field in self.form:
            field.editor.setFocus()
            return
        self.no.setFocus()

    def _said(self, text: str, kind: str) -> QLabel:
        label = QLabel(text, self)
        label.setTextFormat(Qt.TextFormat.PlainText)  # a server or an agent may have written it
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        label.setWordWrap(True)
        label.setProperty("type", kind)
        return label

    def _say(self, *, is_yes: bool) -> None:
        self.answered.emit({self._yes_or_no: is_yes})
        self.button.setEnabled(False)
        self.no.setEnabled(False)

    def _editor(self, name: str, part: Schema) -> Editor:
        title = str(part.get("title") or name)
        if choices := choices_of(part):
            return ChoiceEditor(title, [(str(value), words) for value, words in choices])
        editor = literal_editor(port_type_of(self._schema, part), title, self._look)
        assert editor is not None  # noqa: S101  # each of these types can be typed
        if "default" in part:
            editor.set_value(part["default"])
        return editor

    def _answer(self) -> None:
        if self._yes_or_no:
            self._say(is_yes=True)
            return
        answer: dict[str, object] = {}
        for field in self.form:
            value = field.editor.value()
            if value is None or value == "":
                if field.name in self._required:
                    field.editor.say(self.tr("An answer is needed here."))
                    field.editor.setFocus()
                    return
                continue
            answer[field.name] = self._meant(field.name, value)
            if problem := self._problem(field.name, answer[field.name]):
                field.editor.say(problem)
                field.editor.setFocus()
                return
        self.answered.emit(answer)
        self.button.setEnabled(False)

    def _part(self, name: str) -> Schema:
        return _mapping(_mapping(self._schema.get("properties")).get(name))

    def _meant(self, name: str, value: object) -> object:
        """Give a choice as the form has it: a number of its own is shown as words."""
        return next((one for one, _ in choices_of(self._part(name)) if str(one) == value), value)

    def _problem(self, name: str, value: object) -> str:
        """Say what of the form an answer does not fit."""
        part = {**self._part(name), "$defs": self._schema.get("$defs", {})}
        return mismatch(value, part, str(part.get("title") or name))


class QuestionsPanel(QWidget):
    """Every question of the shown run that waits."""

    answered = Signal(str, object)
    counted = Signal(int)
    """How many questions wait; told when they are others."""
    asked = Signal()
    """A question is new."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.forms: dict[StepId, QuestionForm] = {}
        self.empty = EmptyState(
            look,
            "help",
            self.tr("No questions"),
            self.tr("When a step asks a person, the question waits here."),
            self,
        )
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        page = QWidget(area)
        self._rows = QVBoxLayout(page)
        self._rows.setContentsMargins(*(look.length("space.normal"),) * 4)
        self._rows.setSpacing(look.length("space.small"))
        self._rows.addStretch(1)
        area.setWidget(page)
        self._page = page
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(area)
        self._area = area

    def show_questions(
        self, flow: Flow, state: RunState | None, library: CallingLibrary | None = None
    ) -> None:
        """Show the questions that wait now; those already shown keep what was typed."""
        waiting = state.waiting if state is not None else {}
        before = set(self.forms)
        for step in [one for one in self.forms if one not in waiting]:
            form = self.forms.pop(step)
            self._rows.removeWidget(form)
            form.hide()
            form.deleteLater()
        for step, asked in waiting.items():
            if step not in self.forms:
                title = wording.step_title(flow, step, library)
                form = QuestionForm(self._look, title, asked, self._page)
                form.answered.connect(self._answer_of(step))
                self.forms[step] = form
                self._rows.insertWidget(self._rows.count() - 1, form)
        self._stack.setCurrentIndex(1 if self.forms else 0)
        fresh = [step for step in self.forms if step not in before]
        if fresh and self.window().focusWidget() is self:  # the last answer was given here
            self.forms[fresh[0]].show()
            self.forms[fresh[0]].focus_first()
        if set(self.forms) != before:
            self.counted.emit(len(self.forms))
        if fresh:
            self._area.verticalScrollBar().setValue(0)  # a question is read from its beginning
            self.asked.emit()

    def _answer_of(self, step: StepId) -> Callable[[object], None]:
        def tell(answer: object) -> None:
            self.setFocus()  # the form goes; the keyboard stays for what is asked next
            self.answered.emit(step, answer)

        return tell


def _nothing() -> None:
    """Answers have no history."""


def _is_yes_or_no(fields: Schema) -> bool:
    """Whether a form has nothing but one thing to allow or not: two buttons are quicker, and plainer."""
    parts = [_mapping(one) for one in fields.values()]
    return len(parts) == 1 and parts[0].get("type") == "boolean" and "allow" in fields


def _mapping(value: object) -> Schema:
    return cast("Schema", value) if isinstance(value, Mapping) else {}
