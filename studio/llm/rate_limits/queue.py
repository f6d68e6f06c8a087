"""Turns at a language model: how many calls of one profile are under way at a time, and who comes next.

Runs that share a profile take turns: each waits in a line of its own, and the lines of one priority are
served one after the other (`lines.py`), so that a run with a thousand calls does not keep one with a single
call waiting. Whoever waits for a turn has begun nothing: the time limits of its call start when it gets one.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Hashable, Mapping
from contextlib import asynccontextmanager
from math import inf
from pathlib import Path

from studio.errors import ChatError, ChatRefusedError, UsageError
from studio.llm.client import Caller, ChatAnswer, ChatClient, ChatProfile, ChatRequest
from studio.llm.embeddings import EmbedAnswer, Embedder, EmbedRequest
from studio.llm.rate_limits.lines import Lines, Place, Priority
from studio.llm.rate_limits.prefixes import Prefix
from studio.llm.rate_limits.rates import CHARACTERS, Guesses, Spent, guess_tokens
from studio.llm.rate_limits.rations import OwnRation, QueueLimits, Ration
from studio.llm.rate_limits.shared_rations import SharedRation
from studio.llm.waits import used_up

Rank = Callable[[], Priority]

TOO_MANY = 429

LONGEST_PAUSE = 60.0
"""Seconds that calls wait because an endpoint wants it; after that they are told what it says."""


def interactive() -> Priority:
    """The priority of a run of which nothing else is said."""
    return Priority.INTERACTIVE


class ChatQueue:
    """The turns of one profile. Belongs to one event loop."""

    def __init__(self, limits: QueueLimits, ration: Ration | None = None) -> None:
        """Make it; `ration` says how many may be under way, by default of those that wait here alone."""
        self._ration = ration or OwnRation(limits)
        self.guesses = Guesses()
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
            self._end(spent)

    def pause(self, seconds: float) -> None:
        """Let no call of the profile begin for so long: its endpoint wants it."""
        if seconds > 0:
            self._ration.pause(asyncio.get_running_loop().time(), min(seconds, LONGEST_PAUSE))

    def heed(self, error: ChatError, wait: float = 0.0) -> None:
        """Let the whole profile wait where its endpoint is asked too much; `wait` is what its caller will."""
        if isinstance(error, ChatRefusedError) and (error.status == TOO_MANY or error.retry_after):
            self.pause(max(error.retry_after or 0.0, wait))

    def see(self, headers: Mapping[str, str]) -> None:
        """Wait for the endpoint's next minute where the headers of an answer say that this one is used up."""
        self.pause(used_up(headers))

    async def _take(self, line: Hashable, tokens: int, rank: Rank, prefix: Prefix | None) -> Spent:
        place = Place(line, asyncio.get_running_loop().create_future(), tokens, prefix)
        self._lines.join(place, rank)
        self._call_next()
        try:
            return await place.turn
        except asyncio.CancelledError:
            if place.turn.done() and not place.turn.cancelled():  # the turn came too late to be taken
                place.turn.result().tokens = 0
                self._end(place.turn.result())
            else:
                self._lines.leave(place)
                self._call_next()
            raise

    def _end(self, spent: Spent) -> None:
        self._working -= 1
        self._ration.end(spent)
        self._call_next()

    def _call_next(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        loop = asyncio.get_running_loop()
        has_waited = False
        while (place := self._lines.next(self._before)) is not None:
            if place.turn.cancelled():  # and has not woken up yet
                self._lines.leave(place)
                continue
            given = self._ration.begin(loop.time(), place.tokens, self._lines.rank(place))
            if not isinstance(given, Spent):  # nobody overtakes: else a large call would wait for ever
                if given < inf:
                    self._timer = loop.call_later(given, self._call_next)
                return
            self._lines.take(place)
            self._working += 1
            self._before = place.prefix
            place.turn.set_result(given)
            has_waited = True
        if has_waited:
            self._ration.rest()


class ChatQueues:
    """The queues of all profiles, shared by the runs of a process.

    With a file `shared`, what a profile bears is shared by the runs of all processes that name the same file.
    """

    def __init__(self, shared: Path | None = None) -> None:
        self._shared = shared
        self._queues: dict[tuple[object, ...], ChatQueue] = {}

    def of(self, profile: ChatProfile) -> ChatQueue:
        """Give the queue of a profile; one that is told other limits meanwhile gets a new one."""
        whose = profile.key_from, profile.key_env
        limits = QueueLimits(profile.at_once, profile.requests_per_minute, profile.tokens_per_minute)
        asked = profile.provider, profile.base_url, profile.llm, *whose
        key = profile.name, *asked, limits
        queue = self._queues.get(key)
        if queue is None:
            ration: Ration = OwnRation(limits)
            if self._shared is not None and limits.is_any and _is_outside(profile):
                ration = SharedRation(self._shared, " ".join(asked), limits)
            queue = self._queues[key] = ChatQueue(limits, ration)
        return queue


def _is_outside(profile: ChatProfile) -> bool:
    """Whether others may ask the same: scripts in process are each run's own."""
    return not profile.is_in_process


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
        guessed, guesses = guess_tokens(request), self.queue.guesses
        turn = self.queue.turn(self._line, guesses.of(guessed), rank=self._rank, prefix=Prefix(request))
        async with turn as spent, self._heeding():
            answer = await self._client.answer(request, on_text=on_text, caller=caller)
            if answer.usage.total:
                spent.tokens = answer.usage.total
            guesses.learn(guessed, answer.usage.total)
            return answer

    async def embed(self, request: EmbedRequest) -> EmbedAnswer:
        """As the client's own, once it is this call's turn."""
        if not isinstance(self._client, Embedder):
            raise UsageError("This chat profile does not support embeddings.")
        tokens = -(-sum(map(len, request.texts)) // CHARACTERS)
        async with self.queue.turn(self._line, tokens, rank=self._rank) as spent, self._heeding():
            answer = await self._client.embed(request)
            if answer.usage.total:
                spent.tokens = answer.usage.total
            return answer

    @asynccontextmanager
    async def _heeding(self) -> AsyncGenerator[None]:
        """Let the whole profile wait where its endpoint has said how long."""
        try:
            yield
        except ChatError as error:
            self.queue.heed(error)
            raise

    async def close(self) -> None:
        """Release the client's connections."""
        await self._client.close()
