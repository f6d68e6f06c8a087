"""Going on from a held step, with what was typed into it."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from studio.errors import StepwireError, UsageError
from studio.flow.records import Json
from studio.ids import StepId
from studio.runtime.gate import Stepping
from studio.ui.panels.notice import NoticeBar
from studio.ui.slots import of_text
from studio.ui.window.run_words import RUN_MATTER
from studio.ui.window.workspace import Workspace


class HeldSteps(QObject):
    """Lets the held steps of one workspace go on, wherever a person says so."""

    def __init__(self, workspace: Workspace, notices: NoticeBar) -> None:
        super().__init__(workspace)
        self._work, self._notices = workspace, notices
        workspace.inspector.held.stepped.connect(self.step_on)
        workspace.inspector.held.continued.connect(self.release)
        workspace.debugging.stepped.connect(of_text(self.step_on))
        workspace.debugging.continued.connect(of_text(self.release))

    def step_on(
        self, step: str | None, edited: Mapping[str, Json] | None = None, how: Stepping = Stepping.OVER
    ) -> None:
        """Go on with a held step, by default the longest waiting, and hold where `how` says."""
        chosen = StepId(step) if step else None
        self._let_go(step, edited, lambda values: self._work.debugger.step(chosen, how, values))

    def release(self, step: str, edited: Mapping[str, Json] | None = None) -> None:
        """Go on until a breakpoint, with the values of a held step."""
        self._let_go(step, edited, lambda values: self._work.debugger.resume(StepId(step), values))

    def _let_go(
        self,
        step: str | None,
        edited: Mapping[str, Json] | None,
        act: Callable[[Mapping[str, Json]], None],
    ) -> None:
        """Go on with what was edited; what was typed and does not fit is said, and nothing goes on."""

        def go_on() -> None:
            values = self._typed(step) if edited is None else edited
            self._notices.settle(RUN_MATTER)
            self._leave_held_box()
            act(values)

        try:
            go_on()
        except StepwireError as error:
            self._notices.say(str(error), key=RUN_MATTER)

    def _leave_held_box(self) -> None:
        """The box goes with the hold: keys that were typed there are the canvas's now."""
        focused = QApplication.focusWidget()
        if focused is not None and self._work.inspector.held.isAncestorOf(focused):
            self._work.canvas.setFocus()

    def _typed(self, step: str | None) -> Mapping[str, Json]:
        """What was typed into the held box, if it is about this step; raises where it does not fit."""
        box = self._work.inspector.held
        if step is None or box.step != step:
            return {}
        if not box.is_usable:
            raise UsageError(
                self.tr("What you wrote does not fit: {reason}").format(reason=box.refusal),
                hint=self.tr("Put it right, or take it back."),
            )
        return box.edited()
