"""One run that goes on, and what a window may do to it: the same in a run host and at a terminal."""

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Protocol, assert_never

from studio.errors import UsageError
from studio.flow.records import Flow, Json
from studio.host.protocol import (
    AnswerForm,
    CancelRun,
    CancelStep,
    DropStep,
    HoldRun,
    LetOthers,
    PutAside,
    RaiseLimit,
    ReleaseStep,
    ResumeRun,
    RunAsked,
    RunTo,
    SendStep,
    SetBreakpoints,
    StepOn,
)
from studio.ids import StepId
from studio.runtime.gates.debug_gate import DebugGate, Stepping
from studio.runtime.gates.reroutes import refuse_case
from studio.runtime.gates.value_edits import read_edits
from studio.runtime.limits.allowance import Allowance
from studio.runtime.limits.cancellations import Stops
from studio.runtime.values import Resolved
from studio.sdk.registry import Registry


class Answered(Protocol):
    """Takes what a person answered at a window."""

    def answer(self, step: StepId, answer: Mapping[str, object]) -> bool:
        """Give the answer; False when nobody waits for it."""
        ...

    def put_aside(self) -> bool:
        """Leave open what is asked; False where nothing is."""
        ...


class RunInHand:
    """A run with its gate, its limits and the questions that it asks. It belongs to the run's event loop.

    `attend` is told whether somebody goes through the run and waits for each of its steps.
    """

    def __init__(
        self,
        flow: Flow,
        registry: Registry,
        attend: Callable[[bool], None],
        people: Answered,
        *,
        allowance: Allowance | None = None,
        stops: Stops | None = None,
    ) -> None:
        self.allowance = allowance or Allowance(time.monotonic)
        self.stops = stops or Stops()
        self.task: asyncio.Task[None] | None = None
        """Where the run happens; cancelling it stops the run."""
        self._flow = flow
        self._registry = registry
        self._attend = attend
        self._people = people
        self._gate: DebugGate | None = None

    @property
    def gate(self) -> DebugGate:
        """Where its steps are held; raises `UsageError` as long as there is none."""
        if self._gate is None:
            raise UsageError("The run has not started.")
        return self._gate

    @gate.setter
    def gate(self, gate: DebugGate) -> None:
        self._gate = gate

    def do(self, asked: RunAsked) -> None:  # noqa: C901, PLR0912  # one arm for each
        """Do what a window asks; raises `StepwireError` where it cannot be done."""
        match asked:
            case SetBreakpoints():
                self.gate.set_breakpoints(asked.breakpoints)
            case HoldRun():
                self._attend(True)
                self.gate.hold()
            case ResumeRun():
                self._attend(False)
                self.gate.resume(asked.step, self._values(asked.step, asked.edited))
            case ReleaseStep():
                self.gate.release(asked.step, self._values(asked.step, asked.edited))
            case StepOn():
                self._attend(True)
                edited = self._values(asked.step, asked.edited)
                self.gate.step(asked.step, Stepping(asked.how), edited)
            case RunTo() | DropStep() | SendStep() | LetOthers():
                self._lead(asked)
            case CancelRun():
                if self.task is not None:
                    self.task.cancel()
            case PutAside():
                self.put_aside()
            case CancelStep():
                self._cancel_step(asked.step)
            case AnswerForm():
                self._people.answer(asked.step, asked.answer)
            case RaiseLimit():
                self.allowance.allow(asked.node, asked.limit, asked.amount)
            case _:
                assert_never(asked)

    def put_aside(self) -> None:
        """End the run: with what it asks left open where it asks a person, stopped otherwise."""
        if not self._people.put_aside() and self.task is not None:
            self.task.cancel()

    def _lead(self, asked: RunTo | DropStep | SendStep | LetOthers) -> None:
        """Have the run, or what it holds, go another way than by itself; raises `UsageError`."""
        match asked:
            case RunTo():
                self._attend(bool(asked.place))
                self.gate.run_to(asked.place)
            case DropStep():
                self._expect(self.gate.drop(asked.step), asked.step)
            case SendStep():
                self._send(asked.step, asked.port)
            case LetOthers():
                self.gate.let_others(go_on=asked.go_on)

    def _send(self, step: StepId, port: str) -> None:
        """Send what a held step gives another way; raises `UsageError` where it cannot go there."""
        gate = self.gate
        refuse_case(self._flow, self._registry, step, port, gate.phase(step), gate.given(step))
        gate.send(step, port)

    def _expect(self, was_held: bool, step: StepId) -> None:  # noqa: FBT001  # what the gate says of it
        if not was_held:
            raise UsageError(f"The step `{step}` is no longer paused.")

    def _cancel_step(self, name: str) -> None:
        """Cancel a step, a round or an item; raises `UsageError` when nothing of it is at work."""
        if not self.stops.cancel(name):
            raise UsageError(f"No step of `{name}` is running now, so it cannot be cancelled.")

    def _values(self, step: StepId | None, edited: Mapping[str, Json]) -> Mapping[str, Resolved]:
        """Edited values of a held step, the longest waiting by default; raises `StepwireError`."""
        if not edited:
            return {}
        chosen = step or next((ref.step for ref in self.gate.held), StepId(""))
        phase = self.gate.phase(chosen)
        if phase is None:
            raise UsageError(f"The step `{chosen}` is no longer paused, so its values cannot be edited.")
        return read_edits(self._flow, self._registry, chosen, phase, edited, self.gate.schema(chosen))
