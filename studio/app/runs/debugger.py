"""The debugger of a session: its breakpoints, the runs that go on, what is held in them and done with it.

What can be done is about the run `run`, unless another one is named: several may go on at once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from studio.app.documents.breakpoints import Breakpoints
from studio.app.documents.session import Session
from studio.app.listeners import Listeners
from studio.app.runs.edit_checks import check_edit, phase_of, type_of_edit, unset_ports
from studio.app.runs.live_run import LiveRun
from studio.errors import UsageError, ValueTypeError
from studio.flow.ports import ANY, Port, PortType
from studio.flow.records import Json
from studio.host.protocol import (
    CancelRun,
    CancelStep,
    DropStep,
    HoldRun,
    LetOthers,
    ReleaseStep,
    ResumeRun,
    RunAsked,
    RunTo,
    SendStep,
    SetBreakpoints,
    StepOn,
)
from studio.ids import RunId, StepId
from studio.runtime.gates.drops import NOTHING
from studio.runtime.gates.reroutes import other_cases
from studio.trace.fold.state import StepState
from studio.workspace.runs import bound


@dataclass(frozen=True, slots=True)
class HeldStep:
    """A step that is held, with its run."""

    run: LiveRun
    step: StepState

    @property
    def id(self) -> StepId:
        """The step's name; steps of several runs may have the same."""
        return self.step.id

    @property
    def key(self) -> str:
        """Tells it from the held steps of other runs."""
        return f"{self.run.run} {self.step.id}"


class Debugger:
    """Holds and releases the steps of a session's runs; breakpoints set meanwhile reach them at once."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._runs: dict[RunId, LiveRun] = {}
        self._front: LiveRun | None = None
        self._detached: set[RunId] = set()
        self._letting: set[RunId] = set()
        self._changed: Listeners[()] = Listeners()
        self._ends = [session.breakpoints.on_change(self.send_breakpoints)]

    @property
    def breakpoints(self) -> Breakpoints:
        """The breakpoints of the session's flow."""
        return self._session.breakpoints

    @property
    def runs(self) -> list[LiveRun]:
        """The runs that go on, in the order in which they began."""
        return [run for run in self._runs.values() if not run.is_over]

    @property
    def run(self) -> LiveRun | None:
        """The run that is meant where none is named: the one that is shown, else the last that goes on."""
        runs = self.runs
        if self._front is not None and (self._front in runs or not runs):
            return self._front
        return runs[-1] if runs else None

    @property
    def held(self) -> list[HeldStep]:
        """The steps that are held now in all runs, the longest waiting first."""
        found = [HeldStep(run, step) for run in self.runs for step in self.held_in(run)]
        return sorted(found, key=lambda one: one.step.held[-1][0] if one.step.held else 0.0)

    def held_in(self, run: LiveRun | None) -> list[StepState]:
        """The steps that are held now in one run, the longest waiting first."""
        if run is None or run.is_over:
            return []
        return [run.state.steps[step] for step in run.state.held_steps]

    def on_change(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Hear when other runs are debugged, or one is meant or treated otherwise; returns what ends it."""
        return self._changed.subscribe(listener)

    def attach(self, run: LiveRun | None) -> None:
        """Debug this run too from now on, and mean it; it was started with the breakpoints of then."""
        self._runs = {one.run: one for one in self.runs}
        self._front = run
        if run is not None:
            self._runs[run.run] = run
            self._detached.discard(run.run)
        self._changed.tell()

    def show(self, run: LiveRun | None) -> None:
        """Mean this run where none is named, if it goes on: it is the one that is shown now."""
        if run is not None and run in self.runs and run is not self._front:
            self._front = run
            self._changed.tell()

    def type_of(self, step: StepId, port: str, *, run: LiveRun | None = None) -> PortType:
        """The type that an edited value must have: an input's before the step ran, an output's after."""
        run = run or self.run
        return ANY if run is None else type_of_edit(run, self._session.registry, step, port)

    def unset_ports(self, step: StepId, *, run: LiveRun | None = None) -> Sequence[str]:
        """The ports of a held step that have no value yet, and could be given one."""
        run = run or self.run
        return [] if run is None else unset_ports(run, self._session.registry, step)

    def check_edit(self, step: StepId, port: str, plain: Json, *, run: LiveRun | None = None) -> str:
        """Say why a value does not fit the port; empty when it does."""
        run = run or self.run
        return "" if run is None else check_edit(run, self._session.registry, step, port, plain)

    def ask(self, asked: RunAsked) -> None:
        """Have something done to a run that it debugs; the window asks, for what a person chose.

        Raises `UsageError` where a step is no longer held or running, or where what is asked leads nowhere,
        and `ValueTypeError` for values that do not fit.
        """
        run = self._runs.get(asked.run)
        if isinstance(asked, StepOn) and asked.step is None and (held := self.held_in(run)):
            asked = replace(asked, step=held[0].id)
        match asked:
            case ReleaseStep() | StepOn() | ResumeRun() if asked.step is not None:
                self._require_held(run, asked.step, asked.edited)
            case DropStep():
                self._require_held(run, asked.step)
            case SendStep():
                self._require_held(run, asked.step)
                self._require_case(run, asked)
            case RunTo() if run is None or run.is_over:
                raise UsageError("No running run can reach that node.")
            case CancelStep() if run is None or not self.can_cancel(StepId(asked.step), run=run):
                raise UsageError(f"The step `{asked.step}` is not running.")
            case LetOthers():
                (self._letting.add if asked.go_on else self._letting.discard)(asked.run)
                self._changed.tell()
            case _:
                pass
        if run is not None and isinstance(asked, CancelRun):
            run.cancel()
        elif run is not None:
            run.ask(asked)

    def resume_all(self) -> None:
        """Release the held steps of every run."""
        for run in self.runs:
            run.ask(ResumeRun(run.run))

    def hold(self, run: LiveRun | None = None) -> None:
        """Hold whatever is ready next; one that went on by itself is debugged again."""
        run = run or self.run
        if run is not None:
            if self.is_detached(run):
                self.attach_again(run)
            run.ask(HoldRun(run.run))

    def hold_all(self) -> None:
        """Hold whatever is ready next in every run."""
        for run in self.runs:
            self.hold(run)

    def cancel_all(self) -> None:
        """Stop every run."""
        for run in self.runs:
            run.cancel()

    def cases(self, step: StepId, *, run: LiveRun | None = None) -> Sequence[Port]:
        """The outputs at which what a held step gives could leave instead; none where there is no choice."""
        run = run or self.run
        state = run.state.steps.get(step) if run is not None else None
        if run is None or state is None or step not in run.state.held_steps:
            return []
        registry = bound(self._session.registry, run.flows)
        phase = phase_of(state)
        given = tuple(state.inputs if phase == "before" else state.outputs)
        return other_cases(run.flow, registry, step, phase, given)

    def lets_others(self, run: LiveRun | None = None) -> bool:
        """Whether steps of a run start while others of it are held."""
        run = run or self.run
        return run is not None and run.run in self._letting

    def is_detached(self, run: LiveRun) -> bool:
        """Whether a run goes on by itself, held by nothing."""
        return run.run in self._detached

    def detach(self, run: LiveRun | None = None) -> None:
        """Let a run go on by itself: nothing holds it any more, and no breakpoint reaches it."""
        run = run or self.run
        if run is not None and not run.is_over:
            self._detached.add(run.run)
            run.ask(SetBreakpoints(run.run, ()))
            run.ask(RunTo(run.run, ""))
            self._changed.tell()

    def attach_again(self, run: LiveRun | None = None) -> None:
        """Have breakpoints hold a run again that was let go on by itself."""
        run = run or self.run
        if run is not None and run.run in self._detached:
            self._detached.discard(run.run)
            run.ask(SetBreakpoints(run.run, self._session.breakpoints.everywhere))
            self._changed.tell()

    def can_cancel(self, step: StepId, *, run: LiveRun | None = None) -> bool:
        """Whether a step is under way: working, held, or waiting for its turn."""
        run = run or self.run
        state = run.state.steps.get(step) if run is not None and not run.is_over else None
        return state is not None and not state.status.is_final

    def send_breakpoints(self) -> None:
        """Have the runs hold at the breakpoints of now, those in flows that they call among them."""
        for run in self.runs:
            if not self.is_detached(run):
                run.ask(SetBreakpoints(run.run, self._session.breakpoints.everywhere))

    def close(self) -> None:
        """Stop listening."""
        for end in self._ends:
            end()
        self._runs.clear()
        self._front = None

    def _require_case(self, run: LiveRun | None, asked: SendStep) -> None:
        """Raise where what a step gives cannot leave at a port."""
        if asked.port not in {one.name for one in self.cases(asked.step, run=run)}:
            raise UsageError(f"The output of `{asked.step}` cannot be sent to `{asked.port}`.")

    def _require_held(
        self, run: LiveRun | None, step: StepId, edited: Mapping[str, Json] | None = None
    ) -> None:
        """Raise where a step is not held in a run, or where an edit does not fit."""
        if run is None or run.is_over or step not in run.state.held_steps:
            raise UsageError(f"The step `{step}` is no longer paused.")
        for port, plain in (edited or {}).items():
            found = "" if port == NOTHING else self.check_edit(step, port, plain, run=run)
            if found:
                raise ValueTypeError(f"The value for `{port}` does not fit: {found}")
