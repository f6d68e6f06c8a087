"""What a held step is about to read, or has just given, to look at and to change before it goes on."""

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.errors import UsageError
from studio.flow.ports import ANY, MESSAGE, MESSAGES, PortType
from studio.flow.records import CallingLibrary, Flow, Json
from studio.ids import StepId
from studio.runtime.gates.call_edits import call_ports
from studio.runtime.gates.drops import NOTHING
from studio.runtime.gates.value_edits import outputs_of
from studio.trace.events.values import Plain, Shown, Values
from studio.trace.fold.steps import StepState
from studio.ui.buttons import push_button
from studio.ui.editors.parts import Schema
from studio.ui.labels import text_label
from studio.ui.later import later
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.inspector.message_fields import MessagesField
from studio.ui.panels.inspector.value_field import HeldField, ValueField
from studio.ui.panels.widgets.icon_button import icon_button
from studio.ui.removal import take_out
from studio.ui.slots import of_flag
from studio.ui.viewmodels.words.held_words import held_sentence

Check = Callable[[StepId, str, Json], str]
"""Says why a value does not fit a held step's port; empty where it does."""

Types = Callable[[StepId, str], PortType]
"""Gives the type of what stands at a held step's port."""

Unset = Callable[[StepId], Sequence[str]]
"""Gives the ports of a held step that have no value, and could be given one."""

ANSWER = "answer"
"""What a call says, by name."""

ARGUMENTS = "arguments"
"""What a tool is called with, by name."""

NO_ANSWER: Mapping[str, Plain] = {"chat": {"role": "assistant", "content": ""}, "embed": []}
"""What an answer is before somebody has written it, where it is not text."""


class HeldBox(QFrame):
    """Stands in the inspector while a step of the inspected node is held."""

    stepped = Signal(str, object)
    """Go on with this step and hold at the next; with the edited values by port."""
    continued = Signal(str, object)
    """Go on with this step until a breakpoint; with the edited values by port."""
    menu_asked = Signal(object, str)
    """An empty menu, to be filled with what else can be done with this step."""

    def __init__(
        self,
        look: Look,
        check: Check,
        parent: QWidget | None = None,
        *,
        types: Types = lambda _step, _port: ANY,
        unset: Unset = lambda _step: (),
    ) -> None:
        super().__init__(parent)
        self._look, self._check, self._types, self._unset = look, check, types, unset
        self._step: StepId | None = None
        self._shown: tuple[StepId, str, str] | None = None
        self._call = ""
        self._schema: Schema | None = None
        self._given: Values = {}
        self._wanted: Mapping[str, PortType] = {}
        """What may be given in the place of an error."""
        self._is_before = True
        self._fields: list[HeldField] = []
        self.setObjectName("held_box")
        large = look.length("space.large")
        rows = column_layout(
            self, (large, look.length("space.normal"), large, large), look.length("space.small")
        )
        self._title = text_label("", self, tone="held")
        self._title.setFont(look.font("label", strong=True))
        self._title.setWordWrap(True)
        rows.addWidget(self._title)
        self._area = QScrollArea(self)
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._page = QWidget(self._area)
        self._values = column_layout(self._page, 0)
        self._area.setWidget(self._page)
        self._page.installEventFilter(self)
        rows.addWidget(self._area, 1)
        self._add_buttons(rows)
        self.hide()

    def _add_buttons(self, rows: QVBoxLayout) -> None:
        self.answer_button = push_button("", self, self._answer)
        self.back_button = push_button(
            self.tr("Undo edits"),
            self,
            self._take_back,
            tip=self.tr("Reset the step to what it was before you edited it here"),
        )
        others = QHBoxLayout()
        others.addWidget(self.answer_button, 1)
        others.addWidget(self.back_button, 1)
        rows.addLayout(others)
        buttons = QHBoxLayout()
        self._note = text_label("", self, "small", "muted")
        self.step_button = push_button(
            self.tr("Step"), self, tip=self.tr("Continue, and pause at the next step (F10)")
        )
        self.continue_button = push_button(
            self.tr("Continue"), self, tip=self.tr("Run to the next breakpoint (F8)")
        )
        self.continue_button.setProperty("primary", True)
        self.more_button = icon_button(self._look, "more", self.tr("More actions"), self)
        self.more_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu = QMenu(self)
        self.menu.aboutToShow.connect(self._fill_menu)
        self.more_button.setMenu(self.menu)
        buttons.addWidget(self._note, 1)
        buttons.addWidget(self.more_button)
        buttons.addWidget(self.step_button)
        buttons.addWidget(self.continue_button)
        rows.addLayout(buttons)
        self.step_button.clicked.connect(lambda: self._release(self.stepped))
        self.continue_button.clicked.connect(lambda: self._release(self.continued))

    def _fill_menu(self) -> None:
        for inner in self.menu.findChildren(QMenu):
            inner.deleteLater()  # clearing leaves them behind
        self.menu.clear()
        if self._step is None:
            return
        there = [field.name for field in self._fields]
        ports = [port for port in self._unset(self._step) if port not in there and not self._wanted]
        if ports:
            inner = self.menu.addMenu(self.tr("Add a value for"))
            for port in ports:
                inner.addAction(port).triggered.connect(of_flag(lambda _, port=port: self.give(port)))
            self.menu.addSeparator()
        self.menu_asked.emit(self.menu, self._step)

    def give(self, port: str) -> None:
        """Let a person write a value for a port that has none."""
        if self._step is not None:
            self._write([self._field(self._step, port, Shown(_empty(self._types(self._step, port))))])

    def focus_first(self) -> None:
        """Put the keyboard into the first value; where there is none, to what goes on."""
        inside = self._page.findChildren(QWidget)
        typed = (one for one in inside if one.isVisibleTo(self._page) and one.isEnabled())
        first = next((one for one in typed if _is_typed_into(one)), self.continue_button)
        first.setFocus(Qt.FocusReason.ShortcutFocusReason)

    @property
    def step(self) -> StepId | None:
        """The step whose values stand in the box."""
        return self._step

    @property
    def fields(self) -> list[HeldField]:
        """The fields of its values."""
        return self._fields

    def show_step(self, flow: Flow, step: StepState | None, library: CallingLibrary | None = None) -> None:
        """Show a held step, or with None nothing; one that is shown already keeps what was typed."""
        key = (step.id, step.held_phase, step.held_reason) if step is not None else None
        if key == self._shown:
            return
        self._shown = key
        self._step = step.id if step is not None else None
        self.setVisible(step is not None)
        if step is None:
            self._clear()
            return
        is_before = step.held_phase != "after"
        values = step.inputs if is_before else step.outputs
        self._call = step.call.partition(".")[0]
        self._schema = cast("Schema", step.held_schema) if isinstance(step.held_schema, dict) else None
        self._title.setText(held_sentence(flow, step, has_values=bool(values), library=library))
        self._area.setVisible(bool(values))
        self._given, self._is_before = values, is_before
        failed = step.held_reason == "error" and library is not None
        self._wanted = outputs_of(flow, library, step.id) if failed and library is not None else {}
        self._take_back()

    @property
    def refusal(self) -> str:
        """Why a value does not fit its port, in one sentence; empty where all do."""
        return next((field.refusal for field in self._fields if field.refusal), "")

    @property
    def is_usable(self) -> bool:
        """Whether every value fits its port."""
        return not self.refusal

    def edited(self) -> Mapping[str, Json]:
        """The values that a person changed, by port; under `NOTHING` the outputs that give nothing."""
        changed = {field.name: cast("Json", field.value) for field in self._fields if field.is_edited}
        gone: list[Json] = [field.name for field in self._fields if field.gives_nothing]
        return {**changed, NOTHING: gone} if gone else changed

    def values_for(self, step: StepId | None) -> Mapping[str, Json]:
        """What was typed here about a step; raises `UsageError` for what does not fit."""
        if step is None or step != self._step:
            return {}
        if not self.is_usable:
            raise UsageError(
                self.tr("This value does not fit: {reason}").format(reason=self.refusal),
                hint=self.tr("Correct it, or undo it."),
            )
        return self.edited()

    def _take_back(self) -> None:
        if self._step is None:
            return
        self._clear()
        self._name_answer()
        self.answer_button.setVisible(bool(self._wanted) or (bool(self._call) and self._is_before))
        self._fill(self._step, self._given)

    def _clear(self) -> None:
        for field in self._fields:
            take_out(self._values, field)
        self._fields = []

    def _fill(self, step: StepId, values: Values) -> None:
        for name, shown in values.items():
            field = self._field(step, name, shown)
            if not self._is_before and not self._call:
                field.offer_nothing()
            self._put(field)
        self._follow()
        later(self, self._fit)

    def _field(self, step: StepId, name: str, shown: Shown) -> HeldField:
        check, type_ = self._check_of(step, name), self._type_of(step, name)
        is_answer = self._call == "chat" and name == ANSWER
        if type_ == MESSAGES and isinstance(shown.data, list):
            messages = cast("Plain", shown.data)
            return MessagesField(self._look, name, messages, check, self._page, type_=type_)
        if type_ == MESSAGE and isinstance(shown.data, dict):
            data = cast("Plain", shown.data)
            answers = {"is_one": True, "is_answer": is_answer}
            return MessagesField(self._look, name, data, check, self._page, type_=type_, **answers)
        schema = self._schema if name == ARGUMENTS else None
        return ValueField(self._look, name, shown, check, self._page, type_=type_, schema=schema)

    def _type_of(self, step: StepId, name: str) -> PortType | None:
        if self._call:
            return call_ports(self._call, "before" if self._is_before else "after").get(name)
        return self._types(step, name)

    def _put(self, field: HeldField) -> None:
        field.changed.connect(self._follow)
        self._fields.append(field)
        self._values.addWidget(field)
        for text in field.texts:
            text.installEventFilter(self)

    def _name_answer(self) -> None:
        """Say what can be written in the place of what was to be, or of the error that came."""
        if self._wanted:
            said, tip = self.tr("Provide outputs instead"), self.tr("These outputs replace its error")
        else:
            said = self.tr("Answer for it")
            tip = self.tr("The call is not made; your answer is used instead")
        self.answer_button.setText(said)
        self.answer_button.setToolTip(tip)

    def _answer(self) -> None:
        """Let a person write what the held call says, or what a step that failed gives."""
        if self._step is None:
            return
        for one in self._fields:
            one.hide()
        empty = {name: _empty(kind) for name, kind in self._wanted.items()} if self._wanted else {ANSWER: ""}
        made: list[HeldField] = []
        for name, nothing in empty.items():
            given = NO_ANSWER.get(self._call, nothing) if name == ANSWER and self._call else nothing
            made.append(self._field(self._step, name, Shown(given)))
        self.answer_button.hide()
        self._write(made)

    def _write(self, made: Sequence[HeldField]) -> None:
        """Put in what was not there before; of several, the first counts, and those that are written."""
        made[0].is_new = True
        for field in made:
            self._put(field)
        self._area.show()
        (made[0].texts[0] if made[0].texts else made[0]).setFocus()
        self._follow()
        later(self, self._fit)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow texts and forms that grow."""
        if event.type() == (QEvent.Type.LayoutRequest if watched is self._page else QEvent.Type.Resize):
            later(self, self._fit)
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        """Be as high as the values are, up to half of the inspector."""
        room = self._page.sizeHint().height() + self._look.length("space.hair")
        parent = self.parentWidget()
        whole = parent.height() if isinstance(parent, QWidget) else self.height()
        most = whole // 2 - self._look.length("space.wide") * 3
        self._area.setFixedHeight(max(min(room, most), self._look.length("space.wide") * 3))

    def _check_of(self, step: StepId, port: str) -> Callable[[Json], str]:
        return lambda value: self._check(step, port, value)

    def _follow(self) -> None:
        is_usable = self.is_usable
        changed = sum(field.is_edited or field.gives_nothing for field in self._fields) if is_usable else 0
        for button in (self.step_button, self.continue_button):
            button.setEnabled(is_usable)
        self.back_button.setVisible(not is_usable or changed > 0)
        self._note.setText(self.tr("{count} edited").format(count=changed) if changed else "")

    def _release(self, signal: object) -> None:
        if self._step is not None:
            signal.emit(self._step, dict(self.edited()))  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


def _is_typed_into(widget: QWidget) -> bool:
    is_field = isinstance(widget, QPlainTextEdit | QLineEdit | QCheckBox | QComboBox)
    return is_field and bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)


def _empty(kind: PortType) -> Plain:
    """What a value of a type is before somebody has written it."""
    if kind.depth or kind.base == "messages":
        return []
    known: Mapping[str, Plain] = {
        "text": "",
        "number": 0,
        "flag": False,
        "message": {"role": "assistant", "content": ""},
    }
    return known.get(kind.base)
