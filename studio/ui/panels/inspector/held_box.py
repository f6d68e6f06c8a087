"""What a held step is about to read, or has just given, to look at and to change before it goes on."""

import json
from collections.abc import Callable, Mapping
from typing import cast

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from studio.flow.plain_text import pretty
from studio.flow.records import Flow, Json
from studio.ids import StepId, is_in_called_flow
from studio.trace.events import Shown, Values
from studio.trace.steps import StepState
from studio.ui.editors.highlight import CodeHighlighter
from studio.ui.editors.prose import GrowingText
from studio.ui.editors.structured import json_refusal
from studio.ui.look import Look
from studio.ui.theme.apply import mark
from studio.ui.viewmodels import wording

Check = Callable[[StepId, str, Json], str]
"""Says why a value does not fit a held step's port; empty where it does."""


class ValueField(QWidget):
    """One value of a held step: text as text, everything else as JSON."""

    changed = Signal()

    def __init__(
        self, look: Look, name: str, shown: Shown, check: Callable[[Json], str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.name = name
        self._fits = check
        self._before: object = shown.data
        self._is_text = isinstance(shown.data, str)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(look.length("space.tight"))
        caption = QLabel(name, self)
        caption.setProperty("type", "label")
        caption.setProperty("tone", "muted")
        self.text = GrowingText(look, self, least=2, most=10)
        self.text.setProperty("tone", "held")
        self.text.setAccessibleName(name)
        if not self._is_text:
            self.text.setProperty("mono", True)
            self._highlighter = CodeHighlighter(self.text.document(), look, "json")
        self.text.setPlainText(pretty(shown.data))
        caption.setBuddy(self.text)
        self._message = QLabel(self)
        self._message.setProperty("type", "small")
        self._message.setProperty("tone", "failed")
        self._message.setWordWrap(True)
        self._message.hide()
        for widget in (caption, self.text, self._message):
            rows.addWidget(widget)
        self.text.textChanged.connect(self._check)

    @property
    def is_edited(self) -> bool:
        """Whether the value differs from what the step had."""
        return self.refusal == "" and self.value != self._before

    @property
    def value(self) -> object:
        """The value as it stands; raises `ValueError` where it is not JSON."""
        text = self.text.toPlainText()
        return text if self._is_text else json.loads(text)

    @property
    def refusal(self) -> str:
        """Why the text is not a value, in one sentence; empty where it is."""
        try:
            value = self.value
        except ValueError as error:
            return json_refusal(error)
        return self._fits(cast("Json", value)) if value != self._before else ""

    def _check(self) -> None:
        reason = self.refusal
        if bool(reason) != self._message.isVisible():
            mark(self.text, tone="failed" if reason else "held")
        self._message.setText(reason)
        self._message.setVisible(bool(reason))
        self.changed.emit()


class HeldBox(QFrame):
    """Stands in the inspector while a step of the inspected node is held."""

    stepped = Signal(str, object)
    """Go on with this step and hold at the next; with the edited values by port."""
    continued = Signal(str, object)
    """Go on with this step until a breakpoint; with the edited values by port."""

    def __init__(self, look: Look, check: Check, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look, self._check = look, check
        self._step: StepId | None = None
        self._fields: list[ValueField] = []
        self.setObjectName("held_box")
        large = look.length("space.large")
        rows = QVBoxLayout(self)
        rows.setContentsMargins(large, look.length("space.normal"), large, large)
        rows.setSpacing(look.length("space.small"))
        self._title = QLabel(self)
        self._title.setProperty("tone", "held")
        self._title.setFont(look.font("label", strong=True))
        self._title.setWordWrap(True)
        rows.addWidget(self._title)
        self._area = QScrollArea(self)
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._page = QWidget(self._area)
        self._values = QVBoxLayout(self._page)
        self._values.setContentsMargins(0, 0, 0, 0)
        self._area.setWidget(self._page)
        rows.addWidget(self._area, 1)
        buttons = QHBoxLayout()
        self._note = QLabel(self)
        self._note.setProperty("type", "small")
        self._note.setProperty("tone", "muted")
        self.step_button = QPushButton(self.tr("Step"), self)
        self.step_button.setToolTip(self.tr("Go on, and hold at the next step (F10)"))
        self.continue_button = QPushButton(self.tr("Continue"), self)
        self.continue_button.setToolTip(self.tr("Go on until a breakpoint (F8)"))
        self.continue_button.setProperty("primary", True)
        buttons.addWidget(self._note, 1)
        buttons.addWidget(self.step_button)
        buttons.addWidget(self.continue_button)
        rows.addLayout(buttons)
        self.step_button.clicked.connect(lambda: self._release(self.stepped))
        self.continue_button.clicked.connect(lambda: self._release(self.continued))
        self.hide()

    @property
    def step(self) -> StepId | None:
        """The step whose values stand in the box."""
        return self._step

    @property
    def fields(self) -> list[ValueField]:
        """The fields of its values."""
        return self._fields

    def show_step(self, flow: Flow, step: StepState | None) -> None:
        """Show a held step, or with None nothing; one that is shown already keeps what was typed."""
        key = step.id if step is not None else None
        if key == self._step:
            return
        self._step = key
        for field in self._fields:
            self._values.removeWidget(field)
            field.hide()
            field.deleteLater()
        self._fields = []
        self.setVisible(step is not None)
        if step is None:
            return
        is_before = step.held_phase != "after"
        values = step.inputs if is_before else step.outputs
        is_called = is_in_called_flow(step.scope)  # the inspector shows the node that calls
        where = wording.step_title(flow, step.id) if is_called else wording.place(flow, step.id)
        self._title.setText(self._sentence(where, is_before=is_before, has_values=bool(values)))
        self._area.setVisible(bool(values))
        self._fill(step.id, values)

    @property
    def is_usable(self) -> bool:
        """Whether every value fits its port."""
        return not any(field.refusal for field in self._fields)

    def edited(self) -> Mapping[str, Json]:
        """The values that a person changed, by port."""
        return {field.name: cast("Json", field.value) for field in self._fields if field.is_edited}

    def _fill(self, step: StepId, values: Values) -> None:
        for name, shown in values.items():
            field = ValueField(self._look, name, shown, self._check_of(step, name), self._page)
            field.changed.connect(self._follow)
            self._fields.append(field)
            self._values.addWidget(field)
            field.text.installEventFilter(self)
        self._follow()
        QTimer.singleShot(0, self, self._fit)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow texts that grow."""
        if event.type() == QEvent.Type.Resize:
            QTimer.singleShot(0, self, self._fit)
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
        changed = len(self.edited()) if is_usable else 0
        for button in (self.step_button, self.continue_button):
            button.setEnabled(is_usable)
        self._note.setText(self.tr("{count} changed").format(count=changed) if changed else "")

    def _release(self, signal: object) -> None:
        if self._step is not None:
            signal.emit(self._step, dict(self.edited()))  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]

    def _sentence(self, where: str, *, is_before: bool, has_values: bool) -> str:
        if not has_values:
            place = where or (self.tr("it starts") if is_before else self.tr("it ended"))
            words = self.tr("Held before {where}") if is_before else self.tr("Held after {where}")
            return words.format(where=place)
        if is_before and where:
            return self.tr("Held before {where}: edit what it is about to read").format(where=where)
        if is_before:
            return self.tr("Held before it starts: edit what it is about to read")
        if where:
            return self.tr("Held after {where}: edit what it gave").format(where=where)
        return self.tr("Held after it ended: edit what it gave")
