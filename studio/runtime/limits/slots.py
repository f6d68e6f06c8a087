"""How many may work at the same time; whoever comes while there is room does not wait for it.

Waiting for a slot counts against the time limit of a step, not against those of its calls, which wait in
their profile's queue (`llm/rate_limits/queue.py`). A step takes its slot before it comes to the gate, so that
while one is held none slips past.
"""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

AT_ONCE: Final = "at_once"
"""The limit of a run that says how many of its steps may work at a time."""

STEPS_AT_ONCE: Final = 1_000
"""How many may where nothing says: as many items as a For each may ask for."""


class Turns:
    """A semaphore that costs nothing while fewer than the limit are working.

    Who may not `take` a turn at once waits for one; each turn is given back once.
    """

    __slots__ = ("_free", "_room", "_waiting")

    def __init__(self, limit: int) -> None:
        self._free = limit
        self._room = asyncio.Semaphore(0)
        self._waiting = 0

    async def __aenter__(self) -> None:
        if not self.take():
            await self.wait()

    async def __aexit__(self, *_: object) -> None:
        self.give_back()

    def take(self) -> bool:
        """Take a turn if there is one; False means that it has to be waited for."""
        if self._free <= 0:
            return False
        self._free -= 1
        return True

    async def wait(self) -> None:
        """Wait for a turn, behind those who wait already, and take it."""
        self._waiting += 1
        try:
            await self._room.acquire()
        finally:
            self._waiting -= 1

    def give_back(self) -> None:
        """Let the next one work."""
        if self._waiting and self._free >= 0:
            self._room.release()
        else:
            self._free += 1

    @contextmanager
    def lent(self) -> Generator[None, None, None]:
        """Let others have a turn that was taken; it is taken again afterwards, free or not."""
        self.give_back()
        try:
            yield
        finally:
            self._free -= 1
