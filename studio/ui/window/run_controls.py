"""What can be done to a run of the flow in front: start, hold, step, continue, stop, answer."""

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QObject, Signal

from studio.app.live_run import LiveRun
from studio.app.session import READ_ONLY
from studio.errors import StepwireError
from studio.flow.check import Problem, errors_of
from studio.flow.records import Json
from studio.ids import RunId, StepId
from studio.runtime.gate import Stepping
from studio.trace.events import BudgetReached
from studio.trace.state import RunStatus
from studio.ui.bridge import Bridge
from studio.ui.panels.notice import NoticeBar, Remedy
from studio.ui.window.earlier_runs import EarlierRuns
from studio.ui.window.held_steps import HeldSteps
from studio.ui.window.run_view import RunView
from studio.ui.window.run_words import LIMIT_MATTER, PROBLEM_MATTER, RUN_MATTER, failure_said, problems_said
from studio.ui.window.workspace import Workspace


class RunControls(QObject):
    """Acts on the run of one workspace."""

    runs_changed = Signal()
    """A run began or ended: lists of runs read differently."""

    def __init__(self, workspace: Workspace, view: RunView, bridge: Bridge, notices: NoticeBar) -> None:
        super().__init__(workspace)
        self._work, self._view, self._bridge, self._notices = workspace, view, bridge, notices
        self._live: LiveRun | None = None
        self._told_limit: BudgetReached | None = None
        self._listed: tuple[LiveRun, bool] | None = None
        self.earlier = EarlierRuns(workspace, self._launch)
        self._end = workspace.app.runs.on_end(self._ended)
        workspace.inspector.start.run_asked.connect(self.run)
        self.held = HeldSteps(workspace, notices)
        workspace.questions.answered.connect(self.answer)
        self._end_problems = workspace.session.on_problems(self._see_problems)

    def close(self) -> None:
        """Stop listening."""
        self._end()
        self._end_problems()

    @property
    def live(self) -> LiveRun | None:
        """The run that goes on now, whether it is shown or not."""
        return self._live if self._live is not None and not self._live.is_over else None

    def is_own(self, run: LiveRun) -> bool:
        """Whether a run is the last one that was started here."""
        return run is self._live

    @property
    def can_run(self) -> bool:
        """Whether a run may be started."""
        return self.live is None

    @property
    def can_hold(self) -> bool:
        """Whether a run goes on that is not held."""
        return self.live is not None and self.live.status is RunStatus.RUNNING

    @property
    def is_held(self) -> bool:
        """Whether a run is held."""
        return self.live is not None and self.live.status is RunStatus.HELD

    @property
    def can_step(self) -> bool:
        """Whether a run is held that goes a step on when asked; one that is held at a limit does not."""
        live = self.live
        return self.is_held and live is not None and bool(live.state.held_steps or not live.state.reached)

    @property
    def can_go_back(self) -> bool:
        """Whether a run is shown that is over, and none goes on."""
        return self.can_run and self.earlier.shown is not None

    @property
    def can_fork_here(self) -> bool:
        """Whether a step of such a run is shown."""
        return self.can_go_back and self.earlier.step is not None

    def replay_shown(self) -> None:
        """Replay the shown run."""
        if (run := self.earlier.shown) is not None:
            self.earlier.replay(run)

    def go_on_with_shown(self) -> None:
        """Go on with the shown run."""
        if (run := self.earlier.shown) is not None:
            self.earlier.go_on(run)

    def run(self) -> None:
        """Run the flow with what stands in its form."""
        self._start(hold_first=False)

    def step(self, how: Stepping = Stepping.OVER) -> None:
        """Go one step on; with no run, start one that is held before its first step."""
        if self.live is None:
            self._start(hold_first=True)
            return
        self.held.step_on(self._work.inspector.held.step, how=how)

    def hold(self) -> None:
        """Hold the run at the next steps."""
        if self.live is not None:
            self.live.hold()

    def resume(self) -> None:
        """Go on until a breakpoint, with what was typed into the held step."""
        if self.live is not None and self.live.state.reached:
            self._told_limit = None
            self._see_limits(self.live)
            return
        step = self._work.inspector.held.step
        if step is not None:
            self.held.release(step)
        else:
            self._work.debugger.resume()

    def stop(self) -> None:
        """Stop the run; a second time ends its host."""
        if self.live is not None:
            self.live.cancel()
            self._bridge.wake()

    @property
    def can_cancel_step(self) -> bool:
        """Whether the shown step is under way."""
        step = self._shown_step()
        return self.live is not None and step is not None and self._work.debugger.can_cancel(step)

    def cancel_step(self) -> None:
        """Stop the shown step; it fails, and the run goes on as its error policy says."""
        step = self._shown_step()
        if step is not None:
            self._try(lambda: self._work.debugger.cancel(step))
            self._bridge.wake()

    def answer(self, step: str, answer: Mapping[str, object]) -> None:
        """Give a person's answer to the step that asked."""
        if self.live is not None:
            self.live.answer(StepId(step), answer)

    def show_old(self, run: RunId) -> None:
        """Show a run of the past, or the live one again."""
        if self._live is not None and self._live.run == run:
            self._view.show(self._live)
        else:

            def read() -> None:
                self._view.show(self._work.app.runs.open_old(self._work.session.project.private, run))

            self._try(read)
        self._work.session.selection.show_step(None)
        self._bridge.wake()

    def leave_old(self) -> None:
        """Show the live run, or the flow without any."""
        self._view.show(self._live)
        self._work.session.selection.show_step(None)
        self._bridge.wake()

    def _start(self, *, hold_first: bool) -> None:
        work = self._work
        self._notices.settle(RUN_MATTER)
        self._notices.settle(PROBLEM_MATTER)
        work.session.refresh_problems()
        errors = errors_of(work.session.problems)
        if errors:
            work.raise_asked.emit("problems")
            said, remedy = problems_said(work, errors)
            self._notices.say(said, remedy, key=PROBLEM_MATTER)
            return
        if work.pinning.refuse(self._notices, RUN_MATTER):
            return
        given = work.inspector.run_inputs()
        if given is None:
            work.raise_asked.emit("inspector")
            self._notices.say(
                self.tr("The flow needs a value before it can run."), tone="held", key=RUN_MATTER
            )
            return
        inputs: dict[str, Json] = {str(name): value for name, value in given.items()}
        start = work.inspector.start
        profile, is_batch = start.chosen_profile, start.is_batch

        self._launch(
            lambda: work.app.runs.start(
                work.session, inputs, profile=profile, hold_first=hold_first, is_batch=is_batch
            )
        )

    def _launch(self, begin: Callable[[], LiveRun]) -> None:
        """Begin a run, show it, and debug it."""
        work = self._work
        if work.session.project.is_bundle:
            self._notices.say(READ_ONLY, tone="held", key=RUN_MATTER)
            return
        if self.live is not None:  # it would go on where nobody could continue or stop it
            self._notices.say(
                self.tr("A run goes on; only when it is over, another one is begun."),
                Remedy(self.tr("Stop it"), self.stop),
                tone="held",
                key=RUN_MATTER,
            )
            return
        for matter in (RUN_MATTER, LIMIT_MATTER):
            self._notices.settle(matter)

        def start() -> None:
            live = begin()
            self._live = live
            work.inspector.start.run_button.setEnabled(False)
            live.on_change(lambda: self._heard(live))
            live.on_entries(lambda _: self._see_entries(live))
            work.debugger.attach(live)
            work.session.selection.show_step(None)
            self._view.show(live)
            work.raise_asked.emit("timeline")

        self._try(start)
        self._bridge.wake()

    def _see_entries(self, live: LiveRun) -> None:
        listed = (live, live.status is RunStatus.HELD)
        if listed != self._listed:  # its file is there with its first entries
            self._listed = listed
            self.runs_changed.emit()
        self._see_limits(live)

    def _see_limits(self, live: LiveRun) -> None:
        """Ask what shall become of a run that is held at a limit."""
        reached = next(iter(live.state.reached.values()), None)
        if reached is self._told_limit or live is not self._live:
            return
        self._told_limit = reached
        if reached is None:
            self._notices.settle(LIMIT_MATTER)
            return
        remedies = self.earlier.limit_remedies(live, reached, self.stop)
        self._notices.say(self.earlier.limit_words(reached), remedies, tone="held", key=LIMIT_MATTER)

    def _see_problems(self, problems: Sequence[Problem]) -> None:
        """What stopped the run is mended: nothing need be said of it."""
        if not errors_of(problems):
            self._notices.settle(PROBLEM_MATTER)

    def _shown_step(self) -> StepId | None:
        selected = self._work.session.selection.now
        if selected.only_node is None:
            return None
        found = self._work.shown.shown_step(selected.only_node, selected.step)
        return found.id if found is not None else None

    def _heard(self, live: LiveRun) -> None:
        refusal = live.refusal
        if refusal is not None and live.state.started is None:
            self._notices.say(f"{refusal.message} {refusal.hint}".strip(), key=RUN_MATTER)

    def _ended(self, live: LiveRun) -> None:
        if live is not self._live:
            return
        self._notices.settle(LIMIT_MATTER)
        self._work.inspector.start.run_button.setEnabled(True)
        self.runs_changed.emit()
        state = live.state
        if state.status is RunStatus.FAILED and state.error is not None:
            self._notices.say(
                failure_said(self._work, state), self.earlier.remedies_of(state), key=RUN_MATTER
            )
        elif state.status is RunStatus.INTERRUPTED and live.refusal is None:
            self._notices.say(
                self.tr("The run host ended; the run is kept as interrupted."),
                [
                    Remedy(self.tr("Go on with it"), lambda: self.earlier.go_on(live.run)),
                    Remedy(self.tr("Run again"), self.run),
                ],
                key=RUN_MATTER,
            )

    def _try(self, act: Callable[[], None]) -> None:
        try:
            act()
        except StepwireError as error:
            self._notices.say(str(error), key=RUN_MATTER)
