"""What can be done with earlier runs of the flow in front: replay, fork, go on, and mend what ended them."""

import math
from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QInputDialog

from studio.app.runs.live_run import LiveRun
from studio.app.scripts.script_again import refuse_script
from studio.flow.records import title_of
from studio.host.protocol import RaiseLimit
from studio.ids import NodeId, RunId, StepId
from studio.past.open_runs import AGAIN, HAPPENED
from studio.runtime.gates.call_edits import call_ports
from studio.runtime.limits.budget import UNITS
from studio.trace.events import BudgetReached
from studio.trace.fold.state import RunState, RunStatus
from studio.ui.editors.make import Surroundings
from studio.ui.panels.widgets.notice import Remedy
from studio.ui.viewmodels.words import count_words
from studio.ui.window.past.fork_planner import ForkPlanning
from studio.ui.window.past.run_again import Again, RunAgainSheet
from studio.ui.window.workspace import Workspace
from studio.workspace.profiles import profile_names

MORE = 2
"""By how much a limit is raised by the button that asks nothing."""


class EarlierRuns(QObject):
    """Starts runs that go back to earlier ones; `launch` shows and debugs what it is given to begin."""

    place_asked = Signal(str, str)
    """A run is to be shown at one of its steps."""

    def __init__(self, workspace: Workspace, launch: Callable[[Callable[[], LiveRun]], None]) -> None:
        super().__init__(workspace)
        self._work = workspace
        self._launch = launch
        workspace.questions.answered_later.connect(self.answer)
        workspace.questions.decided.connect(self.decide)

    @property
    def shown(self) -> RunId | None:
        """The run that is shown and over."""
        run = self._work.shown.run
        return run.run if run is not None and run.is_over and run.state.started is not None else None

    @property
    def is_of_this_flow(self) -> bool:
        """Whether the shown run is one of the flow itself, edited since or not."""
        state = self._work.shown.live_state
        return state is not None and state.flow_name == self._work.session.flow.name

    @property
    def can_go_on(self) -> bool:
        """Whether the shown run ended too early."""
        run = self._work.shown.run
        return self.shown is not None and run is not None and can_go_on(run.status)

    @property
    def step(self) -> StepId | None:
        """The step that is shown: the chosen one, a chat or call of a tool too, or the node's last one."""
        selected, state = self._work.session.selection.now, self._work.shown.state
        if selected.only_node is None:
            return None
        chosen = state.steps.get(selected.step) if state is not None and selected.step is not None else None
        if chosen is not None and call_ports(chosen.call, "before") and chosen.node == selected.only_node:
            return chosen.id
        found = self._work.shown.shown_step(selected.only_node, selected.step)
        return found.id if found is not None else None

    def replay(self, run: RunId, *, is_live: bool = False) -> None:
        """Execute a run again from its recording; with `is_live`, what has no answer is asked."""
        work = self._work

        def begin() -> LiveRun:
            refuse_script(work.session.project, run, "replay")
            return work.app.runs.go_back(work.session, run, "replay", is_live=is_live)

        self._launch(begin)

    def ask_again(self, run: RunId, step: StepId | None = None) -> None:
        """Let a person edit what a step of the shown run began with, and see what a fork there would do."""
        work, shown = self._work, self._work.shown.run
        state = shown.state.steps.get(step) if shown is not None and step is not None else None
        session, profile = work.session, work.inspector.start.chosen_profile
        library = work.shown.library(session.registry)
        title = count_words.step_title(session.flow, step, library) if step is not None else ""
        around = Surroundings(
            work.look,
            session.project.root,
            lambda: profile_names(session.project),
            session.registry.flows.names,
        )
        sheet = RunAgainSheet(
            around, session, state, title, lambda own: ForkPlanning(session, run, profile, own), work.canvas
        )

        def begin(again: object) -> None:
            if isinstance(again, Again):
                self._launch(
                    lambda: work.app.runs.go_back(
                        session,
                        run,
                        "fork",
                        step=again.step,
                        profile=profile,
                        hold=again.hold,
                        values=again.values,
                        edited=again.flow,
                    )
                )

        sheet.asked.connect(begin)
        sheet.open()

    def ask_again_here(self) -> None:
        """The same at the shown step."""
        run, step = self.shown, self.step
        if run is not None and step is not None:
            self.ask_again(run, step)

    def hold_here(self) -> None:
        """Do again what depends on the shown step, and on what of the flow was edited since; held there."""
        run, step, work = self.shown, self.step, self._work
        if run is None or step is None:
            return
        profile = work.inspector.start.chosen_profile
        self._launch(
            lambda: work.app.runs.go_back(work.session, run, "fork", step=step, profile=profile, hold=True)
        )

    def go_on(
        self,
        run: RunId,
        *,
        limits: dict[str, float] | None = None,
        repeated: Sequence[str] = (),
        happened: Sequence[str] = (),
    ) -> None:
        """Go on with a run that ended too early."""
        work = self._work

        def begin() -> LiveRun:
            refuse_script(work.session.project, run, "resume")
            return work.app.runs.resume(
                work.session, run, limits=limits, repeated=repeated, happened=happened
            )

        self._launch(begin)

    def answer(self, run: str, step: str, answer: Mapping[str, object]) -> None:
        """Go on with a run that ended with a question, now that it is answered."""
        work = self._work
        answers = {StepId(step): answer}
        self._launch(lambda: work.app.runs.resume(work.session, RunId(run), answers=answers))

    def decide(self, run: str, said: Mapping[StepId, str]) -> None:
        """Go on with a run that ended in doubt, now that a person said what has happened."""
        self.go_on(
            RunId(run),
            repeated=[step for step, answer in said.items() if answer == AGAIN],
            happened=[step for step, answer in said.items() if answer == HAPPENED],
        )

    def remedies_of(self, state: RunState) -> list[Remedy]:
        """What can be done about a run that failed."""
        error, run = state.error, state.run
        if error is None:
            return []
        if error.error == "InDoubtError":
            return [Remedy(self.tr("Decide…"), lambda: self._work.raise_asked.emit("questions"))]
        if error.error == "AnswerMissingError" and state.forked_from is not None:
            origin = RunId(state.forked_from.run)
            return [Remedy(self.tr("Call it now"), lambda: self.replay(origin, is_live=True))]
        remedies: list[Remedy] = []
        if error.step:
            remedies.append(Remedy(self.tr("Show the step"), lambda: self.place_asked.emit(run, error.step)))
        warned = [one for one in state.warnings if not one.node]
        if error.error == "LimitReachedError" and warned:
            more = {warned[-1].limit: warned[-1].allowed * MORE}
            said = amount(warned[-1].limit, warned[-1].allowed * MORE)
            remedies.append(
                Remedy(
                    self.tr("Resume with {amount}").format(amount=said), lambda: self.go_on(run, limits=more)
                )
            )
        else:
            remedies.append(Remedy(self.tr("Resume"), lambda: self.go_on(run)))
        return remedies

    def limit_remedies(self, live: LiveRun, reached: BudgetReached, stop: Callable[[], None]) -> list[Remedy]:
        """What can be done about a limit at which a run is held."""
        more = max(reached.allowed * MORE, math.ceil(reached.spent * MORE))

        def raise_to(value: float) -> None:
            live.ask(RaiseLimit(live.run, reached.limit, value, reached.node))

        return [
            Remedy(
                self.tr("Continue with {amount}").format(amount=amount(reached.limit, more)),
                lambda: raise_to(more),
            ),
            Remedy(self.tr("Another limit…"), lambda: self._ask_limit(reached, more, raise_to)),
            Remedy(self.tr("Stop the run"), stop),
        ]

    def limit_words(self, reached: BudgetReached) -> str:
        """Say which limit holds a run."""
        whose = (
            self.tr("“{node}” has").format(node=self._account(reached.node))
            if reached.node
            else self.tr("The run has")
        )
        return self.tr("{whose} reached the limit of {limit} ({spent} spent) and is paused.").format(
            whose=whose,
            limit=amount(reached.limit, reached.allowed),
            spent=amount(reached.limit, reached.spent),
        )

    def _account(self, name: str) -> str:
        """Name whose limit it is: a node, or one of a called flow, whose account is `summary.json:critic`."""
        called, _, node = name.rpartition(":")
        session = self._work.session
        if not called:
            return title_of(session.flow, NodeId(node))
        found = session.called_flows().get(called)
        return f"{title_of(found, NodeId(node))}, {found.name or called}" if found is not None else name

    def _ask_limit(self, reached: BudgetReached, more: float, act: Callable[[float], None]) -> None:
        box = QInputDialog(self._work.canvas)
        box.setInputMode(QInputDialog.InputMode.DoubleInput)
        box.setWindowTitle(self.tr("Change the limit"))
        box.setLabelText(self.tr("New limit, in {unit}:").format(unit=UNITS[reached.limit]))
        box.setDoubleRange(reached.spent, 1e12)
        box.setDoubleDecimals(2 if reached.limit in {"cost", "seconds"} else 0)
        box.setDoubleValue(more)
        box.doubleValueSelected.connect(act)
        box.open()


def can_go_on(status: RunStatus) -> bool:
    """Whether a run of this status ended too early."""
    return status.is_final and status is not RunStatus.FINISHED


def amount(limit: str, value: float) -> str:
    """Write an amount of what is limited, with its unit."""
    number = f"{value:,.2f}".rstrip("0").rstrip(".")
    return f"{number} {UNITS[limit]}"
