"""The course of an earlier run, which a replay keeps to: what ended after what.

In a replay nothing takes any time, and yet a race, a time limit or a failure has to find the other steps
where it found them before. So no step ends before all has happened that had happened when it ended then; a
step that was stopped waits to be stopped, and a time limit has passed where it had passed. A replay that does
something else, be it on other inputs, gives the course up, and goes on by itself.

Delays and pauses are passed over; what a person cancelled is cancelled again (`stop_asked`). The order
between steps is kept only as far as a step tells of others: a race its winner, a map what its items gave and
wrote, in item order.
"""

import asyncio
import heapq
from collections import Counter, defaultdict, deque
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import count
from typing import Final, Literal, TypeAlias, TypeVar

from studio.ids import StepId, step_id, step_parts
from studio.runtime.limits.time_limit import never_held
from studio.trace import events
from studio.trace.differences.comparable_entries import settled
from studio.trace.events import Entry

R = TypeVar("R")
End: TypeAlias = Literal["step_finished", "step_failed"]

_COUNTED: Final = (
    events.StepReady,
    events.StepStarted,
    events.ChatRequested,
    events.ChatAnswered,
    events.EmbedRequested,
    events.EmbedAnswered,
    events.ToolCalled,
    events.ToolAnswered,
    events.ApprovalAsked,
    events.ApprovalGiven,
    events.StepRetried,
    events.StepTimedOut,
    events.StopAsked,
    events.RaceDecided,
    events.StateMerged,
    events.StepFinished,
    events.StepFailed,
    events.StepSkipped,
    events.StepCancelled,
)
_ENDS: Final = ("step_finished", "step_failed", "step_cancelled", "step_retried", "step_timed_out")

_ANSWERED: Final = ("chat_answered", "embed_answered", "tool_answered", "approval_given")

STILL: Final = 0.2
"""Seconds without an event after which nothing more is to come, when no step's function is at work."""


class Course:
    """What happened in a run, in order; each part of it happens once more, or the course is given up."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._places: dict[tuple[StepId, str], deque[int]] = defaultdict(deque)
        self._stops: list[tuple[int, str]] = []
        self._calls: dict[StepId, list[int]] = defaultdict(list)
        counted = _counted(settled(entries))
        for place, entry in enumerate(counted):
            self._places[entry.step, entry.event.kind].append(place)
            if isinstance(entry.event, events.StopAsked):
                self._stops.append((place, entry.event.name))
            scope, node, call, _ = step_parts(entry.step)
            if call:
                self._calls[step_id(scope, node)].append(place)
        self._happened = [False] * len(counted)
        self._now = 0
        """All places before this one have happened."""
        self._waiting: list[tuple[int, int, Callable[[], None]]] = []
        self._count = 0
        self._number = count()
        self._idle: Counter[StepId] = Counter()
        self._at_work: set[StepId] = set()
        """Steps whose function is at work, and not waiting for something that will not come."""
        self._cut: set[StepId] = set()
        """Steps whose time limit has just passed, and that are about to be stopped."""
        self._watch: asyncio.TimerHandle | None = None
        self._left = asyncio.Event()
        self.held_seconds: Callable[[], float] = never_held
        """For how long the run has been held so far: who stands still because of that has not left."""

    @property
    def is_left(self) -> bool:
        """Whether the run does something else than the earlier one."""
        return self._left.is_set()

    def note(self, entry: Entry) -> None:
        """Take in what happens."""
        if self.is_left or not isinstance(entry.event, _COUNTED):
            return
        places = self._places.get((entry.step, entry.event.kind))
        if not places:
            self.leave()
            return
        self._happened[places.popleft()] = True
        self._count += 1
        while self._now < len(self._happened) and self._happened[self._now]:
            self._now += 1
        self._release()

    def leave(self) -> None:
        """Give the course up: nobody waits for anything any more."""
        self._left.set()
        self._now = len(self._happened)
        self._release()

    def stop_again(self, stop: Callable[[str], object]) -> None:
        """Let what a person cancelled be cancelled again, by `stop`."""
        for place, name in self._stops:
            self._wait(place, partial(self._stop, stop, name))

    def _stop(self, stop: Callable[[str], object], name: str) -> None:
        if not self.is_left:
            asyncio.get_running_loop().call_soon(stop, name)

    async def turn(self, step: StepId, end: End) -> None:
        """Wait until the step may end so; one that was stopped then waits to be stopped."""
        if self.is_left:
            return
        places = self._places.get((step, end))
        if places:
            await self._until(places[0])
        elif self._next_end(step) == "step_cancelled":
            await self._rest(step)
        else:
            self.leave()

    async def start(self, step: StepId) -> None:
        """Wait for ever before a step that was stopped then while it was held, so that it never began."""
        if not self.is_left and not self._places.get((step, "step_started")) and self._next_end(step):
            await self._rest(step)

    async def request(self, call: StepId, step: StepId, kind: str) -> None:
        """Wait for ever before a call of the step that was stopped then before it was made."""
        if not self._places.get((call, kind)):
            await self.answer(call, step)

    async def answer(self, call: StepId, step: StepId) -> None:
        """Wait for ever in a call of the step that was stopped then, unless it is to be answered first."""
        if self.is_left or self._next_end(call) != "step_cancelled":
            return
        if not any(self._places.get((call, kind)) for kind in _ANSWERED):
            await self._rest(step)

    async def passes_over(self, step: StepId) -> bool:
        """Whether a wait of the step takes no time; one in which it was stopped takes for ever."""
        if self.is_left:
            return False
        if step in self._cut:
            await self._rest(step)
        place = self._cut_place(step)
        if place is not None and all(self._happened[call] for call in self._calls[step] if call < place):
            await self._rest(step)
        return not self.is_left

    def limit(self, step: StepId, expire: Callable[[], None]) -> bool:
        """Let a time limit of the step pass where it has passed; False where clocks are to tell."""
        if self.is_left:
            return False
        self._cut.discard(step)
        if self._next_end(step) == "step_timed_out":

            def cut() -> None:
                self._cut.add(step)
                expire()

            self._wait(self._places[step, "step_timed_out"][0], cut)
        return True

    async def work(self, step: StepId, doing: Awaitable[R]) -> R:
        """Wait for a step's function; while it is at work, there is more to come."""
        self._at_work.add(step)
        try:
            return await doing
        finally:
            self._at_work.discard(step)

    @contextmanager
    def idle(self, step: StepId) -> Generator[None, None, None]:
        """Say that a step's function does nothing but wait for other steps."""
        self._idle[step] += 1
        self._at_work.discard(step)
        try:
            yield
        finally:
            self._idle[step] -= 1
            if not self._idle[step]:
                self._at_work.add(step)

    def _cut_place(self, step: StepId) -> int | None:
        """Where the step was stopped; None where it came to an end by itself."""
        end = self._next_end(step)
        if end in {"step_cancelled", "step_timed_out"}:
            return self._places[step, end][0]
        ended = self._places[step, end][0] if end else len(self._happened)
        for place, name in self._stops:
            if place < ended and (step == name or step.startswith(f"{name}/")):
                return place
        return None

    def _next_end(self, step: StepId) -> str:
        ends = ((places[0], kind) for kind in _ENDS if (places := self._places.get((step, kind))))
        return min(ends, default=(0, ""))[1]

    async def _until(self, place: int) -> None:
        if place <= self._now:
            return
        waiting = asyncio.get_running_loop().create_future()

        def release() -> None:
            if not waiting.done():
                waiting.set_result(None)

        self._wait(place, release)
        await waiting

    async def _rest(self, step: StepId) -> None:
        self._look()
        self._at_work.discard(step)
        await self._left.wait()

    def _wait(self, place: int, release: Callable[[], None]) -> None:
        heapq.heappush(self._waiting, (place, next(self._number), release))
        self._release()
        self._look()

    def _release(self) -> None:
        while self._waiting and self._waiting[0][0] <= self._now:
            heapq.heappop(self._waiting)[2]()

    def _look(self) -> None:
        """Look after a while whether all stand still: then what they wait for will not happen."""
        if self._watch is None and not self.is_left:
            self._watch = asyncio.get_running_loop().call_later(
                STILL, self._see, self._count, self.held_seconds()
            )

    def _see(self, before: int, held: float) -> None:
        self._watch = None
        if before == self._count and not self._at_work and held == self.held_seconds():
            self.leave()
        else:
            self._look()

    def close(self) -> None:
        """Look no more."""
        if self._watch is not None:
            self._watch.cancel()


def _counted(entries: Sequence[Entry]) -> list[Entry]:
    """What is kept to; that a person stopped the run, and with it its steps, is no part of its course."""
    counted = [entry for entry in entries if isinstance(entry.event, _COUNTED)]
    if entries and isinstance(entries[-1].event, events.RunCancelled):
        while counted and isinstance(counted[-1].event, events.StepCancelled):
            counted.pop()
    return counted
