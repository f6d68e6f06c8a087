"""When everything happened in an earlier run, for a script that does the same and leaves steps out.

Where some steps are missing there is no order of all events to keep to (`course.py`). So answers come, and
steps end, at the moments at which they did then, by an event loop whose clock moves only when all wait:
races, time limits and failures find other steps where they found them. What came late then comes at once
where the script is later still, so that nobody waits for what was; only what was stopped waits to be stopped.
"""

import asyncio
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Final, TypeVar

from studio.ids import StepId, own_step
from studio.runtime.limits.time_limit import never_held
from studio.runtime.replay.course import End
from studio.trace import events
from studio.trace.differences.compare import settled
from studio.trace.events import Entry

R = TypeVar("R")

_ENDS: Final = ("step_finished", "step_failed", "step_cancelled", "step_retried", "step_timed_out")
_ANSWERED: Final = ("chat_answered", "embed_answered", "tool_answered", "approval_given", "step_failed")

APART: Final = 1e-6
"""Seconds between two entries at least, so that moments have an order."""


class Timetable:
    """The moments of a run, each used once; what is not among them takes its own time."""

    is_left = False
    """A timetable is never given up: nobody waits for it to happen."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._moments: dict[tuple[StepId, str], deque[float]] = defaultdict(deque)
        self._steps: set[StepId] = set()
        self._callers: set[StepId] = set()
        """Steps that made calls."""
        self._stops: list[tuple[float, str]] = []
        self._began = 0.0
        found = settled(entries)
        first = last = found[0].time if found else 0.0
        for entry in found:
            last = max(entry.time, last + APART)
            self._moments[entry.step, entry.event.kind].append(last - first)
            self._steps.add(entry.step)
            if (own := own_step(entry.step)) != entry.step:
                self._callers.add(own)
            if isinstance(entry.event, events.StopAsked):
                self._stops.append((last - first, entry.event.name))
        self.held_seconds: Callable[[], float] = never_held
        """For how long the run has been held so far."""

    def note(self, entry: Entry) -> None:
        """Take in what happens."""
        moments = self._moments.get((entry.step, entry.event.kind))
        if moments:
            moments.popleft()

    def stop_again(self, stop: Callable[[str], object]) -> None:
        """Begin to count, and let what a person cancelled be cancelled again, by `stop`."""
        loop = asyncio.get_running_loop()
        self._began = loop.time()
        for moment, name in self._stops:
            loop.call_at(self._began + moment, stop, name)

    async def turn(self, step: StepId, end: End) -> None:
        """Wait until the step ended so; one that was stopped then waits to be stopped."""
        if not await self._until(step, end) and self._next_end(step) == "step_cancelled":
            await _rest()

    async def start(self, step: StepId) -> None:
        """Wait for ever before a step that was stopped then, unless it made calls: these wait for themselves.

        So nothing is done of which it is not known whether it was done then.
        """
        if step not in self._callers and self._next_end(step) == "step_cancelled":
            await _rest()

    async def request(self, call: StepId, step: StepId, kind: str) -> None:
        """Wait for ever before a call that was stopped then before it was made."""
        if not self._moments.get((call, kind)):
            await self.answer(call, step)

    async def answer(self, call: StepId, step: StepId) -> None:
        """Wait until the call was answered, for ever in one that was stopped."""
        del step
        left = [kind for kind in _ANSWERED if self._moments.get((call, kind))]
        if left:
            await self._until(call, min(left, key=lambda kind: self._moments[call, kind][0]))
        elif self._next_end(call) == "step_cancelled":
            await _rest()

    async def passes_over(self, step: StepId) -> bool:
        """Whether a wait of the step takes no time: its end comes when it came."""
        return self._next_end(step) == "step_finished"

    def limit(self, step: StepId, expire: Callable[[], None]) -> bool:
        """Let a time limit of the step pass when it passed; False for a step of which nothing is known."""
        if self._next_end(step) == "step_timed_out":
            moment = self._moments[step, "step_timed_out"][0]
            asyncio.get_running_loop().call_at(self._began + moment, expire)
        return step in self._steps

    async def work(self, step: StepId, doing: Awaitable[R]) -> R:
        """Wait for a step's function."""
        del step
        return await doing

    def idle(self, step: StepId) -> AbstractContextManager[None]:
        """Take in that a step's function does nothing but wait for other steps."""
        del step
        return nullcontext()

    def close(self) -> None:
        """Nothing is left to stop."""

    async def _until(self, step: StepId, kind: str) -> bool:
        """Wait for what happened then in the step, if it is still to come; tells whether it did happen."""
        moments = self._moments.get((step, kind))
        if not moments:
            return False
        left = self._began + moments[0] - asyncio.get_running_loop().time()
        if left > 0:
            await asyncio.sleep(left)
        return True

    def _next_end(self, step: StepId) -> str:
        ends = ((moments[0], kind) for kind in _ENDS if (moments := self._moments.get((step, kind))))
        return min(ends, default=(0.0, ""))[1]


async def _rest() -> None:
    """Wait to be stopped."""
    await asyncio.get_running_loop().create_future()
