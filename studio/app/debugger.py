"""The debugger of a session: its breakpoints, the steps that are held, and what may be done to them."""

from collections.abc import Callable, Mapping

from studio.app.breakpoints import Breakpoints
from studio.app.listeners import Listeners
from studio.app.live_run import LiveRun
from studio.app.runs import bound
from studio.app.session import Session
from studio.errors import UsageError, ValueTypeError
from studio.flow.ports import ANY, PortType
from studio.flow.records import Json
from studio.ids import StepId, step_parts
from studio.runtime.call_edits import read_call_edit
from studio.runtime.edits import type_at
from studio.runtime.gate import Stepping
from studio.sdk.values import from_plain
from studio.trace.state import StepState


class Debugger:
    """Holds and releases the steps of one run of a session; breakpoints set meanwhile reach it at once."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._run: LiveRun | None = None
        self._changed: Listeners[()] = Listeners()
        self._ends = [session.breakpoints.on_change(self.send_breakpoints)]

    @property
    def breakpoints(self) -> Breakpoints:
        """The breakpoints of the session's flow."""
        return self._session.breakpoints

    @property
    def run(self) -> LiveRun | None:
        """The run that is debugged, if any."""
        return self._run

    @property
    def held(self) -> list[StepState]:
        """The steps that are held now, the longest waiting first."""
        if self._run is None or self._run.is_over:
            return []
        state = self._run.state
        return [state.steps[step] for step in state.held_steps]

    def on_change(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Hear when another run is debugged; returns the function that ends it."""
        return self._changed.subscribe(listener)

    def attach(self, run: LiveRun | None) -> None:
        """Debug this run from now on; it was started with the breakpoints of then."""
        self._run = run
        self._changed.tell()

    def type_of(self, step: StepId, port: str) -> PortType:
        """The type that an edited value must have: an input's before the step ran, an output's after."""
        if self._run is None:
            return ANY
        state = self._run.state.steps[step]
        phase = "before" if state.held_phase == "before" else "after"
        registry = bound(self._session.registry, self._run.flows)
        return type_at(self._run.flow, registry, step, port, phase) or ANY

    def check_edit(self, step: StepId, port: str, plain: Json) -> str:
        """Say why a value does not fit the port; empty when it does."""
        try:
            call = step_parts(step)[2]
            if call and self._run is not None:
                state = self._run.state.steps[step]
                phase = "before" if state.held_phase == "before" else "after"
                read_call_edit(call, port, phase, plain, state.held_schema)
            else:
                from_plain(plain, self.type_of(step, port))
        except ValueTypeError as error:
            return error.message
        return ""

    def release(self, step: StepId, edited: Mapping[str, Json] | None = None) -> None:
        """Let a held step go on, with `edited` values by port; raises `ValueTypeError` for a misfit."""
        self._check(step, edited or {})
        self._held_run(step).release(step, edited)

    def step(
        self,
        step: StepId | None = None,
        how: Stepping = Stepping.OVER,
        edited: Mapping[str, Json] | None = None,
    ) -> None:
        """Release one held step (by default the longest waiting), hold at the next; edits as in `release`."""
        if step is None and self.held:
            step = self.held[0].id
        if step is not None:
            self._check(step, edited or {})
        if self._run is not None:
            self._run.step(step, how, edited)

    def can_cancel(self, step: StepId) -> bool:
        """Whether a step is under way: working, held, or waiting for its turn."""
        state = self._run.state.steps.get(step) if self._run is not None and not self._run.is_over else None
        return state is not None and not state.status.is_final

    def cancel(self, step: StepId) -> None:
        """Stop one step that is under way; it fails, and follows its error policy. The run goes on."""
        if self._run is None or not self.can_cancel(step):
            raise UsageError(f"The step `{step}` is not under way.")
        self._run.cancel_step(step)

    def resume(self, step: StepId | None = None, edited: Mapping[str, Json] | None = None) -> None:
        """Release every held step and go on until a breakpoint; edits as in `release`."""
        if step is not None:
            self._check(step, edited or {})
        if self._run is not None:
            self._run.resume(step, edited)

    def send_breakpoints(self) -> None:
        """Have the run hold at the breakpoints of now, those in flows that it calls among them."""
        if self._run is not None:
            self._run.set_breakpoints(self._session.breakpoints.everywhere)

    def close(self) -> None:
        """Stop listening."""
        for end in self._ends:
            end()
        self._run = None

    def _held_run(self, step: StepId) -> LiveRun:
        if self._run is None or step not in self._run.state.held_steps:
            raise UsageError(f"The step `{step}` is not held any more.")
        return self._run

    def _check(self, step: StepId, edited: Mapping[str, Json]) -> None:
        self._held_run(step)
        for port, plain in edited.items():
            found = self.check_edit(step, port, plain)
            if found:
                raise ValueTypeError(f"The value for `{port}` does not fit: {found}")
