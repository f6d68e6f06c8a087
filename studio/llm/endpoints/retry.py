"""Asking again: few attempts, jittered waits, a budget of seconds.

Only what failed before any of the answer arrived is asked again, so that nothing is shown twice.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from studio.errors import ChatError, ChatRefusedError, ChatUnreachableError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RetryLimits:
    """How often and how long to try: waits double from `first_wait`.

    No attempt starts when more than `budget` seconds have passed since the first one.
    """

    attempts: int = 3
    first_wait: float = 0.5
    longest_wait: float = 8.0
    budget: float = 30.0


@dataclass(frozen=True, slots=True)
class RetryNotice:
    """Told before each wait: `attempt` (from 1) failed with `error`; the next starts in `wait` seconds."""

    attempt: int
    wait: float
    error: ChatError


@dataclass(frozen=True, slots=True)
class RetryPlan:
    """The limits with their clockwork; tests inject `sleep`, `jitter` and `clock`.

    `jitter` gives a factor between 0 and 1 for the upper half of a wait, so that many callers who were
    refused together do not come back together.
    """

    limits: RetryLimits = field(default_factory=RetryLimits)
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    jitter: Callable[[], float] = random.random
    clock: Callable[[], float] = time.monotonic
    on_retry: Callable[[RetryNotice], None] | None = None

    async def run(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Call `attempt` until it succeeds, fails for good, or the limits are used up."""
        end = self.clock() + self.limits.budget
        number = 1
        while True:
            try:
                return await attempt()
            except ChatError as error:
                wait = self._wait_after(error, number)
                if wait is None or number >= self.limits.attempts or self.clock() + wait > end:
                    raise
                notice = RetryNotice(number, wait, error)
            if self.on_retry is not None:
                self.on_retry(notice)
            await self.sleep(wait)
            number += 1

    def _wait_after(self, error: ChatError, number: int) -> float | None:
        """Give the seconds to wait after `error`, None when asking again would be of no use."""
        if isinstance(error, ChatRefusedError):
            asked_for = error.retry_after
        else:
            asked_for = 0.0 if isinstance(error, ChatUnreachableError) else None
        if asked_for is None:
            return None
        wait = min(self.limits.first_wait * 2 ** (number - 1), self.limits.longest_wait)
        return max(wait * (0.5 + self.jitter() / 2), asked_for)
