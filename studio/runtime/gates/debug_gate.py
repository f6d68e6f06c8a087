"""Where the debugger meets the run: every step awaits a gate before and after its work, as do its calls.

The open gate costs one `await`. The debug gate holds steps, lets a person change what they read or
gave, and releases them.

`step_released` is an event of its own, so that held time is a fold over entries like everything else. *Others
go on* lets steps begin while one is held. A window detaches from a run by taking all of this away from it,
and attaches by sending its breakpoints again.
"""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from studio.ids import StepId
from studio.runtime.failures import DroppedStep
from studio.runtime.gates.attention import Asked, Attention
from studio.runtime.gates.breakpoints import Breakpoint
from studio.runtime.gates.drops import in_place_of_call, outputs_edited, sent_to
from studio.runtime.gates.gate import Gate, OpenGate
from studio.runtime.gates.step_mode import Stepping, Walk
from studio.runtime.gates.step_ref import Phase, StepRef, ref_of
from studio.runtime.gates.watch import Reason, Watch
from studio.runtime.recorder import Recorder
from studio.runtime.values import ABSENT, Resolved, Value, shown_all
from studio.trace.events import InputsEdited, PolicyDecided, RunHeld, RunResumed, StepHeld, StepReleased
from studio.trace.events.values import Plain

__all__ = ["DebugGate", "Gate", "OpenGate", "Phase", "StepRef", "Stepping", "ref_of"]


@dataclass(slots=True)
class _Held:
    ref: StepRef
    phase: Phase
    released: "asyncio.Future[dict[str, Resolved]]"
    values: Mapping[str, Resolved]


class DebugGate:
    """Holds steps at breakpoints and while stepping. All methods belong to the run's event loop.

    Places are those of `Breakpoint`; one of a node that lends tools holds before each call of one. While one
    step is held, no other step starts, and no call, unless the others are let go on.
    """

    def __init__(
        self,
        recorder: Recorder,
        breakpoints: Iterable[Breakpoint | str] = (),
        *,
        hold_first: bool = False,
        hold_at: str = "",
        attention: Attention | None = None,
    ) -> None:
        """Make it; with `hold_first` the first step is held, and the step, or node, `hold_at`, once."""
        self._recorder = recorder
        self.attention = attention or Attention()
        """Which steps have to ask."""
        self._watch = Watch(recorder, breakpoints, self._attend)
        self._held: dict[StepId, _Held] = {}
        self._turn = asyncio.Event()
        self._turn.set()
        self._walk = Walk(recorder, self._turn.set, is_begun=hold_first, target=hold_at)
        self._sends: dict[StepId, str] = {}
        """The outputs to which steps that are at work send what they give."""
        self._is_holding_all = False
        self._others_go_on = False
        self._held_since = 0.0
        self._held_before = 0.0
        """Seconds for which steps were held, the present ones not counted."""
        self._attend()

    @property
    def is_open(self) -> bool:
        """Whether there is nothing to hold for: no breakpoint, no stepping, and no step that is held."""
        is_calm = self._watch.is_idle and not (self._held or self._is_holding_all or self._sends)
        return is_calm and self._walk.is_idle

    def asked(self, flow: str = "") -> Asked:
        """Give the nodes whose steps have to ask: all, unless only breakpoints elsewhere are set."""
        return self.attention.of(flow)

    def _attend(self) -> None:
        """Say whose steps have to ask now; to be called after whatever changes that."""
        watch = self._watch
        is_calm = watch.due is None and not (self._held or self._is_holding_all or self._sends)
        self.attention.turn_to(watch.nodes if is_calm and self._walk.is_idle else None)

    @property
    def hits(self) -> Mapping[str, int]:
        """How often each breakpoint and catch would have held so far, by key."""
        return self._watch.hits

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

    def given(self, step: StepId) -> tuple[str, ...]:
        """Name the values that a held step is about to read, or has given."""
        held = self._held.get(step)
        return tuple(name for name, one in held.values.items() if isinstance(one, Value)) if held else ()

    def schema(self, step: StepId) -> Plain:
        """Give the JSON Schema that the arguments of a held call have to fit; None where there is none."""
        held = self._held.get(step)
        return None if held is None else held.ref.schema

    def set_breakpoints(self, breakpoints: Iterable[Breakpoint | str]) -> None:
        """Hold at these from now on; a place alone is one at which every step is held."""
        self._watch.set(breakpoints)
        self._attend()

    def hold(self) -> None:
        """Hold whatever is ready next, and all that follows, until `resume`."""
        if not self._is_holding_all:
            self._is_holding_all = True
            self._attend()
            self._recorder.record(RunHeld("held by hand"))

    def resume(self, step: StepId | None = None, edited: Mapping[str, Resolved] | None = None) -> None:
        """Release every held step, the named one with `edited` values, and hold at nothing but breakpoints.

        What waited behind those has not been at a breakpoint yet, and is held there.
        """
        self._walk.leave()
        if self._is_holding_all:
            self._is_holding_all = False
            self._recorder.record(RunResumed())
        for held in tuple(self._held):
            self._release(held, edited if held == step else None)
        self._attend()

    def let_others(self, *, go_on: bool) -> None:
        """Let steps start while others are held, or no longer; a breakpoint holds them all the same."""
        self._others_go_on = go_on
        self._turn.set()

    def run_to(self, place: str) -> None:
        """Release every held step, and hold at a step, or at the next one of a node, once.

        Breakpoints on the way there hold as ever; where it goes is not forgotten for that.
        """
        self.resume()
        self._walk.run_to(place)
        self._attend()

    def drop(self, step: StepId) -> bool:
        """Leave a held step out; False when it is not held.

        Before its work it is skipped. After it, it has happened, and gives nothing. A call of a tool is not
        made, or not heard, and whoever called is told so. A chat takes the step along that asks.
        """
        held = self._held.get(step)
        if held is None or held.released.done():
            return False
        if held.ref.call == "tool":
            return self._release(step, in_place_of_call(held.phase))
        if held.phase == "after" and held.values and not held.ref.call:
            return self._release(step, dict.fromkeys(held.values, ABSENT))
        held.released.set_exception(DroppedStep(step))
        return True

    def send(self, step: StepId, port: str) -> bool:
        """Let a held step go on, and what it gives leave at `port` alone; False when it is not held.

        Before its work that is done first.
        """
        held = self._held.get(step)
        if held is None or held.released.done():
            return False
        if held.phase == "after":
            return self._release(step, sent_to(port, held.values))
        self._sends[step] = port
        self._attend()
        return self._release(step, None)

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
            self._walk.begin()
            self._attend()
            return False
        if chosen not in self._held:
            return False
        held = self._held[chosen]
        self._walk.go_on(held.ref, held.phase, how)
        self._attend()
        if self._is_holding_all:
            self._is_holding_all = False
            self._recorder.record(RunResumed())
        return self._release(chosen, edited)

    async def before(self, ref: StepRef, inputs: dict[str, Resolved]) -> dict[str, Resolved]:
        """Hold the step if it is to be held, or while another one is."""
        # Whoever wakes looks again: another one may have been held before its turn came.
        while (self._held and not self._others_go_on) or self._walk.keeps_out(ref):
            self._turn.clear()
            await self._turn.wait()
        reason = self._reason_to_hold(ref, inputs)
        used = await self._hold(ref, "before", reason, inputs) if reason is not None else inputs
        # Conditions that stand behind its work may name what it has read, edits included.
        self._watch.remember(ref, used)
        return used

    async def after(self, ref: StepRef, outputs: dict[str, Resolved]) -> dict[str, Resolved]:
        """Hold the result where a breakpoint stands on one of the output ports."""
        port = self._sends.pop(ref.step, "")
        self._attend()
        if port and any(isinstance(value, Value) for value in outputs.values()):
            edited = sent_to(port, outputs)
            self._recorder.record(outputs_edited(edited), ref.step, ref.parent)
            outputs = {**outputs, **edited}
        is_awaited = self._walk.stops_at_answer(ref.step)
        reason = self._watch.after(ref, outputs) or (Reason("step") if is_awaited else None)
        return await self._hold(ref, "after", reason, outputs) if reason is not None else outputs

    async def failed(
        self, ref: StepRef, error: Exception, inputs: Mapping[str, Resolved], *, is_caught: bool
    ) -> dict[str, Resolved] | None:
        """Hold the step that failed, where errors are caught; gives what a person gives instead."""
        if not self._watch.catches("error"):
            return None
        await self._others()
        reason = self._watch.failed(ref, error, inputs, is_caught=is_caught)
        return await self._hold(ref, "after", reason, {}) or None if reason is not None else None

    async def decided(self, ref: StepRef, decision: PolicyDecided) -> None:
        """Hold before a decision takes effect, where decisions are caught."""
        if not self._watch.catches("policy"):
            return
        await self._others()
        reason = self._watch.decided(ref, decision)
        if reason is not None:
            await self._hold(ref, "after", reason, {})

    async def _others(self) -> None:
        """Wait while something else is held."""
        while self._held and not self._others_go_on:
            self._turn.clear()
            await self._turn.wait()

    def _reason_to_hold(self, ref: StepRef, inputs: Mapping[str, Resolved]) -> Reason | None:
        found = self._watch.before(ref, inputs)
        if found is not None:
            return found
        if self._is_holding_all:
            return Reason("held by hand")
        return Reason("step") if self._walk.stops_at(ref) else None

    async def _hold(
        self, ref: StepRef, phase: Phase, reason: Reason, values: dict[str, Resolved]
    ) -> dict[str, Resolved]:
        if reason.word == "step":
            self._walk.arrive()
        future: asyncio.Future[dict[str, Resolved]] = asyncio.get_running_loop().create_future()
        if not self._held:
            self._held_since = asyncio.get_running_loop().time()
        self._held[ref.step] = _Held(ref, phase, future, values)
        self._attend()
        # A person's arguments are compared with it before anything goes on; an answer has none.
        schema = ref.schema if phase == "before" else None
        held = StepHeld(phase, reason.word, shown_all(values), ref.tool, schema, reason.detail, reason.key)
        self._recorder.record(held, ref.step, ref.parent)
        try:
            edited = await future
        finally:
            total = self.held_seconds()  # before it goes: the last one that goes ends the time that counts
            self._held.pop(ref.step, None)
            if not self._held:
                self._held_before = total
            self._attend()
            self._turn.set()
        if edited:
            event = InputsEdited(shown_all(edited)) if phase == "before" else outputs_edited(edited)
            self._recorder.record(event, ref.step, ref.parent)
        self._recorder.record(StepReleased(), ref.step, ref.parent)
        return {**values, **edited}

    def _release(self, step: StepId, edited: Mapping[str, Resolved] | None) -> bool:
        held = self._held.get(step)
        # What was released stands here until its task has run; asyncio takes a second release for an error.
        if held is None or held.released.done():
            return False
        held.released.set_result(dict(edited or {}))
        return True
