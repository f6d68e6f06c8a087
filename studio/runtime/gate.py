"""Where the debugger meets the run: every step awaits a gate before and after its work, as do its calls.

The open gate costs one `await`. The debug gate holds steps, lets a person change what they read or
gave, and releases them.
"""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from studio.ids import StepId, step_parts
from studio.runtime.open_gate import Gate, OpenGate
from studio.runtime.recorder import Recorder
from studio.runtime.step_ref import Phase, StepRef, ref_of
from studio.runtime.values import Resolved, shown_all
from studio.trace.events import (
    Entry,
    InputsEdited,
    OutputsEdited,
    Plain,
    RunHeld,
    RunResumed,
    StepCancelled,
    StepFailed,
    StepFinished,
    StepHeld,
    StepReleased,
    ToolAnswered,
)

__all__ = ["DebugGate", "Gate", "OpenGate", "Phase", "StepRef", "Stepping", "ref_of"]


_ENDS = (StepFinished, StepFailed, StepCancelled, ToolAnswered)


class Stepping(StrEnum):
    """Where the next hold is to be, after a step was released by hand."""

    OVER = "over"
    INTO = "into"
    OUT = "out"


@dataclass(slots=True)
class _Held:
    ref: StepRef
    phase: Phase
    released: "asyncio.Future[dict[str, Resolved]]"


class DebugGate:
    """Holds steps at breakpoints and while stepping. All methods belong to the run's event loop.

    A breakpoint is a node id (holds before its steps) or a socket `node.port` (before, for an input;
    after, for an output); for a node of a called flow, with the flow's name before it:
    `summary.json:critic.reply`. `critic#chat` and `critic#tool` hold before the calls that a step makes,
    `critic#chat.answer` after them; a node that lends tools, before each call of one. While one step is held,
    no other step starts, and no call.
    """

    def __init__(
        self,
        recorder: Recorder,
        breakpoints: Iterable[str] = (),
        *,
        hold_first: bool = False,
        hold_at: str = "",
    ) -> None:
        """Make it; with `hold_first` the first step is held, and the step `hold_at`, once."""
        self._recorder = recorder
        self._hold_at = hold_at
        self._breakpoints = frozenset(breakpoints)
        self._held: dict[StepId, _Held] = {}
        self._answers: set[StepId] = set()
        """Calls that are to be held once more when they are answered."""
        self._entered: StepId | None = None
        """What is stepped into: until it has made a call, or is over, nothing else starts."""
        self._inside: StepId | None = None
        """What is stepped into that other steps happen in: until it is over, none beside it is stopped at."""
        self._is_listening = False
        self._turn = asyncio.Event()
        self._turn.set()
        self._stepping: tuple[Stepping, str] | None = (Stepping.INTO, "") if hold_first else None
        self._is_holding_all = False
        self._held_since = 0.0
        self._held_before = 0.0
        """Seconds for which steps were held, the present ones not counted."""

    @property
    def is_open(self) -> bool:
        """Whether there is nothing to hold for: no breakpoint, no stepping, and no step that is held."""
        return not (
            self._breakpoints
            or self._held
            or self._stepping
            or self._is_holding_all
            or self._hold_at
            or self._answers
        )

    def held_seconds(self) -> float:
        """Seconds for which at least one step has been held so far."""
        now = asyncio.get_running_loop().time() - self._held_since if self._held else 0.0
        return self._held_before + now

    @property
    def held(self) -> tuple[StepRef, ...]:
        """The steps that are held now, the longest waiting first."""
        return tuple(held.ref for held in self._held.values())

    def phase(self, step: StepId) -> Phase | None:
        """Say whether a step is held before or after its work; None when it is not held."""
        held = self._held.get(step)
        return None if held is None or held.released.done() else held.phase

    def schema(self, step: StepId) -> Plain:
        """Give the JSON Schema that the arguments of a held call have to fit; None where there is none."""
        held = self._held.get(step)
        return None if held is None else held.ref.schema

    def set_breakpoints(self, breakpoints: Iterable[str]) -> None:
        """Hold at these nodes and sockets from now on."""
        self._breakpoints = frozenset(breakpoints)

    def hold(self) -> None:
        """Hold whatever is ready next, and all that follows, until `resume`."""
        if not self._is_holding_all:
            self._is_holding_all = True
            self._recorder.record(RunHeld("held by hand"))

    def resume(self, step: StepId | None = None, edited: Mapping[str, Resolved] | None = None) -> None:
        """Release every held step, the named one with `edited` values, and hold at nothing but breakpoints.

        What waited behind those has not been at a breakpoint yet, and is held there.
        """
        self._stepping = None
        self._enter(None)
        self._look_inside(None)
        self._answers.clear()
        if self._is_holding_all:
            self._is_holding_all = False
            self._recorder.record(RunResumed())
        for held in tuple(self._held):
            self._release(held, edited if held == step else None)

    def release(self, step: StepId, edited: Mapping[str, Resolved] | None = None) -> bool:
        """Let one held step go on, with `edited` values in place of its own; False when it is not held."""
        return self._release(step, edited)

    def step(
        self,
        step: StepId | None = None,
        how: Stepping = Stepping.OVER,
        edited: Mapping[str, Resolved] | None = None,
    ) -> bool:
        """Release one held step (the longest waiting by default) and hold again where `how` says.

        Over: at the next ready step of the same scope (the next round of a loop included, another item of a
        map not) or of a scope around it. Into: at the next ready step or call; of a loop, a map, a called
        flow or a tool at one inside it, as long as it is not over. Out: at the next one of a scope around it.
        Over and into come from before a call to its answer. Where no step is named and none is held, the
        next ready one is; False for a step that is named and not held, which changes nothing.
        """
        chosen = step if step is not None else next(iter(self._held), None)
        if chosen is None:
            self._stepping = self._stepping or (Stepping.INTO, "")
            return False
        if chosen not in self._held:
            return False
        held = self._held[chosen]
        self._stepping = (how, held.ref.lane)
        makes_calls = bool(held.ref.calls) or held.ref.call == "tool"
        goes_in = how is Stepping.INTO and held.phase == "before"
        self._enter(chosen if goes_in and makes_calls else None)
        self._look_inside(chosen if goes_in and (held.ref.is_around or held.ref.call == "tool") else None)
        if held.ref.call and held.phase == "before" and how is not Stepping.OUT:
            self._answers.add(chosen)
        if self._is_holding_all:
            self._is_holding_all = False
            self._recorder.record(RunResumed())
        return self._release(chosen, edited)

    async def before(self, ref: StepRef, inputs: dict[str, Resolved]) -> dict[str, Resolved]:
        """Hold the step if it is to be held, or while another one is."""
        while self._held or self._is_kept_out(ref):
            self._turn.clear()
            await self._turn.wait()
        reason = self._reason_to_hold(ref, inputs)
        return await self._hold(ref, "before", reason, inputs) if reason else inputs

    async def after(self, ref: StepRef, outputs: dict[str, Resolved]) -> dict[str, Resolved]:
        """Hold the result where a breakpoint stands on one of the output ports."""
        is_awaited = ref.step in self._answers
        self._answers.discard(ref.step)
        if any(f"{ref.place}.{port}" in self._breakpoints for port in outputs):
            return await self._hold(ref, "after", "breakpoint", outputs)
        return await self._hold(ref, "after", "step", outputs) if is_awaited else outputs

    def _reason_to_hold(self, ref: StepRef, inputs: Mapping[str, Resolved]) -> str:
        places = (ref.place, ref.lending_place, *(f"{ref.place}.{port}" for port in inputs))
        if not self._breakpoints.isdisjoint(places):
            return "breakpoint"
        if self._is_holding_all:
            return "held by hand"
        if ref.step == self._hold_at:
            self._hold_at = ""
            return "step"
        if self._stepping is not None and self._is_stop(ref, *self._stepping):
            return "step"
        return ""

    def _is_stop(self, ref: StepRef, how: Stepping, here: str) -> bool:
        if self._inside is not None and not _is_inside(ref.step, self._inside):
            return False
        return _is_stop(how, here, ref.lane)

    async def _hold(
        self, ref: StepRef, phase: Phase, reason: str, values: dict[str, Resolved]
    ) -> dict[str, Resolved]:
        if reason == "step":
            self._stepping = None
            self._enter(None)
            self._look_inside(None)
        future: asyncio.Future[dict[str, Resolved]] = asyncio.get_running_loop().create_future()
        if not self._held:
            self._held_since = asyncio.get_running_loop().time()
        self._held[ref.step] = _Held(ref, phase, future)
        schema = ref.schema if phase == "before" else None
        held = StepHeld(phase, reason, shown_all(values), ref.tool, schema)
        self._recorder.record(held, ref.step, ref.parent)
        try:
            edited = await future
        finally:
            total = self.held_seconds()
            self._held.pop(ref.step, None)
            if not self._held:
                self._held_before = total
            self._turn.set()
        if edited:
            event = InputsEdited if phase == "before" else OutputsEdited
            self._recorder.record(event(shown_all(edited)), ref.step, ref.parent)
        self._recorder.record(StepReleased(), ref.step, ref.parent)
        return {**values, **edited}

    def _enter(self, step: StepId | None) -> None:
        """Keep all else out until `step` has made a call or is over, however it ends; None: no longer."""
        self._entered = step
        self._turn.set()
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

    def _is_kept_out(self, ref: StepRef) -> bool:
        """Whether something else is stepped into; steps may hold the turns that a called tool waits for."""
        if self._entered is None or self._entered == ref.parent:
            return False
        return bool(ref.call) or not step_parts(self._entered)[2]

    def _note(self, entry: Entry) -> None:
        if entry.step == self._entered and isinstance(entry.event, _ENDS):
            self._enter(None)
        if entry.step == self._inside and isinstance(entry.event, _ENDS):
            self._look_inside(None)

    def _release(self, step: StepId, edited: Mapping[str, Resolved] | None) -> bool:
        held = self._held.get(step)
        if held is None or held.released.done():
            return False
        held.released.set_result(dict(edited or {}))
        return True


def _is_inside(step: StepId, outer: StepId) -> bool:
    """Whether a step, or a call, happens in a round, an item or a call of `outer`."""
    return step.startswith((f"{outer}.", f"{outer}/", f"{outer}@"))


def _is_stop(how: Stepping, here: str, there: str) -> bool:
    if how is Stepping.INTO:
        return True
    is_around = here != there and (not there or here.startswith(f"{there}/"))
    return is_around if how is Stepping.OUT else is_around or here == there
