"""How far two who judge agree, and what rates are where a judge errs: against the labels of people.

Cohen's kappa (1960) with the large-sample variance of Fleiss, Cohen and Everitt (1969), here as the sum of
each trial's influence, so that trials of one row, which are alike, count as one piece of evidence. Rates are
corrected by prediction-powered inference (Angelopoulos et al. 2023), its weight chosen as in PPI++
(Angelopoulos, Duchi and Zrnic 2023): the judge's mean over all trials, and the mean of what people said
otherwise on those that they labelled. Nothing is assumed of how the judge errs, but that the labelled trials
were chosen without looking at what came of them. All intervals are of 95 %.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, sqrt
from statistics import fmean
from typing import NamedTuple

from studio.experiments.distributions import t_quantile
from studio.experiments.statistics import ALPHA, Interval, wilson

DOUBT = 0.5
"""So much of a label is held to say otherwise than the judge, for one without a fault so far may still err.

By simulation: 20 labels without a fault, of a judge who errs on 7 % of what is right, cover 88 % without it.
"""

MANY = 1e9
"""Degrees of freedom at which Student's t is the normal distribution."""


class Pair(NamedTuple):
    """What two say of one trial of a row, as the name of a category (`pass`, `fail`)."""

    row: str
    one: str
    other: str


@dataclass(frozen=True, slots=True)
class Confusion:
    """How often a judge passes and fails trials that people pass and fail."""

    both_pass: int
    judge_alone: int
    """The judge passes what people fail."""
    people_alone: int
    both_fail: int

    @property
    def count(self) -> int:
        """Of how many trials both said something."""
        return self.both_pass + self.judge_alone + self.people_alone + self.both_fail

    @property
    def sensitivity(self) -> Interval | None:
        """Of what people pass, the share that the judge passes; None where they pass nothing."""
        return _share(self.both_pass, self.both_pass + self.people_alone)

    @property
    def specificity(self) -> Interval | None:
        """Of what people fail, the share that the judge fails; None where they fail nothing."""
        return _share(self.both_fail, self.both_fail + self.judge_alone)


class Said(NamedTuple):
    """What a judge says of a trial, from 0 to 1, and what people say; None where they were not asked."""

    row: str
    judge: float
    people: float | None = None


def confusion_of(pairs: Iterable[Pair], passes: str) -> Confusion:
    """Count pairs whose first is the judge, where one category means that a trial passes."""
    counts: defaultdict[tuple[bool, bool], int] = defaultdict(int)
    for one in pairs:
        counts[one.one == passes, one.other == passes] += 1
    return Confusion(counts[True, True], counts[True, False], counts[False, True], counts[False, False])


def kappa(pairs: Sequence[Pair]) -> Interval | None:
    """Give Cohen's kappa; None where all say the same of everything, so that chance alone agrees as much.

    Its interval is infinite with fewer than two rows. Where the two agree in all, its lower end is that of
    Wilson's interval of a share of all rows, for a variance of 0 would claim certainty.
    """
    count = len(pairs)
    categories = sorted({name for one in pairs for name in (one.one, one.other)})
    first = {name: sum(one.one == name for one in pairs) / count for name in categories}
    second = {name: sum(one.other == name for one in pairs) / count for name in categories}
    by_chance = sum(first[name] * second[name] for name in categories)
    if not count or by_chance > 1 - 1e-12:
        return None
    agreed = sum(one.one == one.other for one in pairs) / count
    found = (agreed - by_chance) / (1 - by_chance)
    influence: defaultdict[str, float] = defaultdict(float)
    for one in pairs:
        apart = (one.one == one.other) - agreed
        chance = second[one.one] + first[one.other] - 2 * by_chance
        influence[one.row] += apart / (1 - by_chance) - (1 - agreed) * chance / (1 - by_chance) ** 2
    rows = len(influence)
    if rows < 2:
        return Interval(found, -inf, inf)
    quantile = t_quantile(1 - ALPHA / 2, rows - 1)
    if agreed == 1:
        least = wilson(1.0, rows, quantile).low
        return Interval(1.0, (least - by_chance) / (1 - by_chance), 1.0)
    reach = quantile * sqrt(_variance(list(influence.values()))) / count
    return Interval(found, max(found - reach, -1.0), min(found + reach, 1.0))


def corrected(said: Sequence[Said]) -> Interval | None:
    """Give the mean of what people would say of all trials, most of which only a judge has seen.

    None where fewer than two rows were labelled: nothing is known of how the judge errs.
    """
    labelled = [(one.row, one.judge, one.people) for one in said if one.people is not None]
    rows = len({row for row, _, _ in labelled})
    if rows < 2:
        return None
    whole = fmean(one.judge for one in said)
    seen, people = fmean(judge for _, judge, _ in labelled), fmean(told for _, _, told in labelled)
    every: defaultdict[str, float] = defaultdict(float)
    ours: defaultdict[str, float] = defaultdict(float)
    theirs: defaultdict[str, float] = defaultdict(float)
    for one in said:
        every[one.row] += (one.judge - whole) / len(said)
    for row, judge, told in labelled:
        ours[row] += (judge - seen) / len(labelled)
        theirs[row] += (told - people) / len(labelled)
    # The judge counts as far as it makes the figure surer: not at all where it says nothing of people.
    apart = {row: one - ours[row] for row, one in every.items()}
    scale = sum(one * one for one in apart.values())
    shared = sum(theirs[row] * one for row, one in apart.items())
    weight = min(max(-shared / scale, 0.0), 1.0) if scale > 1e-15 else 0.0
    parts = [theirs[row] + weight * one for row, one in apart.items()]
    found = people + weight * (whole - seen)
    variance = _variance(parts) + (DOUBT / (rows + 2)) ** 2
    found = min(max(found, 0.0), 1.0)
    spread = found * (1 - found)
    count = spread / variance if min(spread, variance) > 1e-15 else rows
    return wilson(found, count, t_quantile(1 - ALPHA / 2, rows - 1))


def _variance(parts: Sequence[float]) -> float:
    """Of a sum of influences, one for each row."""
    return sum(one * one for one in parts) * len(parts) / max(len(parts) - 1, 1)


def _share(found: int, count: int) -> Interval | None:
    return wilson(found / count, count, t_quantile(1 - ALPHA / 2, MANY)) if count else None
