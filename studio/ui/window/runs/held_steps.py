"""Going on from a held step, with what was typed into it, or without it, or another way."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from studio.errors import StepwireError
from studio.flow.records import Json
from studio.host.protocol import (
    DropStep,
    LetOthers,
    ReleaseStep,
    ResumeRun,
    RunAsked,
    RunTo,
    SendStep,
    StepOn,
)
from studio.ids import RunId, StepId
from studio.runtime.gates.step_mode import Stepping
from studio.ui.later import later
from studio.ui.panels.widgets.notice import NoticeBar
from studio.ui.window.runs.run_words import RUN_MATTER
from studio.ui.window.workspace import Workspace


class HeldSteps(QObject):
    """Lets the held steps of one workspace go on, wherever a person says so."""

    def __init__(self, workspace: Workspace, notices: NoticeBar) -> None:
        super().__init__(workspace)
        self._work, self._notices = workspace, notices
        workspace.inspector.held.stepped.connect(self.step_on)
        workspace.inspector.held.continued.connect(self.release)
        workspace.inspector.held.menu_asked.connect(self.offer)
        workspace.debugging.asked.connect(self.ask)

    def ask(self, asked: RunAsked) -> None:
        """Have something done to a run; a step that is shown goes on with what was typed into it.

        What was typed and does not fit is said, and nothing goes on.
        """
        try:
            if isinstance(asked, ReleaseStep | ResumeRun | StepOn) and asked.step and not asked.edited:
                shown = self._work.shown.run
                is_shown = shown is not None and asked.run == shown.run
                box = self._work.inspector.held
                asked = replace(asked, edited=box.values_for(asked.step if is_shown else None))
            if isinstance(asked, RunTo) or getattr(asked, "step", None):
                self._notices.settle(RUN_MATTER)
                self._leave_held_box()
            self._work.debugger.ask(asked)
        except StepwireError as error:
            self._notices.say(str(error), key=RUN_MATTER)

    def offer(self, menu: QMenu, step: str) -> None:
        """Put into the menu of the held box what else can be done with its step."""
        shown = self._work.shown.run
        for one in self._work.debugger.held:
            if one.run is shown and one.id == step:
                self._work.debugging.held.offer(menu, one)

    def step_on(
        self, step: str | None, edited: Mapping[str, Json] | None = None, how: Stepping = Stepping.OVER
    ) -> None:
        """Go on with a held step, by default the longest waiting, and hold where `how` says."""
        chosen = StepId(step) if step else None
        self._ask(lambda run: StepOn(run, chosen, how.value, edited or {}))

    def release(self, step: str, edited: Mapping[str, Json] | None = None) -> None:
        """Go on until a breakpoint, with the values of a held step."""
        self._ask(lambda run: ResumeRun(run, StepId(step), edited or {}))

    def release_alone(self) -> None:
        """Go on with the chosen held step, with what was typed into it; the others stay held."""
        self._act(lambda step: self._ask(lambda run: ReleaseStep(run, step)))

    def drop(self) -> None:
        """Leave the chosen held step out."""
        self._act(lambda step: self._ask(lambda run: DropStep(run, step)))

    def send(self, step: StepId, port: str) -> None:
        """Have what a held step gives leave at another of its cases."""
        self._ask(lambda run: SendStep(run, step, port))

    def choose_case(self) -> None:
        """Offer the other cases of the chosen held step at the pointer."""
        self._act(lambda step: self.cases_menu(step, self._work.canvas).popup(QCursor.pos()))

    def cases_menu(self, step: StepId, parent: QWidget) -> QMenu:
        """Make a menu of the cases to which the value of a held step can be sent."""
        menu = QMenu(parent)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for port in self._work.debugger.cases(step):
            menu.addAction(port.label or port.name, partial(self.send, step, port.name))
        if menu.actions():
            menu.setActiveAction(menu.actions()[0])
        return menu

    def show_list(self) -> None:
        """Put the keyboard into the list of held steps, of every run of the flow."""
        self._work.raise_asked.emit("debugger")
        self._work.debugging.go_to_held()

    def show_scopes(self) -> None:
        """Put the keyboard into the values of the enclosing scopes."""
        self._work.raise_asked.emit("debugger")
        self._work.debugging.go_to_scopes()

    def edit(self) -> None:
        """Put the keyboard into the values of the chosen held step."""
        self._act(self._edit)

    def run_to(self, place: str) -> None:
        """Go on to a step, or to the next one of a node."""
        self._ask(lambda run: RunTo(run, place))

    def switch_others(self) -> None:
        """Let steps of the run that is meant start while others are held, or no longer."""
        debugger = self._work.debugger
        self._ask(lambda run: LetOthers(run, not debugger.lets_others()))
        self._work.told.emit(
            self.tr("Other steps keep running while one is paused.")
            if debugger.lets_others()
            else self.tr("While a step is paused, no other step starts.")
        )

    def detach(self) -> None:
        """Let the run that is meant go on by itself."""
        self._notices.settle(RUN_MATTER)
        self._leave_held_box()
        self._work.debugger.detach()
        self._work.told.emit(self.tr("Detached: the run goes on by itself and ignores breakpoints."))

    def attach_again(self) -> None:
        """Have breakpoints hold the run again that goes on by itself."""
        self._work.debugger.attach_again()
        self._work.told.emit(self.tr("Breakpoints pause the run again."))

    @property
    def is_detached(self) -> bool:
        """Whether the run that is meant goes on by itself."""
        run = self._work.debugger.run
        return run is not None and not run.is_over and self._work.debugger.is_detached(run)

    @property
    def chosen(self) -> StepId | None:
        """The held step that is shown, else the longest waiting one of the shown run; none in one unseen."""
        debugger, seen = self._work.debugger, self._work.shown
        if debugger.run is not seen.run or seen.moment is not None:
            return None
        held = [one.id for one in debugger.held_in(debugger.run)]
        shown = self._work.inspector.held.step
        return shown if shown in held else held[0] if held else None

    @property
    def has_cases(self) -> bool:
        """Whether the value of the chosen held step can be sent another way."""
        step = self.chosen
        return step is not None and bool(self._work.debugger.cases(step))

    def _edit(self, step: StepId) -> None:
        box = self._work.inspector.held
        self._work.raise_asked.emit("inspector")
        if box.step != step:
            self._work.show_step(step)
        if box.step == step:
            later(box, box.focus_first)  # fields that were made just now are not shown yet

    def _act(self, act: Callable[[StepId], None]) -> None:
        step = self.chosen
        if step is not None:
            act(step)

    def _ask(self, make: Callable[[RunId], RunAsked]) -> None:
        """Ask something of the run that is meant, if there is one."""
        run = self._work.debugger.run
        if run is not None:
            self.ask(make(run.run))

    def _leave_held_box(self) -> None:
        """The box goes with the hold: keys that were typed there are the canvas's now."""
        focused = QApplication.focusWidget()
        if focused is not None and self._work.inspector.held.isAncestorOf(focused):
            self._work.canvas.setFocus()
