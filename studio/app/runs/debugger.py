"""The debugger of a session: its breakpoints, the runs that go on, what is held in them and done with it.

What can be done is about the run `run`, unless another one is named: several may go on at once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from studio.app.documents.breakpoints import Breakpoints
from studio.app.documents.session import Session
from studio.app.listeners import Listeners
from studio.app.runs.edit_checks import check_edit, phase_of, type_of_edit, unset_ports
from studio.app.runs.live_run import LiveRun
from studio.errors import UsageError, ValueTypeError
from studio.flow.ports import ANY, Port, PortType
from studio.flow.records import Json
from studio.ids import RunId, StepId
from studio.runtime.gates.drops import NOTHING
from studio.runtime.gates.reroutes import other_cases
from studio.runtime.gates.step_mode import Stepping
from studio.trace.state import StepState
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

    def release(
        self, step: StepId, edited: Mapping[str, Json] | None = None, *, run: LiveRun | None = None
    ) -> None:
        """Let a held step go on, others stay held; raises `ValueTypeError` for an edit that does not fit."""
        self._checked(step, edited, run).release(step, edited)

    def step(
        self,
        step: StepId | None = None,
        how: Stepping = Stepping.OVER,
        edited: Mapping[str, Json] | None = None,
        *,
        run: LiveRun | None = None,
    ) -> None:
        """Release one held step (by default the longest waiting), hold at the next; edits as in `release`."""
        run = run or self.run
        held = self.held_in(run)
        if step is None and held:
            step = held[0].id
        if step is not None:
            run = self._checked(step, edited, run)
        if run is not None:
            run.step(step, how, edited)

    def resume(
        self,
        step: StepId | None = None,
        edited: Mapping[str, Json] | None = None,
        *,
        run: LiveRun | None = None,
    ) -> None:
        """Release every held step of a run and go on until a breakpoint; edits as in `release`."""
        run = run or self.run
        if step is not None:
            run = self._checked(step, edited, run)
        if run is not None:
            run.resume(step, edited)

    def resume_all(self) -> None:
        """Release the held steps of every run."""
        for run in self.runs:
            run.resume()

    def hold(self, run: LiveRun | None = None) -> None:
        """Hold whatever is ready next; one that went on by itself is debugged again."""
        run = run or self.run
        if run is not None:
            if self.is_detached(run):
                self.attach_again(run)
            run.hold()

    def hold_all(self) -> None:
        """Hold whatever is ready next in every run."""
        for run in self.runs:
            self.hold(run)

    def cancel_all(self) -> None:
        """Stop every run."""
        for run in self.runs:
            run.cancel()

    def drop(self, step: StepId, *, run: LiveRun | None = None) -> None:
        """Leave a held step out: before its work it is skipped, after it what it gave goes nowhere.

        A call of a tool is answered in words instead; a chat takes the step along that asks.
        """
        self._checked(step, None, run).drop(step)

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

    def send(self, step: StepId, port: str, *, run: LiveRun | None = None) -> None:
        """Let a held step go on, and have what it gives leave at another of its `cases`."""
        found = self._checked(step, None, run)
        if port not in {one.name for one in self.cases(step, run=found)}:
            raise UsageError(f"The output of `{step}` cannot be sent to `{port}`.")
        found.send(step, port)

    def run_to(self, place: str, *, run: LiveRun | None = None) -> None:
        """Go on until a step, or the next one of a node, and hold there once; other breakpoints hold too.

        Nodes of called flows have the flow's name before them: `summary.json:critic`.
        """
        run = run or self.run
        if run is None or run.is_over:
            raise UsageError("No running run can reach that node.")
        run.run_to(place)

    def lets_others(self, run: LiveRun | None = None) -> bool:
        """Whether steps of a run start while others of it are held."""
        run = run or self.run
        return run is not None and run.run in self._letting

    def let_others(self, *, go_on: bool, run: LiveRun | None = None) -> None:
        """Let steps of a run start while others of it are held, or no longer."""
        run = run or self.run
        if run is not None:
            (self._letting.add if go_on else self._letting.discard)(run.run)
            run.let_others(go_on=go_on)
            self._changed.tell()

    def is_detached(self, run: LiveRun) -> bool:
        """Whether a run goes on by itself, held by nothing."""
        return run.run in self._detached

    def detach(self, run: LiveRun | None = None) -> None:
        """Let a run go on by itself: nothing holds it any more, and no breakpoint reaches it."""
        run = run or self.run
        if run is not None and not run.is_over:
            self._detached.add(run.run)
            run.set_breakpoints(())
            run.run_to("")
            self._changed.tell()

    def attach_again(self, run: LiveRun | None = None) -> None:
        """Have breakpoints hold a run again that was let go on by itself."""
        run = run or self.run
        if run is not None and run.run in self._detached:
            self._detached.discard(run.run)
            run.set_breakpoints(self._session.breakpoints.everywhere)
            self._changed.tell()

    def can_cancel(self, step: StepId, *, run: LiveRun | None = None) -> bool:
        """Whether a step is under way: working, held, or waiting for its turn."""
        run = run or self.run
        state = run.state.steps.get(step) if run is not None and not run.is_over else None
        return state is not None and not state.status.is_final

    def cancel(self, step: StepId, *, run: LiveRun | None = None) -> None:
        """Stop one step that is under way; it fails, and follows its error policy. The run goes on."""
        run = run or self.run
        if run is None or not self.can_cancel(step, run=run):
            raise UsageError(f"The step `{step}` is not running.")
        run.cancel_step(step)

    def send_breakpoints(self) -> None:
        """Have the runs hold at the breakpoints of now, those in flows that they call among them."""
        for run in self.runs:
            if not self.is_detached(run):
                run.set_breakpoints(self._session.breakpoints.everywhere)

    def close(self) -> None:
        """Stop listening."""
        for end in self._ends:
            end()
        self._runs.clear()
        self._front = None

    def _checked(self, step: StepId, edited: Mapping[str, Json] | None, run: LiveRun | None) -> LiveRun:
        """The run in which a step is held; raises where it is not, or where an edit does not fit."""
        run = run or self.run
        if run is None or run.is_over or step not in run.state.held_steps:
            raise UsageError(f"The step `{step}` is no longer paused.")
        for port, plain in (edited or {}).items():
            found = "" if port == NOTHING else self.check_edit(step, port, plain, run=run)
            if found:
                raise ValueTypeError(f"The value for `{port}` does not fit: {found}")
        return run
