"""Variants at the same budget: the cheaper one may try again, as often as the dearer one's budget allows.

What so many tries come to is found by subsampling the repeats that were run: of each row, over all sets of so
many of its repeats (or many random ones), the answer that most of them give (self-consistency, Wang et al.
2023), and the best of them, which takes somebody who knows (pass@k, Chen et al. 2021). A budget of two and a
half tries is two tries half of the time, and three otherwise.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb, floor
from statistics import fmean
from typing import Literal, NamedTuple

from studio.experiments.statistics import Interval, Kind, Rows, bare_mean, difference, mean_of

SETS = 200
"""Sets of repeats that are looked at for a row, where there are more of them."""


class Try(NamedTuple):
    """One repeat of a row: what it scored, and its answer by content; empty where it gave none."""

    score: float
    answer: str


@dataclass(frozen=True, slots=True)
class EqualBudget:
    """The cheaper of two variants with as many tries as the dearer one's budget pays for.

    `difference` is by how much the variant of a comparison is then above its baseline, the cheaper of the two
    at the majority of its tries. All is None where too few repeats were run to tell.
    """

    unit: Literal["tokens", "cost"]
    cheaper: str
    tries: float
    majority: Interval | None
    best: float | None
    difference: Interval | None

    @property
    def words(self) -> str:
        """The same in a sentence."""
        said = f"At equal {self.unit}, `{self.cheaper}` has {self.tries:.1f} tries"
        if self.majority is None or self.best is None:
            return f"{said}: more repeats would tell what these are worth."
        between = ""
        if self.difference is not None:
            found = self.difference
            between = f"; the difference is then {100 * found.value:+.1f} points"
            between += f" ({found.in_points})" if found.is_told else ""
        return (
            f"{said}: the majority of them scores {self.majority.value:.3f}, "
            f"and the best of them {self.best:.3f}{between}."
        )


def at_equal_budget(
    cheap: Mapping[str, Sequence[Try]], dear: Rows, tries: float, kind: Kind
) -> tuple[Interval, float, Interval] | None:
    """Give what so many tries score by majority and by the best, and the difference of `dear` from it.

    By the rows that have as many repeats; None where none has. Raises `StatisticsMissingError` without scipy.
    """
    whole, rest = floor(tries + 0.05), tries - floor(tries + 0.05)
    parts = [(whole, 1 - rest), (whole + 1, rest)] if rest > 0.05 else [(whole, 1.0)]
    cheap = {row: found for row, found in cheap.items() if len(found) >= parts[-1][0]}
    majority: dict[str, list[float]] = {}
    best: dict[str, list[float]] = {}
    for row, found in cheap.items():
        majority[row] = [sum(share * _majority(found, count) for count, share in parts)]
        best[row] = [sum(share * _best(found, count) for count, share in parts)]
    means = {row: [fmean(values)] for row, values in dear.items() if row in majority and values}
    if not means:
        return None
    told = mean_of(majority, kind) if kind == "sample" else bare_mean(majority)
    return told, fmean(one for values in best.values() for one in values), _difference(means, majority, kind)


def _difference(dear: Rows, cheap: Rows, kind: Kind) -> Interval:
    if kind == "sample":
        return difference(dear, cheap, kind).interval
    return bare_mean({row: [values[0] - cheap[row][0]] for row, values in dear.items()})


def _majority(found: Sequence[Try], count: int) -> float:
    """What the answer of most of so many tries scores, over sets of them; among equals the first."""
    return fmean(_of_most([found[at] for at in places]) for places in _sets(len(found), count))


def _of_most(chosen: Sequence[Try]) -> float:
    votes: dict[str, int] = {}
    for _, answer in chosen:
        if answer:
            votes[answer] = votes.get(answer, 0) + 1
    most = max(votes, key=votes.__getitem__) if votes else ""
    scores = [score for score, answer in chosen if answer == most]
    return scores[0] if len(set(scores)) == 1 else fmean(scores)


def _best(found: Sequence[Try], count: int) -> float:
    """The highest score of so many tries, on average over all sets of them."""
    ordered = sorted((one.score for one in found), reverse=True)
    total = comb(len(ordered), count)
    left = len(ordered)
    return sum(
        score * comb(left - 1 - place, count - 1) / total
        for place, score in enumerate(ordered[: left - count + 1])
    )


@lru_cache(64)
def _sets(total: int, count: int) -> Sequence[tuple[int, ...]]:
    """The places of the tries of each set; all rows with as many repeats have the same."""
    if comb(total, count) <= SETS:
        return list(combinations(range(total), count))
    chance = random.Random(count)  # noqa: S311  # the same sets each time
    return [tuple(chance.sample(range(total), count)) for _ in range(SETS)]
