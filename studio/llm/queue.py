"""Turns at a language model: how many calls of one profile are under way at a time, and who comes next.

Runs that share a profile take turns: each waits in a line of its own, and the lines of one priority are
served one after the other (`lines.py`), so that a run with a thousand calls does not keep one with a single
call waiting. Whoever waits for a turn has begun nothing: the time limits of its call start when it gets one.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from studio.errors import UsageError
from studio.llm.client import Caller, ChatAnswer, ChatClient, ChatProfile, ChatRequest
from studio.llm.embeddings import EmbedAnswer, Embedder, EmbedRequest
from studio.llm.lines import Lines, Place, Priority
from studio.llm.prefixes import Prefix
from studio.llm.rates import CHARACTERS, Rates, Spent, guess_tokens

Rank = Callable[[], Priority]


def interactive() -> Priority:
    """The priority of a run of which nothing else is said."""
    return Priority.INTERACTIVE


@dataclass(frozen=True, slots=True)
class QueueLimits:
    """What a profile bears: calls under way at a time, and calls and tokens in a minute; 0 for any number."""

    at_once: int = 0
    requests_per_minute: int = 0
    tokens_per_minute: int = 0


class ChatQueue:
    """The turns of one profile. Belongs to one event loop."""

    def __init__(self, limits: QueueLimits) -> None:
        self._limits = limits
        self._rates = Rates(limits.requests_per_minute, limits.tokens_per_minute)
        self._working = 0
        self._lines = Lines()
        self._before: Prefix | None = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def working(self) -> int:
        """How many calls are under way."""
        return self._working

    @property
    def waiting(self) -> int:
        """How many wait for a turn."""
        return len(self._lines)

    @asynccontextmanager
    async def turn(
        self, line: Hashable, tokens: int = 0, *, rank: Rank = interactive, prefix: Prefix | None = None
    ) -> AsyncGenerator[Spent]:
        """Wait for a turn in `line`, one for each run, and have it until the end of the block.

        `tokens` are a guess of what the call will take; whoever knows better later says so in what is given.
        """
        spent = await self._take(line, tokens, rank, prefix)
        try:
            yield spent
        finally:
            self._working -= 1
            self._call_next()

    async def _take(self, line: Hashable, tokens: int, rank: Rank, prefix: Prefix | None) -> Spent:
        loop = asyncio.get_running_loop()
        if self._has_room and not self.waiting and self._rates.wait(loop.time(), tokens) <= 0:
            return self._begin(loop.time(), tokens, prefix)
        place = Place(line, loop.create_future(), tokens, prefix)
        self._lines.join(place, rank)
        self._call_next()
        try:
            return await place.turn
        except asyncio.CancelledError:
            if place.turn.done() and not place.turn.cancelled():  # the turn came too late to be taken
                self._working -= 1
                place.turn.result().tokens = 0
            else:
                self._lines.leave(place)
            self._call_next()
            raise

    @property
    def _has_room(self) -> bool:
        return not self._limits.at_once or self._working < self._limits.at_once

    def _begin(self, now: float, tokens: int, prefix: Prefix | None) -> Spent:
        self._working += 1
        self._before = prefix
        return self._rates.begin(now, tokens)

    def _call_next(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        loop = asyncio.get_running_loop()
        while self._has_room and (place := self._lines.next(self._before)) is not None:
            if place.turn.cancelled():  # and has not woken up yet
                self._lines.leave(place)
                continue
            wait = self._rates.wait(loop.time(), place.tokens)
            if wait > 0:  # nobody overtakes: else a large call would wait for ever
                self._timer = loop.call_later(wait, self._call_next)
                return
            self._lines.take(place)
            place.turn.set_result(self._begin(loop.time(), place.tokens, place.prefix))


class ChatQueues:
    """The queues of all profiles, shared by the runs of a process."""

    def __init__(self) -> None:
        self._queues: dict[tuple[object, ...], ChatQueue] = {}

    def of(self, profile: ChatProfile) -> ChatQueue:
        """Give the queue of a profile; one that is told other limits meanwhile gets a new one."""
        whose = profile.key_from, profile.key_env
        limits = QueueLimits(profile.at_once, profile.requests_per_minute, profile.tokens_per_minute)
        key = profile.name, profile.provider, profile.base_url, profile.llm, *whose, limits
        queue = self._queues.get(key)
        if queue is None:
            queue = self._queues[key] = ChatQueue(limits)
        return queue


class QueuedClient:
    """A chat client that waits for its turn before each call; `rank` says how urgent its run is just now."""

    def __init__(
        self, client: ChatClient, queue: ChatQueue, line: Hashable, rank: Rank = interactive
    ) -> None:
        self._client = client
        self.queue = queue
        self._line = line
        self._rank = rank

    async def answer(
        self,
        request: ChatRequest,
        *,
        on_text: Callable[[str], None] | None = None,
        caller: Caller | None = None,
    ) -> ChatAnswer:
        """As the client's own, once it is this call's turn."""
        turn = self.queue.turn(self._line, guess_tokens(request), rank=self._rank, prefix=Prefix(request))
        async with turn as spent:
            answer = await self._client.answer(request, on_text=on_text, caller=caller)
            if answer.usage.total:
                spent.tokens = answer.usage.total
            return answer

    async def embed(self, request: EmbedRequest) -> EmbedAnswer:
        """As the client's own, once it is this call's turn."""
        if not isinstance(self._client, Embedder):
            raise UsageError("This chat profile gives no vectors.")
        tokens = -(-sum(map(len, request.texts)) // CHARACTERS)
        async with self.queue.turn(self._line, tokens, rank=self._rank) as spent:
            answer = await self._client.embed(request)
            if answer.usage.total:
                spent.tokens = answer.usage.total
            return answer

    async def close(self) -> None:
        """Release the client's connections."""
        await self._client.close()
