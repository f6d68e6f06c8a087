"""Run again from a step: what it reads or gives, and its settings, edited first; and what will be done."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QScrollArea, QTabWidget, QVBoxLayout, QWidget

from studio.app.documents.history import History
from studio.app.documents.session import Session
from studio.app.reuse.fork_plan import ForkPlan
from studio.errors import ValueTypeError
from studio.flow.plain_text import quoted
from studio.flow.ports import PortType
from studio.flow.records import Flow, Json
from studio.ids import PortName, StepId, is_in_called_flow, own_step, step_parts
from studio.past.fork_wishes import Setting
from studio.runtime.gates.call_edits import call_ports
from studio.runtime.gates.step_ref import Phase
from studio.runtime.gates.value_edits import read_edits, type_at
from studio.trace.events.values import Shown
from studio.trace.fold.steps import StepState
from studio.ui.buttons import push_button
from studio.ui.editors.make import Surroundings
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout
from studio.ui.panels.inspector.message_fields import MessagesField
from studio.ui.panels.inspector.settings_form import SettingsForm
from studio.ui.panels.inspector.value_field import HeldField, ValueField
from studio.ui.panels.widgets.dialog_end import DialogEnd
from studio.ui.viewmodels.words import count_words
from studio.ui.window.past.fork_planner import ForkPlanning
from studio.ui.window.window_size import open_at

Values = Sequence[tuple[str, Phase, Shown]]
"""What stands at a step: by port, on which side of its work."""


@dataclass(frozen=True, slots=True)
class Again:
    """What a person wants: to run again from `step`, with `values`, on `flow`; held there with `hold`."""

    step: StepId
    values: Sequence[Setting]
    flow: Flow
    hold: bool = False


class RunAgainSheet(QDialog):
    """Edits one step of a run that is over; `asked` tells what is to be done."""

    asked = Signal(object)

    def __init__(
        self,
        around: Surroundings,
        session: Session,
        step: StepState | None,
        title: str,
        planning: Callable[[QWidget], ForkPlanning],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._around, self._session, self._step = around, session, step
        self._title = title
        self._look = look = around.look
        self._scratch = History(session.flow)
        self.fields: list[tuple[Phase, HeldField]] = []
        self.setWindowTitle(
            self.tr("Run again from {step}").format(step=title) if step else self.tr("Run again")
        )
        wide, large = look.length("space.wide"), look.length("space.large")
        self.pages = QTabWidget(self)
        self.settings: SettingsForm | None = None
        if step is not None:
            self._add_values(step)
            self._add_settings(step)
        open_at(self, QSize(wide * 36, wide * (30 if self.pages.count() else 12)))
        self.pages.setVisible(self.pages.count() > 0)
        self.plan = QLabel(self.tr("Working out which steps run again…"), self)
        self.plan.setObjectName("fork_plan")
        self.plan.setWordWrap(True)
        self.plan.setAccessibleName(self.tr("What will happen"))
        self.changes = text_label("", self, "small", "muted", wraps=True, is_plain=True)
        rows = column_layout(self, large, look.length("space.normal"))
        rows.addWidget(self.pages, 1)
        rows.addWidget(self.changes)
        rows.addWidget(self.plan)
        rows.addLayout(self._buttons())
        self._planning = planning(self)
        self._planning.told.connect(self._tell)
        self._follow(at_once=True)

    def _buttons(self) -> QHBoxLayout:
        self.held_button = push_button(
            self.tr("Run again, paused there"),
            self,
            tip=self.tr("Pause at the step first, and continue from there by hand"),
        )
        self.held_button.setVisible(self._step is not None)
        self.held_button.clicked.connect(lambda: self._ask(hold=True))
        end = DialogEnd(self, self.tr("Run again"), lambda: self._ask(hold=False), self.held_button)
        self.run_button = end.button
        return end

    @property
    def flow(self) -> Flow:
        """The flow with the settings that stand here."""
        return self._scratch.flow

    @property
    def values(self) -> Sequence[Setting]:
        """The values that a person changed."""
        step = self._step.id if self._step is not None else StepId("")
        return [
            Setting(step, PortName(field.name), cast("Json", field.value))
            for _, field in self.fields
            if field.is_edited
        ]

    @property
    def refusal(self) -> str:
        """Why a value does not fit; empty where all do."""
        return next((field.refusal for _, field in self.fields if field.refusal), "")

    def _add_values(self, step: StepState) -> None:
        read = [(name, "before", shown) for name, shown in _read_by(step).items()]
        given = [(name, "after", shown) for name, shown in _given_by(step).items()]
        for title, values in ((self.tr("Inputs"), read), (self.tr("Outputs"), given)):
            if values:
                self.pages.addTab(self._page(step, cast("Values", values)), title)

    def _add_settings(self, step: StepState) -> None:
        """The settings of its node, for this run alone; those of a called flow are edited there."""
        if step.node not in self._session.flow.nodes or is_in_called_flow(step.scope):
            return
        form = SettingsForm(self._scratch, self._session.registry, self._around, step.node, self)
        self.settings = form
        self._scratch.on_change(lambda _: self._follow())
        self.pages.addTab(form, self.tr("Settings, for this run"))

    def _page(self, step: StepState, values: Values) -> QScrollArea:
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        page = QWidget(area)
        rows = QVBoxLayout(page)
        rows.setContentsMargins(*(self._look.length("space.normal"),) * 4)
        for name, phase, shown in values:
            field = self._field(step, name, phase, shown, page)
            if field is not None:
                field.changed.connect(self._follow)
                self.fields.append((phase, field))
                rows.addWidget(field)
        rows.addStretch(1)
        area.setWidget(page)
        return area

    def _field(
        self, step: StepState, name: str, phase: Phase, shown: Shown, page: QWidget
    ) -> HeldField | None:
        type_ = self._type(step, name, phase)
        if type_ is None:
            return None

        def fits(value: Json) -> str:
            return self._misfit(step.id, phase, name, value)

        if step.call.startswith("chat"):
            is_answer = name == "answer"
            return MessagesField(
                self._look, name, shown.data, fits, page, is_one=is_answer, is_answer=is_answer
            )
        return ValueField(self._look, name, shown, fits, page, type_=type_)

    def _type(self, step: StepState, name: str, phase: Phase) -> PortType | None:
        if step.call:
            return call_ports(step.call, phase).get(name)
        return type_at(self._session.flow, self._session.registry, step.id, name, phase)

    def _misfit(self, step: StepId, phase: Phase, name: str, value: Json) -> str:
        try:
            read_edits(self._session.flow, self._session.registry, step, phase, {name: value})
        except ValueTypeError as error:
            return quoted(error.message)
        return ""

    def _follow(self, *, at_once: bool = False) -> None:
        refusal = self.refusal
        for button in (self.run_button, self.held_button):
            button.setEnabled(not refusal)
        if refusal:
            self.plan.setText(refusal)
            return
        self._planning.plan(self._place, self.values, self.flow, at_once=at_once)

    @property
    def _place(self) -> StepId:
        """Where it starts: at the step, unless that is only to have given something else."""
        if self._step is None:
            return StepId("")
        is_only_given = any(phase == "after" and field.is_edited for phase, field in self.fields)
        return StepId("") if is_only_given else self._step.id

    def _tell(self, found: object) -> None:
        if isinstance(found, ForkPlan):
            self._say_plan(found)
            self.changes.setText(quoted("\n".join(found.changes)))
            self.changes.setVisible(bool(found.changes))
        else:
            self.plan.setText(quoted(str(found)))
        for button in (self.run_button, self.held_button):
            button.setEnabled(isinstance(found, ForkPlan) and not self.refusal)

    def _say_plan(self, found: ForkPlan) -> None:
        """Say what runs again, and where that begins before the step that was chosen."""
        said, step = [found.sentence], self._step
        earlier = _rounds_before(found, step.id) if step is not None else []
        begins = count_words.step_title(self._session.flow, earlier[0]) if earlier else self._title
        if earlier:
            words = self.tr("It begins at “{step}”, because the changes apply to every round.")
            said.append(words.format(step=begins))
        if found.edited:
            names = ", ".join(f"“{count_words.step_title(self._session.flow, one)}”" for one in found.edited)
            words = self.tr("What was edited by hand while paused is not kept: {steps}.")
            said.append(words.format(steps=names))
        if step is not None:
            self.setWindowTitle(self.tr("Run again from {step}").format(step=begins))
        self.plan.setText(quoted(" ".join(said)))

    def _ask(self, *, hold: bool) -> None:
        place = self._step.id if hold and self._step is not None else self._place
        self.asked.emit(Again(place, self.values, self.flow, hold))
        self.accept()


def _rounds_before(plan: ForkPlan, step: StepId) -> list[StepId]:
    """What the node of a step does again in rounds before it."""
    node, own = step_parts(step)[1], own_step(step)
    before = plan.again[: plan.again.index(own)] if own in plan.again else ()
    return [one for one in before if step_parts(one)[1] == node]


def _read_by(step: StepState) -> dict[str, Shown]:
    """What a step began with, or a call was made with, as it can be edited."""
    if step.call.startswith("chat") and step.request is not None:
        return {"messages": Shown(step.request.get("messages"))}
    if step.call.startswith("tool"):
        return {"arguments": Shown(step.arguments)}
    return {} if step.call else dict(step.inputs)


def _given_by(step: StepState) -> dict[str, Shown]:
    """What a step gave, or a call answered."""
    if step.call.startswith("chat"):
        return {"answer": Shown(step.message)} if step.message is not None else {}
    if step.call.startswith("tool"):
        return {"answer": Shown(step.text)}
    return {} if step.call else dict(step.outputs)
