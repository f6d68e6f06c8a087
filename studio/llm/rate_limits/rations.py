"""How much of a profile may be under way: the account of one process; `shared_rations.py` has that of all."""

from dataclasses import dataclass
from math import inf
from typing import Protocol

from studio.llm.rate_limits.rates import Rates, Spent


@dataclass(frozen=True, slots=True)
class QueueLimits:
    """What a profile bears: calls under way at a time, and calls and tokens in a minute; 0 for any number."""

    at_once: int = 0
    requests_per_minute: int = 0
    tokens_per_minute: int = 0

    @property
    def is_any(self) -> bool:
        """Whether there is any limit at all."""
        return bool(self.at_once or self.requests_per_minute or self.tokens_per_minute)


class Ration(Protocol):
    """Gives calls leave to begin, and is told when they end; `now` is in the loop's own seconds."""

    def begin(self, now: float, tokens: int, rank: int) -> Spent | float:
        """Count a call that begins now, or give the seconds until it is worth asking again.

        Infinity means: when a call has ended. `rank` is the priority of the call, 0 the first.
        """
        ...

    def end(self, spent: Spent) -> None:
        """Note that a call is over, and how many tokens it took."""
        ...

    def pause(self, now: float, seconds: float) -> None:
        """Let no call begin for so long, as the endpoint wants it."""
        ...

    def rest(self) -> None:
        """Note that nobody waits any more."""
        ...


class OwnRation:
    """The calls of this process; implements `Ration`."""

    def __init__(self, limits: QueueLimits) -> None:
        self._limits = limits
        self._rates = Rates(limits.requests_per_minute, limits.tokens_per_minute)
        self._working = 0
        self._paused_until = -inf

    def begin(self, now: float, tokens: int, rank: int) -> Spent | float:
        """Count a call, or say how long it has to wait."""
        del rank  # the lines of this process are in that order already
        wait = self.wait(now, tokens)
        if wait > 0:
            return wait
        self._working += 1
        return self._rates.begin(now, tokens)

    def wait(self, now: float, tokens: int) -> float:
        """Give the seconds until a call may begin, infinity until another ends."""
        if self._limits.at_once and self._working >= self._limits.at_once:
            return inf
        return max(self._rates.wait(now, tokens), self._paused_until - now)

    def end(self, spent: Spent) -> None:
        """Make room; what it took is known to the rates already."""
        del spent
        self._working -= 1

    def pause(self, now: float, seconds: float) -> None:
        """Let no call begin for so long."""
        self._paused_until = max(self._paused_until, now + seconds)

    def rest(self) -> None:
        """Nobody else is kept waiting by those who wait here."""
