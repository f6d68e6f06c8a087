"""When steps begin: so many in a turn of the event loop that nobody waits; none once a run is stopped.

Steps that wait for nothing let others work every 10 ms, or nothing could be shown or stopped meanwhile.
"""

import asyncio
import time
from collections import deque
from heapq import heappop, heappush
from weakref import WeakKeyDictionary

BREATH = 0.01
"""Seconds for which steps that begin may keep everybody else from working."""

MOST = 16
"""How many that wait in line go on in one turn at most; fewer where that takes longer than a breath."""

FEWEST = 4

LOST = 1.0
"""Seconds after which a stop that has not reached those in line is taken for lost."""


class _Clock:
    """When an event loop has last had its turn, as far as the runs in it know."""

    __slots__ = ("turned",)

    def __init__(self) -> None:
        self.turned = 0.0


_CLOCKS: WeakKeyDictionary[asyncio.AbstractEventLoop, _Clock] = WeakKeyDictionary()


class Breath:
    """Lets others work now and then: what streams, who stops the run, and the connection to the window.

    Steps that begin too late in a turn of the loop wait in line. Were they let go on together, the next turn
    would be as long as thousands of them take, with a stop behind the last. Each run has a line of its own;
    those of one event loop share its time, so that of hundreds none waits before each of its steps.
    """

    __slots__ = (
        "_at_once",
        "_by_age",
        "_by_depth",
        "_clock",
        "_drawn",
        "_is_going_on",
        "_number",
        "_stopped_before",
        "_task",
    )

    def __init__(self) -> None:
        self._by_depth: list[tuple[int, int, asyncio.Future[None]]] = []
        self._by_age: deque[asyncio.Future[None]] = deque()
        self._number = 0
        self._is_going_on = False
        self._at_once = MOST
        self._clock = _Clock()
        self._drawn = 0.0
        """When those were let go on who have gone on last."""
        self._task: asyncio.Task[object] | None = None
        self._stopped_before = 0

    def belong_to_this_task(self) -> None:
        """Hear of a stop from now on: who stops the run cancels the task that is at work now."""
        self._task = asyncio.current_task()
        self._clock = _CLOCKS.setdefault(asyncio.get_running_loop(), _Clock())
        self.was_drawn()
        self._stopped_before = self._task.cancelling() if self._task is not None else 0

    @property
    def is_over(self) -> bool:
        """Whether the run is being stopped, so that nothing new is to begin."""
        return self._task is not None and self._task.cancelling() > self._stopped_before

    def is_needed(self) -> bool:
        """Whether who is about to begin something has to `draw` breath before."""
        return self._is_going_on or time.monotonic() - self._clock.turned > BREATH or self.is_over

    def was_drawn(self) -> None:
        """Note that the loop has just had its turn."""
        self._clock.turned = time.monotonic()

    async def draw(self, depth: int) -> None:
        """Wait in line for a turn of the loop that has time left; once a run is stopped, for the stop.

        Of those in line the most deeply nested go first, so that calls end before others begin: of a
        recursion that branches there would be thousands under way. Whoever has waited longest goes with them.
        """
        loop = asyncio.get_running_loop()
        is_let_on = False
        while not is_let_on or self.is_over:  # the run may have been stopped since the turn was given
            turn: asyncio.Future[None] = loop.create_future()
            self._number += 1
            heappush(self._by_depth, (-depth, self._number, turn))
            self._by_age.append(turn)
            if not self._is_going_on:
                self._is_going_on = True
                self._drawn = time.monotonic()
                loop.call_soon(self._go_on)
            await turn
            is_let_on = True

    def _go_on(self) -> None:
        """Let some begin: half as many as before where those took too long."""
        if self.is_over:  # who waits is cancelled with all that is under way
            asyncio.get_running_loop().call_later(LOST, self._go_on_after_all)
            return
        now = time.monotonic()
        took = now - self._drawn
        self._drawn = self._clock.turned = now
        self._at_once = max(FEWEST, self._at_once // 2) if took > BREATH else min(MOST, self._at_once * 2)
        left = self._at_once
        while self._by_age:
            turn = self._by_age.popleft()
            if not turn.done():
                turn.set_result(None)
                break
        while self._by_depth and left > 1:
            *_, turn = heappop(self._by_depth)
            if not turn.done():  # it may have gone on already, or been cancelled by itself
                turn.set_result(None)
                left -= 1
        self._is_going_on = bool(self._by_depth)
        if self._is_going_on:
            asyncio.get_running_loop().call_soon(self._go_on)

    def _go_on_after_all(self) -> None:
        """Let those begin whom no stop has reached: a failure of the same moment, taken in, has undone it."""
        self._stopped_before = self._task.cancelling() if self._task is not None else 0
        self._go_on()
