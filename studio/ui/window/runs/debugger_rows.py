"""What the debugger's rows ask to be done with held steps and their runs, whichever run is shown."""

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu

from studio.app.runs.live_run import LiveRun
from studio.errors import StepwireError
from studio.ids import StepId
from studio.runtime.gates.step_mode import Stepping
from studio.ui.panels.widgets.notice import NoticeBar
from studio.ui.window.runs.run_words import RUN_MATTER
from studio.ui.window.workspace import Workspace


class HeldDeeds(QObject):
    """Does them, and says what cannot be done."""

    def __init__(self, workspace: Workspace, notices: NoticeBar) -> None:
        super().__init__(workspace)
        self._work, self._notices = workspace, notices
        workspace.debugging.asked.connect(self.do)
        workspace.inspector.held.menu_asked.connect(self.offer)

    def offer(self, menu: QMenu, step: str) -> None:
        """Put into the menu of the held box what else can be done with its step."""
        shown = self._work.shown.run
        held = (one for one in self._work.debugger.held if one.run is shown and one.id == step)
        for one in held:
            self._work.debugging.held.offer(menu, one)

    def do(self, deed: str, run: str, step: str, to: str) -> None:
        """Do what a row asks for."""
        debugger = self._work.debugger
        found = next((one for one in debugger.runs if one.run == run), None)
        if found is None:
            return
        try:
            if deed in {"show", "step", "into", "out", "release", "continue", "drop", "send"}:
                self._do_to_step(deed, found, StepId(step), to)
            else:
                self._do_to_run(deed, found)
        except StepwireError as error:
            self._notices.say(str(error), key=RUN_MATTER)

    def _do_to_step(self, deed: str, run: LiveRun, step: StepId, to: str) -> None:
        debugger = self._work.debugger
        if deed == "show":
            self._work.debugging.held_chosen.emit(run.run, step)
            return
        if not step:
            debugger.resume(run=run)
            return
        shown = self._work.shown.run
        box = self._work.inspector.held
        has_typed = shown is run and deed not in {"drop", "send"}
        values = box.values_for(step if has_typed else None)
        self._notices.settle(RUN_MATTER)
        match deed:
            case "release":
                debugger.release(step, values, run=run)
            case "continue":
                debugger.resume(step, values, run=run)
            case "drop":
                debugger.drop(step, run=run)
            case "send":
                debugger.send(step, to, run=run)
            case _:
                how = {"into": Stepping.INTO, "out": Stepping.OUT}.get(deed, Stepping.OVER)
                debugger.step(step, how, values, run=run)

    def _do_to_run(self, deed: str, run: LiveRun) -> None:
        debugger = self._work.debugger
        match deed:
            case "others":
                debugger.let_others(go_on=not debugger.lets_others(run), run=run)
            case "detach":
                debugger.detach(run)
            case "attach":
                debugger.attach_again(run)
            case "stop":
                run.cancel()
            case "continue_all":
                debugger.resume_all()
            case "hold_all":
                debugger.hold_all()
            case _:
                debugger.cancel_all()
