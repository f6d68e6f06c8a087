"""Where in a script's run something happens: its scope, and the labels of what can have been read there."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from studio.errors import UsageError
from studio.ids import StepId
from studio.runtime.failures import ENDS_THE_RUN, StepFailure, travelling
from studio.runtime.plans.plan import PlannedRegion
from studio.runtime.state.frame import Frame
from studio.runtime.values import FLOW
from studio.script.no_value import Failure
from studio.script.running import Running
from studio.script.step_names import require_name
from studio.trace.events import StepFinished
from studio.trace.events.values import frequent

NOWHERE = PlannedRegion("script", None, ())
"""The region of frames whose order Python decides."""


@dataclass(slots=True)
class Lane:
    """What happens one after the other: it has one history, and so one set of labels."""

    labels: frozenset[str] = FLOW
    left: list[tuple[StepId, StepId]] = field(default_factory=list[tuple[StepId, StepId]])
    """Loops that were left, each with the step around it, of which nobody knows yet whether they failed."""


@frequent
class Place:
    """One place in one run; a step that is called now stands in its frame."""

    running: Running
    frame: Frame
    lane: Lane
    path: str = ""
    """The scope without its rounds and items, and a slash."""

    def begin(self, name: str) -> StepId:
        """Name a step that begins here, after all that went before it in its lane.

        Raises `StepError` for what no node can be called, and for a second step of a name.
        """
        if self.lane.left:
            self.settle()
        require_name(name)
        step = StepId(self.frame.prefix + name)
        self.running.begin(step)
        return step

    def take(self, failure: StepFailure, *, passes_on: bool) -> Failure:
        """Give the failure of a step on, or raise its error, as always where nothing may mend it."""
        self.lane.labels |= failure.labels
        if passes_on and not isinstance(failure.error, ENDS_THE_RUN):
            return Failure(travelling(failure))
        raise self.running.fail(failure) from None

    def settle(self, error: BaseException | None = None) -> None:
        """Record how loops ended that were left: where `error` goes through, they failed or were stopped."""
        if not self.lane.left:
            return
        record = self.running.engine.services.recorder.record
        while self.lane.left:
            step, parent = self.lane.left.pop(0)
            record(StepFinished({}) if error is None else self.running.told(error), step, parent)


HERE: ContextVar[Place | None] = ContextVar("the place of a script in its run", default=None)


def here() -> Place:
    """The place of whoever calls; raises `UsageError` outside of a run."""
    found = HERE.get()
    if found is None:
        raise UsageError(
            "A step was called outside of a run.", hint="Call it in the function of a `Flow`, and run that."
        )
    return found


@contextmanager
def standing(place: Place) -> Generator[Place]:
    """Have what is called in the block stand at another place."""
    token = HERE.set(place)
    try:
        yield place
    finally:
        HERE.reset(token)
