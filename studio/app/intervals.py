"""How sure shares of right answers are: of one flow, and of the difference of two that had the same problems.

Interval of a share: E. B. Wilson (1927). Interval of a paired difference: R. G. Newcombe (1998), method 10.
Test of a paired difference: Q. McNemar (1947), exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, sqrt
from statistics import NormalDist

Z = NormalDist().inv_cdf(0.975)
"""For 95 %."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure, and from where to where it may be, with 95 %."""

    value: float
    low: float
    high: float


def share(count: int, of: int) -> Interval:
    """Give the share of `count` in `of` trials, which are at least one."""
    found, slack = count / of, Z * Z / of
    middle = (found + slack / 2) / (1 + slack)
    reach = sqrt(found * (1 - found) * slack + slack * slack / 4) / (1 + slack)
    return Interval(found, max(middle - reach, 0.0), min(middle + reach, 1.0))


@dataclass(frozen=True, slots=True)
class Difference:
    """By how much more often one is right than the other; `chance`: of as much where neither is better."""

    interval: Interval
    chance: float


def difference(one: Sequence[bool], other: Sequence[bool]) -> Difference:
    """Compare whether `one` was right with whether `other` was, trial by trial."""
    pairs = list(zip(one, other, strict=True))
    both, only_one = pairs.count((True, True)), pairs.count((True, False))
    only_other, neither = pairs.count((False, True)), pairs.count((False, False))
    count = len(pairs)
    first, second = share(both + only_one, count), share(both + only_other, count)
    likeness = _likeness(both, only_one, only_other, neither)
    found = first.value - second.value
    down, up = first.value - first.low, first.high - first.value
    other_down, other_up = second.value - second.low, second.high - second.value
    below = sqrt(max(down**2 - 2 * likeness * down * other_up + other_up**2, 0.0))
    above = sqrt(max(up**2 - 2 * likeness * up * other_down + other_down**2, 0.0))
    return Difference(Interval(found, found - below, found + above), _exact(only_one, only_other))


def _likeness(both: int, only_one: int, only_other: int, neither: int) -> float:
    """How far the two were right together, corrected for few trials as Newcombe does."""
    rows = (both + only_one) * (only_other + neither) * (both + only_other) * (only_one + neither)
    if not rows:
        return 0.0
    found, half = both * neither - only_one * only_other, (both + only_one + only_other + neither) / 2
    if found > 0:
        found = max(found - half, 0.0)
    return found / sqrt(rows)


def _exact(only_one: int, only_other: int) -> float:
    """Give the chance that of the trials in which they differ so many or more fall to one side."""
    count = only_one + only_other
    tail = sum(comb(count, k) for k in range(min(only_one, only_other) + 1))
    return min(2 * tail / 2**count, 1.0)
