"""Where a run that is gone through by hand is held next: over, into, or out of what was released.

Stepping over stays in its lane: the next round of a loop, never another item of a map; it comes from before a
call to its answer. Stepping into a step that makes calls keeps all else out until it has made one or is over.
Running to a step or node holds there once, and breakpoints on the way do not make it forgotten.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING

from studio.ids import StepId, step_parts
from studio.runtime.gates.step_ref import Phase, StepRef
from studio.trace.events import (
    Entry,
    StepCancelled,
    StepFailed,
    StepFinished,
    StepSkipped,
    ToolAnswered,
)

if TYPE_CHECKING:
    from studio.runtime.recorder import Recorder

_ENDS = (StepFinished, StepFailed, StepCancelled, StepSkipped, ToolAnswered)


class Stepping(StrEnum):
    """Where the next hold is to be, after a step was released by hand."""

    OVER = "over"
    INTO = "into"
    OUT = "out"


class Walk:
    """Knows which step a person who goes through a run stops at next.

    `let_in` is called when steps that were kept out may go on.
    """

    def __init__(
        self, recorder: "Recorder", let_in: Callable[[], None], *, is_begun: bool = False, target: str = ""
    ) -> None:
        self._target = target
        """The step, or place, to come to, once."""
        self._recorder = recorder
        self._let_in = let_in
        self._going: tuple[Stepping, str] | None = (Stepping.INTO, "") if is_begun else None
        """How it goes on, and the lane of the step that it went on from."""
        self._entered: StepId | None = None
        """What is stepped into: until it has made a call, or is over, nothing else starts."""
        self._inside: StepId | None = None
        """What is stepped into that other steps happen in: until it is over, none beside it is stopped at."""
        self._answers: set[StepId] = set()
        """Calls that are to be held once more when they are answered."""
        self._is_listening = False

    @property
    def is_idle(self) -> bool:
        """Whether it is to stop nowhere."""
        return self._going is None and not self._answers and not self._target

    def begin(self) -> None:
        """Stop at the next ready step, unless it is under way already."""
        self._going = self._going or (Stepping.INTO, "")

    def go_on(self, ref: StepRef, phase: Phase, how: Stepping) -> None:
        """Go on from a held step, as `how` says."""
        self._going = (how, ref.lane)
        makes_calls = bool(ref.calls) or ref.call == "tool"
        goes_in = how is Stepping.INTO and phase == "before"
        self._enter(ref.step if goes_in and makes_calls else None)
        self._look_inside(ref.step if goes_in and (ref.is_around or ref.call == "tool") else None)
        if ref.call and phase == "before" and how is not Stepping.OUT:
            self._answers.add(ref.step)

    def run_to(self, place: str) -> None:
        """Stop at a step, or at the next one of a place; empty: at none."""
        self._target = place

    def leave(self) -> None:
        """Stop nowhere any more, but where it was to come to."""
        self.arrive()
        self._answers.clear()

    def arrive(self) -> None:
        """Note that the step was come to where it was to stop."""
        self._going = None
        self._enter(None)
        self._look_inside(None)

    def stops_at(self, ref: StepRef) -> bool:
        """Whether a step, or a call, is the one to stop at."""
        if self._target and self._target in (ref.step, ref.place, ref.lending_place):
            self._target = ""
            return True
        if self._going is None:
            return False
        if self._inside is not None and not _is_inside(ref.step, self._inside):
            return False
        return _is_stop(*self._going, ref.lane)

    def stops_at_answer(self, step: StepId) -> bool:
        """Whether what a call was answered is to be stopped at; asked once for each."""
        if step not in self._answers:
            return False
        self._answers.discard(step)
        return True

    def keeps_out(self, ref: StepRef) -> bool:
        """Whether something else is stepped into; steps may hold the turns that a called tool waits for."""
        if self._entered is None or self._entered == ref.parent:
            return False
        return bool(ref.call) or not step_parts(self._entered)[2]

    def _enter(self, step: StepId | None) -> None:
        """Keep all else out until `step` has made a call or is over, however it ends; None: no longer."""
        self._entered = step
        self._let_in()
        if step is not None:
            self._listen()

    def _look_inside(self, step: StepId | None) -> None:
        """Stop nowhere but inside `step` until it is over; None: anywhere."""
        self._inside = step
        if step is not None:
            self._listen()

    def _listen(self) -> None:
        if not self._is_listening:
            self._is_listening = True
            self._recorder.follow(self._note)

    def _note(self, entry: Entry) -> None:
        if entry.step == self._entered and isinstance(entry.event, _ENDS):
            self._enter(None)
        if entry.step == self._inside and isinstance(entry.event, _ENDS):
            self._look_inside(None)


def _is_inside(step: StepId, outer: StepId) -> bool:
    """Whether a step, or a call, happens in a round, an item or a call of `outer`."""
    return step.startswith((f"{outer}.", f"{outer}/", f"{outer}@"))


def _is_stop(how: Stepping, here: str, there: str) -> bool:
    if how is Stepping.INTO:
        return True
    is_around = here != there and (not there or here.startswith(f"{there}/"))
    return is_around if how is Stepping.OUT else is_around or here == there
