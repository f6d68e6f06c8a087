"""What a chat profile bears: how many calls at a time, and in a minute; lifted into scripts as it stands."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

R = TypeVar("R")

MINUTE = 60.0


class Turns:
    """Lets so many calls be under way at a time, and begin in a minute; the others wait for their turn."""

    def __init__(self, at_once: int = 1000, a_minute: int = 0) -> None:
        self.free = asyncio.Semaphore(at_once)
        self.begun: deque[float] = deque(maxlen=a_minute)

    async def run(self, call: Callable[..., Awaitable[R]], **options: Any) -> R:
        """Make a call when it is its turn."""
        async with self.free:
            clock = asyncio.get_running_loop().time
            begin = clock()
            if self.begun and len(self.begun) == self.begun.maxlen:
                begin = max(begin, self.begun[0] + MINUTE)
            self.begun.append(begin)
            await asyncio.sleep(begin - clock())
            return await call(**options)
