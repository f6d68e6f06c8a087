"""An event loop whose clock jumps: what only waits for time takes none, and how long it took is known."""

import asyncio
import selectors
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, cast

from studio.runtime.steps.threads import is_at_work_for

SHORTEST, LONGEST = 0.0002, 0.05
"""Seconds between two looks at whether somebody is still at work; a thread ends a bit after its work."""


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop that begins at 0 seconds; what works on its threads, or `outside`, is waited for and takes none.

    `on_stuck` is called when all wait for what nothing brings about any more; without it they wait on.
    """

    def __init__(self, on_stuck: Callable[[], None] | None = None) -> None:
        self.on_stuck = on_stuck
        self._now = 0.0
        self._at_work = 0
        super().__init__(_JumpingSelector(self))

    def time(self) -> float:
        """Give the seconds that would have passed."""
        return self._now

    @property
    def is_waited_for(self) -> bool:
        """Whether something goes on that no timer may overtake."""
        return self._at_work > 0 or is_at_work_for(self)

    def jump(self, seconds: float) -> None:
        """Let time pass."""
        self._now += seconds

    def rewind(self) -> None:
        """Begin at 0 seconds again, unless something waits for a time."""
        timers = cast("list[asyncio.TimerHandle]", vars(self)["_scheduled"])
        if all(one.cancelled() for one in timers):
            self._now = 0.0

    @contextmanager
    def outside(self) -> Generator[None]:
        """Keep the clock while something works that the loop does not see, such as another process."""
        self._at_work += 1
        try:
            yield
        finally:
            self._at_work -= 1

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:
        """As every loop does, and keep the clock meanwhile."""
        future = super().run_in_executor(executor, func, *args)
        self._at_work += 1
        future.add_done_callback(self._worked)
        return future

    def _worked(self, _: object) -> None:
        self._at_work -= 1


class _JumpingSelector(selectors.DefaultSelector):
    """Waits for what is going on, and otherwise jumps to the next timer."""

    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Give what is ready; `timeout` is the time until the next timer."""
        if timeout is None and self._loop.on_stuck is not None and not self._loop.is_waited_for:
            ready = super().select(0)
            if not ready:
                self._loop.on_stuck()
            return ready
        if timeout is None or timeout <= 0:
            return super().select(timeout)
        left, pause = timeout, SHORTEST
        # Asked first: what ends after this has said so by the time that the selector looks.
        while left > 0 and self._loop.is_waited_for:
            ready = super().select(min(pause, left))
            if ready:
                return ready
            left -= pause
            pause = min(2 * pause, LONGEST)
        ready = super().select(0)
        if not ready:
            self._loop.jump(timeout)
        return ready
