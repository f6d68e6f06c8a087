"""Has work that keeps the event loop busy begin in small portions, so that others are heard in between."""

import asyncio
from collections import deque

PORTION = 1
"""How many begin with each round of the event loop; an answer that has come meanwhile waits for no more."""


class FewAtOnce:
    """Lets a few of those who wait go on with each round of the event loop, in the order in which they came.

    To build a request takes a millisecond or two. A thousand of them that become ready together would be
    built in one round, and who stops the run meanwhile would be heard when all are on their way; an answer
    that has come would wait as long to be written down, and be bought again after a kill.
    """

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def turn(self) -> None:
        """Wait for a turn: a round of the loop, where few wait."""
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        self._waiting.append(turn)
        if len(self._waiting) == 1:
            loop.call_soon(self._next, loop)
        await turn

    def _next(self, loop: asyncio.AbstractEventLoop) -> None:
        for _ in range(min(PORTION, len(self._waiting))):
            turn = self._waiting.popleft()
            if not turn.done():  # whoever waited for it was cancelled
                turn.set_result(None)
        if self._waiting:
            loop.call_soon(self._next, loop)
