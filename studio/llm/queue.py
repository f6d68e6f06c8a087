"""Turns at a language model: how many calls of one profile are under way at a time, and who comes next.

Runs that share a profile take turns: each waits in a line of its own, first come, first served, and the lines
are served one after the other, so that a run with a thousand calls does not keep one with a single call
waiting. Whoever waits for a turn has begun nothing: the time limits of its call start when it gets one.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncGenerator, Callable, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from studio.llm.client import Caller, ChatAnswer, ChatClient, ChatProfile, ChatRequest


@dataclass(frozen=True, slots=True)
class QueueLimits:
    """What a profile bears; `at_once` calls may be under way at a time, 0 for any number."""

    at_once: int = 0


class ChatQueue:
    """The turns of one profile. Belongs to one event loop."""

    def __init__(self, limits: QueueLimits) -> None:
        self._limits = limits
        self._working = 0
        self._lines: OrderedDict[Hashable, deque[asyncio.Future[None]]] = OrderedDict()

    @property
    def working(self) -> int:
        """How many calls are under way."""
        return self._working

    @property
    def waiting(self) -> int:
        """How many wait for a turn."""
        return sum(map(len, self._lines.values()))

    @asynccontextmanager
    async def turn(self, line: Hashable) -> AsyncGenerator[None]:
        """Wait for a turn in `line`, one for each run, and have it until the end of the block."""
        await self._take(line)
        try:
            yield
        finally:
            self._working -= 1
            self._call_next()

    async def _take(self, line: Hashable) -> None:
        if self._has_room and not self._lines:
            self._working += 1
            return
        place = asyncio.get_running_loop().create_future()
        self._lines.setdefault(line, deque()).append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():  # the turn came too late to be taken
                self._working -= 1
                self._call_next()
            else:
                self._leave(line, place)
            raise

    @property
    def _has_room(self) -> bool:
        return not self._limits.at_once or self._working < self._limits.at_once

    def _call_next(self) -> None:
        while self._has_room and self._lines:
            line, places = self._lines.popitem(last=False)
            place = places.popleft()
            if places:
                self._lines[line] = places
            self._working += 1
            place.set_result(None)

    def _leave(self, line: Hashable, place: asyncio.Future[None]) -> None:
        places = self._lines[line]
        places.remove(place)
        if not places:
            del self._lines[line]


class ChatQueues:
    """The queues of all profiles, shared by the runs of a process."""

    def __init__(self) -> None:
        self._queues: dict[tuple[object, ...], ChatQueue] = {}

    def of(self, profile: ChatProfile) -> ChatQueue:
        """Give the queue of a profile; one that is told other limits meanwhile gets a new one."""
        whose = profile.key_from, profile.key_env
        key = profile.name, profile.provider, profile.base_url, profile.llm, *whose, profile.at_once
        queue = self._queues.get(key)
        if queue is None:
            queue = self._queues[key] = ChatQueue(QueueLimits(profile.at_once))
        return queue


class QueuedClient:
    """A chat client that waits for its turn before each call."""

    def __init__(self, client: ChatClient, queue: ChatQueue, line: Hashable) -> None:
        self._client = client
        self.queue = queue
        self._line = line

    async def answer(
        self,
        request: ChatRequest,
        *,
        on_text: Callable[[str], None] | None = None,
        caller: Caller | None = None,
    ) -> ChatAnswer:
        """As the client's own, once it is this call's turn."""
        async with self.queue.turn(self._line):
            return await self._client.answer(request, on_text=on_text, caller=caller)

    async def close(self) -> None:
        """Release the client's connections."""
        await self._client.close()
