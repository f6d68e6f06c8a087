"""Ending early when the question is decided, with the error rate held: group-sequential looks.

The error is spent over the looks as Lan and DeMets (1983) have it, by the functions that come near to the
bounds of O'Brien and Fleming (1979) or of Pocock (1977). At each look a comparison has a level of its own:
one whose chance is below it is decided, and so is one whose interval at that level (a repeated confidence
interval, Jennison and Turnbull 1989) leaves no difference that matters. Several comparisons share the error
(Bonferroni). The information at a look is the share of rows and repeats that are over: further repeats of the
same rows tell less than that, so that looks are more alike than is assumed, and less error is made.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, e, log
from typing import Literal

from studio.experiments.distributions import normal_chance, normal_quantile, spending_bounds
from studio.experiments.statistics import ALPHA, Difference, Kind, Rows, difference

Spending = Literal["obrien-fleming", "pocock"]


@dataclass(frozen=True, slots=True)
class Look:
    """One of the moments at which it is asked whether the question is decided.

    It comes after so many pairs of row and repeat; `level` is the error that one comparison may make at it.
    """

    number: int
    of: int
    pairs: int
    of_pairs: int
    level: float
    is_end: bool = False
    """Whether the experiment ended here, before all was run."""

    def scaled(self, chance: float) -> float:
        """Give a chance so that it is below 5 % exactly where it is below the level of this look."""
        return min(chance * ALPHA / self.level, 1.0)

    @property
    def words(self) -> str:
        """Say whether a rule ended the experiment here, and what that does to its intervals."""
        where = f"look {self.number} of {self.of}, {self.pairs} of {self.of_pairs} rows and repeats"
        kept = f"differences have intervals of {confidence(self.level)}, which hold at all looks"
        if self.is_end:
            return f"It ended early at {where}: the question was decided; {kept}."
        return f"A sequential rule is in force ({where}): {kept}."


def confidence(level: float) -> str:
    """Write how sure intervals of an error of `level` are: `95 %`."""
    said = f"{100 * (1 - level):.4g}"
    return "over 99.99 %" if said == "100" else f"{said} %"


@lru_cache(16)  # a report asks several times, and the integration takes a third of a second for 20 looks
def looks_at(pairs: int, looks: int, spending: Spending, comparisons: int) -> Sequence[Look]:
    """Give the looks of an experiment of so many pairs of row and repeat, the last at its end.

    Raises `StatisticsMissingError` without scipy.
    """
    places = sorted({ceil(number * pairs / looks) for number in range(1, looks + 1)})
    shares = [place / pairs for place in places]
    alpha = ALPHA / max(comparisons, 1)
    bounds = spending_bounds(shares, [spent_by(share, alpha, spending) for share in shares])
    return tuple(
        Look(number, len(places), place, pairs, normal_chance(bound))
        for number, (place, bound) in enumerate(zip(places, bounds, strict=True), 1)
    )


def spent_by(share: float, alpha: float, spending: Spending) -> float:
    """Give the error, of `alpha` in all and to both sides, that is spent at a share of the information."""
    if spending == "pocock":
        return alpha * log(1 + (e - 1) * share)
    return min(2 * normal_chance(normal_quantile(1 - alpha / 4) / share**0.5), alpha)


def decided(one: Rows, other: Rows, kind: Kind, look: Look, within: float | None) -> bool:
    """Whether a comparison is decided at a look: which is better, or that none is by as much as `within`."""
    if not set(one) & set(other):
        return False
    found = difference(one, other, kind, alpha=look.level)
    return found.chance < look.level or is_alike(found, within)


def is_alike(found: Difference, within: float | None) -> bool:
    """Whether a difference of as much as `within` is ruled out."""
    interval = found.interval
    return within is not None and -within < interval.low and interval.high < within


def least_scaled(looks: Sequence[Look], chances: Sequence[float]) -> float:
    """Give the chance of a comparison over all looks so far, each scaled by its level."""
    return min((look.scaled(chance) for look, chance in zip(looks, chances, strict=True)), default=1.0)
