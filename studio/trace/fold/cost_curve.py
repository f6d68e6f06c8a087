"""What a run paid for, and when: tokens and money over time."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from studio.ids import StepId


class Payment(NamedTuple):
    """An answer that was paid for: seconds since the epoch, who asked, tokens, and US dollars."""

    time: float
    step: StepId
    tokens: int
    cost: float


class Spent(NamedTuple):
    """Tokens, and US dollars."""

    tokens: int = 0
    cost: float = 0.0


class Spending:
    """Payments of a run with their running totals; grows with it, and answers in logarithmic time."""

    def __init__(self) -> None:
        self._times: list[float] = []
        self._totals: list[Spent] = [Spent()]

    def update(self, paid: Sequence[Payment]) -> None:
        """Take in what was paid since the last call; `paid` has all payments so far, in order."""
        for one in paid[len(self._times) :]:
            before = self._totals[-1]
            # A clock that was set back does not let what was paid later come first.
            self._times.append(max(one.time, self._times[-1]) if self._times else one.time)
            self._totals.append(Spent(before.tokens + one.tokens, before.cost + one.cost))

    @property
    def total(self) -> Spent:
        """All that was paid so far."""
        return self._totals[-1]

    def until(self, time: float) -> Spent:
        """What was paid up to a time, that time included."""
        return self._totals[bisect_right(self._times, time)]

    def between(self, first: float, last: float) -> Spent:
        """What was paid from one time to another, both included."""
        before = self._totals[bisect_left(self._times, first)]
        after = self.until(last)
        if after.tokens < before.tokens:  # the times stand the other way round
            return Spent()
        return Spent(after.tokens - before.tokens, max(after.cost - before.cost, 0.0))
