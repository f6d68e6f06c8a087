"""What can be done to the runs of the flow in front: start, hold, step, continue, stop, answer."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from studio.app.documents.session import READ_ONLY
from studio.app.runs.debugger import Debugger
from studio.app.runs.live_run import LiveRun
from studio.app.scripts.script_again import ScriptRunError
from studio.errors import ProfileError, StepwireError
from studio.flow.checks.check import Problem, errors_of
from studio.flow.records import Json
from studio.host.protocol import AnswerForm, CancelStep, ResumeRun
from studio.ids import MADE_UP, RunId, StepId
from studio.past.open_runs import only_waits
from studio.runtime.gates.step_mode import Stepping
from studio.trace.events import BudgetReached
from studio.trace.fold.state import RunStatus
from studio.ui.bridge import Bridge
from studio.ui.panels.widgets.notice import NoticeBar, Remedy
from studio.ui.slots import of_text
from studio.ui.viewmodels.words.step_words import is_in_doubt
from studio.ui.window.past.earlier_runs import EarlierRuns
from studio.ui.window.runs.attached_runs import AttachedRuns
from studio.ui.window.runs.held_steps import HeldSteps
from studio.ui.window.runs.own_runs import OwnRuns
from studio.ui.window.runs.run_view import RunView
from studio.ui.window.runs.run_words import (
    INPUT_MATTER,
    LIMIT_MATTER,
    PROBLEM_MATTER,
    RUN_MATTER,
    failure_said,
    lacks_scripted_answer,
    problems_said,
    rejected_said,
    script_said,
)
from studio.ui.window.workspace import Workspace
from studio.workspace.trust import UnapprovedError


class RunControls(QObject):
    """Acts on the runs of one workspace: on the one that is shown, as long as it goes on."""

    runs_changed = Signal()
    """A run began or ended: lists of runs read differently."""
    answers_asked = Signal(str, object)
    """A run's chat profile cannot answer: why, and the function that begins it once more."""
    trust_asked = Signal(object, object)
    """Nobody has approved what a run would execute: the error, and the function that begins it once more."""
    session_asked = Signal(object, str)
    """A run goes on in another open flow, where it is to be shown."""

    def __init__(
        self,
        workspace: Workspace,
        view: RunView,
        bridge: Bridge,
        notices: NoticeBar,
        refusals: Sequence[Callable[[NoticeBar, str], bool]] = (),
    ) -> None:
        super().__init__(workspace)
        self._work, self._view, self._bridge, self._notices = workspace, view, bridge, notices
        self._refusals = refusals  # each says what stops a run, and whether anything does
        self._told_limits: dict[RunId, BudgetReached | None] = {}
        self._again: Callable[[], None] | None = None
        """Begins the run once more that was begun last, with what is chosen then."""
        self.own = OwnRuns(workspace, notices, self.show)
        self.own.changed.connect(self.runs_changed)
        self.attached = AttachedRuns(workspace, self.show, self.follow)
        self.earlier = EarlierRuns(workspace, self._launch)
        self._end = workspace.app.runs.on_end(self._ended)
        workspace.inspector.start.run_asked.connect(self.run)
        workspace.inspector.start.given.connect(lambda: notices.settle(INPUT_MATTER))
        self.held = HeldSteps(workspace, notices)
        workspace.questions.answered.connect(self.answer)
        workspace.questions.run_asked.connect(of_text(lambda run: self.show_old(RunId(run))))
        self._end_problems = workspace.session.on_problems(self._see_problems)

    def close(self) -> None:
        """Stop listening."""
        self._end()
        self._end_problems()
        self.own.close()

    @property
    def live(self) -> LiveRun | None:
        """The run that is acted on: the shown one, where it goes on."""
        run = self._work.shown.run
        return run if run is not None and run in self._work.debugger.runs else None

    @property
    def can_step_into_one(self) -> bool:
        """Whether a run may be started that is held at once: none goes on that could be taken for it."""
        return self.live is None and self.can_run and not self.own.going

    def is_own(self, run: LiveRun) -> bool:
        """Whether a run goes on here, or was the last one that was started here."""
        return self.own.knows(run)

    @property
    def can_run(self) -> bool:
        """Whether a run may be started: one that came in a bundle is only looked at."""
        return not self.own.is_beginning and not self._work.session.project.is_bundle

    @property
    def can_hold(self) -> bool:
        """Whether a run goes on that is not held."""
        return self.live is not None and self.live.status is RunStatus.RUNNING

    @property
    def is_held(self) -> bool:
        """Whether a run is held."""
        return self.live is not None and self.live.status is RunStatus.HELD

    @property
    def debugger(self) -> Debugger:
        """What holds the runs of the flow."""
        return self._work.debugger

    @property
    def can_run_to_here(self) -> bool:
        """Whether one node is selected to which a run can go on."""
        return self._work.session.selection.now.only_node is not None and (
            self.live is not None or self.can_run
        )

    @property
    def can_step(self) -> bool:
        """Whether a run is held that goes a step on when asked; one that is held at a limit does not."""
        live = self.live
        return self.is_held and live is not None and bool(live.state.held_steps or not live.state.reached)

    @property
    def can_go_back(self) -> bool:
        """Whether a run is shown that is over."""
        return self.can_run and self.earlier.shown is not None

    @property
    def can_fork_here(self) -> bool:
        """Whether a step of such a run of this flow is shown; in this flow no other can be gone back to."""
        return self.can_go_back and self.earlier.is_of_this_flow and self.earlier.step is not None

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

    def run_or_continue(self) -> None:
        """Continue the shown run where it is held; else run the flow."""
        if self.is_held:
            self.resume()
        else:
            self.run()

    def step(self, how: Stepping = Stepping.OVER) -> None:
        """Go one step on; with no run, start one that is held before its first step."""
        if self.live is None:
            was_over = self._work.shown.run
            self._start(hold_first=True)
            if was_over is not None and self.live not in (None, was_over):
                said = self.tr("The run shown before is over: a new one pauses at its first step.")
                self._notices.say(said, tone="skipped", key=RUN_MATTER)
            return
        self.held.step_on(self._work.inspector.held.step, how=how)

    def hold(self) -> None:
        """Hold the run at the next steps."""
        self._work.debugger.hold()

    def resume(self) -> None:
        """Go on until a breakpoint, with what was typed into the held step."""
        if self.live is not None and self.live.state.reached:
            self._told_limits.pop(self.live.run, None)
            self._see_limits(self.live)
            return
        step = self._work.inspector.held.step
        if step is not None:
            self.held.release(step)
        elif (run := self._work.debugger.run) is not None:
            self._work.debugger.ask(ResumeRun(run.run))

    def stop(self) -> None:
        """Stop the run; a second time ends its host."""
        if self.live is not None:
            self.live.cancel()
            self._bridge.wake()

    def stop_all(self) -> None:
        """Stop every run of the flow."""
        self.debugger.cancel_all()
        self._bridge.wake()

    @property
    def stopped_by_closing(self) -> list[LiveRun]:
        """The runs whose work ends with the flow's window; those of other processes are only left."""
        own = (run for run in self.own.going if not self.attached.follows(run.run))
        return [run for run in own if not only_waits(run.state)]

    def let_go(self) -> None:
        """Stop the runs that nobody would see any more, and leave those of other processes.

        What they ask stays open, and is answered later.
        """
        for run in self.own.going:
            if self.attached.follows(run.run):
                self._work.app.runs.elsewhere.leave(run.run)
            else:
                run.put_aside()
        self._bridge.wake()

    @property
    def can_cancel_step(self) -> bool:
        """Whether the shown step is under way; one of the same name in another run is none of it."""
        step, live = self._shown_step(), self.live
        if step is None or live is None or live is not self._work.shown.run:
            return False
        return self._work.debugger.can_cancel(step)

    def cancel_step(self) -> None:
        """Stop the shown step; it fails, and the run goes on as its error policy says."""
        step = self._shown_step()
        if step is not None and self.live is not None and self.can_cancel_step:
            self.held.ask(CancelStep(self.live.run, step))
            self._bridge.wake()

    def answer(self, step: str, answer: Mapping[str, object]) -> None:
        """Give a person's answer to the step that asked."""
        shown = self._work.shown.run
        if shown is not None:
            shown.ask(AnswerForm(shown.run, StepId(step), answer))

    def show_old(self, run: RunId) -> None:
        """Show a run of the past, or one that goes on."""
        own = self.own.find(run)
        if own is not None:
            self.show(own)
            return
        session = self._work.app.session_of(run)
        if session is not None and session is not self._work.session:
            self.session_asked.emit(session, run)
            return

        def read() -> None:
            self.attached.open(run)

        self._try(read)

    def leave_old(self) -> None:
        """Show the last run that was started here, or the flow without any; leave one of another process."""
        if (left := self.attached.leave()) is not None:
            self.own.forget(left)
        self.show(self.own.going[-1] if self.own.going else self.own.last)

    def show(self, run: LiveRun | None) -> None:
        """Show a run, and mean it from now on if it goes on; the others go on unseen."""
        if run is not self._work.shown.run:
            self._notices.settle(RUN_MATTER)  # its buttons would go on with a run that is not shown
        self._view.show(run)
        self._work.debugger.show(run)
        self._work.session.selection.show_step(None)
        self.own.tell_others()
        self._bridge.wake()

    def run_with(self, inputs: Mapping[str, Json], begun: Callable[[LiveRun], None]) -> None:
        """Run the flow with what was said in a chat; `begun` is told of the run, if there is one."""
        runs, session = self._work.app.runs, self._work.session
        self._begin_quietly(
            lambda profile: runs.start(session, inputs, profile=profile, is_kept=False), begun
        )

    def fork_with(
        self, run: RunId, step: StepId, inputs: Mapping[str, Json], begun: Callable[[LiveRun], None]
    ) -> None:
        """Do again what depends on other inputs of a run, from a step on; `begun` is told of the new run."""
        runs, session = self._work.app.runs, self._work.session
        self._begin_quietly(
            lambda profile: runs.go_back(session, run, "fork", step=step, inputs=inputs, profile=profile),
            begun,
        )

    def _begin_quietly(self, begin: Callable[[str], LiveRun], begun: Callable[[LiveRun], None]) -> None:
        """Begin a run with the chosen profile, again if another is chosen; nothing comes up for it."""
        if self._is_refused():
            return

        def begin_and_tell() -> LiveRun:
            live = begin(self._work.inspector.start.chosen_profile)
            begun(live)
            return live

        self._launch(begin_and_tell, again=lambda: self._begin_quietly(begin, begun), is_quiet=True)

    def follow(self, run: LiveRun, *, is_quiet: bool = False) -> None:
        """Show and debug a run that goes on; the timeline comes up with it, unless it `is_quiet`."""
        self.own.add(
            run, run.on_change(lambda: self._heard(run)), run.on_entries(lambda _: self._see_entries(run))
        )
        self._work.debugger.attach(run)
        self.show(run)
        if not is_quiet:
            self._work.offer("timeline")

    def run_to_here(self) -> None:
        """Go on to the selected node, and hold there; with no run, start one that does."""
        node = self._work.session.selection.now.only_node
        if node is None:
            return
        if self.live is None:
            self._start(hold_at=node)
        else:
            self.held.run_to(node)

    def _is_refused(self) -> bool:
        """Whether the flow cannot run as it is; then that is said."""
        work = self._work
        for matter in (RUN_MATTER, INPUT_MATTER, PROBLEM_MATTER):
            self._notices.settle(matter)
        work.session.refresh_problems()
        work.canvas.show_tried()
        errors = errors_of(work.session.problems)
        if errors:
            work.raise_asked.emit("problems")
            said, remedy = problems_said(work, errors)
            self._notices.say(said, remedy, key=PROBLEM_MATTER)
            return True
        if (found := work.inspector.rejected()) is not None:
            said, remedy = rejected_said(work, *found)
            self._notices.say(said, remedy, tone="held", key=INPUT_MATTER)
            return True
        return any(refuse(self._notices, RUN_MATTER) for refuse in self._refusals)

    def _start(self, *, hold_first: bool = False, hold_at: str = "") -> None:
        work = self._work
        if self._is_refused():
            return
        given = work.inspector.run_inputs()
        if given is None:
            work.raise_asked.emit("inspector")
            self._notices.say(
                self.tr("The flow needs an input before it can run."), tone="held", key=INPUT_MATTER
            )
            return
        inputs: dict[str, Json] = {str(name): value for name, value in given.items()}
        start = work.inspector.start
        profile, is_batch, faults = start.chosen_profile, start.is_batch, start.chosen_faults()
        if faults is None:
            work.session.selection.select()
            work.raise_asked.emit("inspector")
            return

        self._launch(
            lambda: work.app.runs.start(
                work.session,
                inputs,
                profile=profile,
                hold_first=hold_first,
                hold_at=hold_at,
                is_batch=is_batch,
                faults=faults,
            ),
            again=lambda: self._start(hold_first=hold_first, hold_at=hold_at),
        )

    def _launch(
        self,
        begin: Callable[[], LiveRun],
        again: Callable[[], None] | None = None,
        *,
        is_quiet: bool = False,
    ) -> None:
        """Begin a run, show it, and debug it; `again` does so once more."""
        work = self._work
        self._again = again
        if work.session.project.is_bundle:
            self._notices.say(READ_ONLY, tone="held", key=RUN_MATTER)
            return
        if self.own.is_beginning:
            return  # it was asked for twice
        self._notices.settle(RUN_MATTER)

        def start() -> None:
            self.follow(begin(), is_quiet=is_quiet)
            work.inspector.start.run_button.setEnabled(False)

        try:
            self._try(start)
        except UnapprovedError as error:
            self.trust_asked.emit(error, partial(self._launch, begin, again, is_quiet=is_quiet))
        self._bridge.wake()

    def _see_entries(self, live: LiveRun) -> None:
        self._work.inspector.start.run_button.setEnabled(not self.own.is_beginning)
        self._see_limits(live)

    def _see_limits(self, live: LiveRun) -> None:
        """Ask what shall become of a run that is held at a limit."""
        reached = next(iter(live.state.reached.values()), None)
        if reached is self._told_limits.get(live.run):
            return
        self._told_limits[live.run] = reached
        key = f"{LIMIT_MATTER} {live.run}"
        if reached is None:
            self._notices.settle(key)
            return
        remedies = self.earlier.limit_remedies(live, reached, live.cancel)
        self._notices.say(self.earlier.limit_words(reached), remedies, tone="held", key=key)

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
        if refusal is None or self._lacks_answers(live):  # it is asked who answers, once it is over
            return
        # A run that would go on began long ago; its other refusals are told by those who have the runs.
        if live.state.started is None or refusal.error == ProfileError.__name__:
            self._notices.say(f"{refusal.message} {refusal.hint}".strip(), key=RUN_MATTER)

    def _lacks_answers(self, live: LiveRun) -> bool:
        """Whether a run did not begin for want of a profile that can answer, and may be begun once more."""
        refusal = live.refusal
        return (
            live.state.started is None
            and refusal is not None
            and refusal.error == ProfileError.__name__
            and self._again is not None
        )

    def _ended(self, live: LiveRun) -> None:
        if not self.own.began(live):
            return
        self.own.hear_no_more(live.run)
        self._notices.settle(f"{LIMIT_MATTER} {live.run}")
        self.own.tell_others()
        self._work.inspector.start.run_button.setEnabled(not self.own.is_beginning)
        self.runs_changed.emit()
        state = live.state
        if self._lacks_answers(live) and live.refusal is not None:
            self.own.forget(live)
            self.show(self.own.going[-1] if self.own.going else None)  # it was none
            self.answers_asked.emit(live.refusal.message, self._again)
            return
        if live.refusal is not None:  # which was said; how the run ended before is no news
            return
        if state.status is RunStatus.FAILED and state.error is not None:
            tone = "held" if is_in_doubt(state) else "failed"
            said, remedies = failure_said(self._work, live), self.earlier.remedies_of(state)
            if lacks_scripted_answer(self._work, state):
                said = f"{said} {script_said()}"
                remedies = [*self._other_answers(said), *remedies]
            self._notices.say(said, remedies, tone=tone, key=RUN_MATTER)
        elif state.status is RunStatus.INTERRUPTED:
            self._notices.say(
                self.tr("The process of the run ended. The run is saved as interrupted."),
                [
                    Remedy(self.tr("Resume it"), lambda: self.earlier.go_on(live.run)),
                    Remedy(self.tr("Run again"), self.run),
                ],
                key=RUN_MATTER,
            )

    def _other_answers(self, why: str) -> list[Remedy]:
        """Run the flow again with what answers anything."""
        again = self._again or self.run

        def make_up() -> None:
            self._work.inspector.start.choose_profile(MADE_UP)
            again()

        return [
            Remedy(self.tr("Made-up answers"), make_up),
            Remedy(self.tr("What should answer?…"), lambda: self.answers_asked.emit(why, again)),
        ]

    def _try(self, act: Callable[[], None]) -> None:
        try:
            act()
        except ScriptRunError as error:
            copy = Remedy(
                self.tr("Copy the command"), partial(QGuiApplication.clipboard().setText, error.command)
            )
            self._notices.say(str(error), copy, tone="held", key=RUN_MATTER)
        except UnapprovedError:
            raise
        except StepwireError as error:
            self._notices.say(str(error), key=RUN_MATTER)
