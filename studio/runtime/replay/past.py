"""What a run takes over from an earlier one instead of asking, buying or doing it again.

Replay, fork and resume are one thing: a run that is executed from the start, with a `Past`. A step whose
outputs the past has does not run; a call whose answer it has is not made (`answer_reused`, and its cost does
not count again); a side effect that was begun is never repeated unasked. Loops, maps and branches are
computed anew, which costs nothing and gives the same steps the same names.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from studio import errors
from studio.errors import AnswerMissingError, InDoubtError, StepError
from studio.ids import RunId, Scope, StepId, own_step
from studio.runtime.replay.course import Course
from studio.runtime.replay.timetable import Timetable
from studio.sdk.tool import Effect
from studio.trace import events
from studio.trace.events import Entry, MemoryOpened, MemoryWritten, StepFailed, ToolCalled, Written
from studio.trace.events.values import Values
from studio.trace.recording import Kept, Recording, Request, effect_key

GO_ON = "Pass `--live` to call it now, or change its inputs with `--set STEP.PORT=JSON`."
REPEAT = (
    "Check whether it has happened: `--answer STEP=happened` skips it, `--repeat-in-doubt "
    "STEP` does it again, and `--repeat-in-doubt` alone repeats all of them."
)
IN_DOUBT = "was begun in the run"
"""Stands in what is said of a step in doubt."""

NAMED = 20
"""How many steps in doubt a message names."""


@dataclass(frozen=True, slots=True)
class Past:
    """An earlier run, as far as it holds.

    `kept` has the outputs of steps that do not run again, `failed` the errors of those that fail again unrun.
    `doubtful_steps` and `doubtful_calls` have side effects that were begun and are not to be `repeats`-ed
    unasked. Unless `is_live`, whatever has no answer here stops the run.
    """

    run: RunId
    recording: Recording
    kept: Mapping[StepId, Values] = field(default_factory=dict[StepId, Values])
    failed: Mapping[StepId, StepFailed] = field(default_factory=dict[StepId, StepFailed])
    doubtful_steps: frozenset[StepId] = frozenset()
    doubtful_calls: frozenset[tuple[Scope, str]] = frozenset()
    told: Mapping[StepId, Sequence[Entry]] = field(default_factory=dict[StepId, Sequence[Entry]])
    """What happened inside steps that do not run again, to be told again."""
    writes: Mapping[StepId, Sequence[Written]] = field(default_factory=dict[StepId, Sequence[Written]])
    """What steps that do not run again wrote to run variables and memories."""
    memories: Mapping[str, MemoryOpened] = field(default_factory=dict[str, MemoryOpened])
    """As what memories were opened, by name."""
    took_effect: Mapping[str, int] = field(default_factory=dict[str, int])
    """Where among others what steps and items wrote took effect, by step or scope."""
    winners: Mapping[StepId, str] = field(default_factory=dict[StepId, str])
    """The outputs whose values races took, by the step of the race."""
    doubts: Sequence[StepId] = ()
    """All of its steps and calls that are in doubt, where that is known beforehand."""
    course: Course | Timetable | None = None
    """In which order, or when, all happened, for a run that is to keep to it."""
    is_live: bool = False
    repeats: bool = False

    @property
    def remembered(self) -> frozenset[str]:
        """The memories in which something takes effect again."""
        writes = (one for found in self.writes.values() for one in found)
        return frozenset(one.memory for one in writes if isinstance(one, MemoryWritten))

    def order(self, place: str) -> float:
        """Where among others what a step or an item wrote took effect; what is new comes last."""
        return self.took_effect.get(place, inf)

    def answer(self, step: StepId, request: Request) -> Kept | None:
        """Find the answer to a request; None means that it is to be asked now.

        Raises `AnswerMissingError` and `InDoubtError` where it must not be, and a recorded error again.
        """
        found = self.recording.take(step, request)
        if found is not None:
            return found
        if isinstance(request, ToolCalled):
            if request.effect == Effect.SIDE_EFFECT and effect_key(step, request) in self.doubtful_calls:
                self._doubt(step, f"the tool `{request.tool}`")
            if request.effect == Effect.PURE:
                return None
        self._missing(step)
        return None

    def allow(self, step: StepId, effect: Effect) -> None:
        """Let a step do its work, which was not kept.

        Raises `AnswerMissingError` or `InDoubtError` for one with a side effect that must not happen unasked.
        """
        if effect is not Effect.SIDE_EFFECT:
            return
        if step in self.doubtful_steps:
            self._doubt(step, "it")
        else:
            self._missing(step)

    def _doubt(self, step: StepId, what: str) -> None:
        if not self.repeats:
            message = f"`{step}` has side effects, and {what} {IN_DOUBT} `{self.run}`."
            others = [one for one in self.doubts if step not in {one, own_step(one)}]
            if others:
                message += f" So {'were' if len(others) > 1 else 'was'} {listed(others)}."
            raise InDoubtError(message, hint=REPEAT)

    def _missing(self, step: StepId) -> None:
        if not self.is_live:
            message = f"The recording of the run `{self.run}` has no answer for `{step}`."
            raise AnswerMissingError(message, hint=GO_ON)


def listed(steps: Sequence[StepId]) -> str:
    """Name steps in a sentence, the first twenty of them."""
    names = [f"`{one}`" for one in steps[:NAMED]]
    more = [f"{len(steps) - NAMED} more"] if len(steps) > NAMED else []
    *most, last = [*names, *more]
    return f"{', '.join(most)} and {last}" if most else last


def error_again(failed: events.StepFailed) -> Exception:
    """Make the recorded error of a step once more, of its own class where that is one of ours."""
    kind = getattr(errors, failed.error, None)
    if isinstance(kind, type) and issubclass(kind, errors.StepwireError):
        return kind(failed.message, hint=failed.hint)
    return StepError(failed.message, hint=failed.hint)
