"""What factors do, alone and together: main effects and interactions of a full factorial design.

The effect of a level is by how much it scores above the first level of its factor, as the mean over all
combinations of the other factors, paired by row and repeat (Box, Hunter and Hunter 2005, chapter 5). Two
levels interact by how much larger the effect of the one is where the other is set (a difference of
differences, which is twice what Box, Hunter and Hunter call the interaction).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from statistics import fmean

from studio.experiments.experiment import Experiment, combined_name
from studio.experiments.statistics import ALPHA, Difference, Kind, Rows, difference, holm


@dataclass(frozen=True, slots=True)
class Effect:
    """What a level of a factor does beside the first; `chance` is corrected for all levels (Holm)."""

    factor: str
    level: str
    than: str
    difference: Difference
    chance: float

    @property
    def words(self) -> str:
        """The effect in a sentence."""
        found, pair = self.difference.interval, f"`{self.factor}`: `{self.level}` from `{self.than}`"
        if not found.is_told:
            return f"The data cannot tell {pair}."
        between = f"{found.in_points} points, p = {self.chance:.2g}"
        if self.chance >= ALPHA:
            return f"The data cannot tell {pair}: {between}."
        verb = "adds" if found.value > 0 else "takes"
        return f"`{self.factor}`: `{self.level}` {verb} {abs(100 * found.value):.1f} points ({between})."


@dataclass(frozen=True, slots=True)
class Interaction:
    """By how much the effect of one level is larger with a level of another factor than with its first.

    `one` and `other` are a factor, its level and the level beside which that stands; `chance` is corrected
    for all pairs of levels (Holm).
    """

    one: tuple[str, str, str]
    other: tuple[str, str, str]
    difference: Difference
    chance: float

    @property
    def is_sure(self) -> bool:
        """Whether the two do something together that is more than noise."""
        return self.difference.interval.is_told and self.chance < ALPHA

    @property
    def words(self) -> str:
        """The interaction in a sentence."""
        found, (factor, level, _), (name, other, first) = self.difference.interval, self.one, self.other
        pair = f"`{factor}`: `{level}` with `{name}`: `{other}`"
        if not found.is_told:
            return f"The data cannot tell whether {pair} do something together."
        between = f"{found.in_points} points, p = {self.chance:.2g}"
        if not self.is_sure:
            return f"The data cannot tell whether {pair} do something together: {between}."
        more = "more" if found.value > 0 else "less"
        return f"{pair} adds {abs(100 * found.value):.1f} points {more} than with `{first}` ({between})."


def effects_of(experiment: Experiment, scores: Mapping[str, Rows], kind: Kind) -> list[Effect]:
    """Tell the effect of each level, by the scores of each variant; without those that nothing was run of."""
    names = list(experiment.factors)
    told: dict[tuple[str, str], Difference] = {}
    for place, name in enumerate(names):
        levels = list(experiment.factors[name])
        by_level = {
            level: _mean_of_all(
                [scores[combined_name(one)] for one in experiment.combinations if one[place] == level]
            )
            for level in levels
        }
        for level in levels[1:]:
            if set(by_level[level]) & set(by_level[levels[0]]):
                told[name, level] = difference(by_level[level], by_level[levels[0]], kind, is_share=False)
    chances = holm({f"{name}\n{level}": one.chance for (name, level), one in told.items()})
    return [
        Effect(name, level, next(iter(experiment.factors[name])), one, chances[f"{name}\n{level}"])
        for (name, level), one in told.items()
    ]


def interactions_of(experiment: Experiment, scores: Mapping[str, Rows], kind: Kind) -> list[Interaction]:
    """Tell what each two levels of two factors do together, beside the first levels of both."""
    found: list[tuple[tuple[str, str, str], tuple[str, str, str], Difference]] = []
    for (place, name), (further, other) in combinations(enumerate(experiment.factors), 2):
        (first, *levels), (base, *others) = (list(experiment.factors[one]) for one in (name, other))
        for level, beside in product(levels, others):
            cells = {
                pair: _mean_of_all(
                    [
                        scores[combined_name(one)]
                        for one in experiment.combinations
                        if (one[place], one[further]) == pair
                    ]
                )
                for pair in product((first, level), (base, beside))
            }
            effects = [_apart(cells[level, at], cells[first, at]) for at in (beside, base)]
            if set(effects[0]) & set(effects[1]):
                told = difference(effects[0], effects[1], kind, is_share=False)
                found.append(((name, level, first), (other, beside, base), told))
    chances = holm({str(place): told.chance for place, (*_, told) in enumerate(found)})
    return [Interaction(*one, chances[str(place)]) for place, one in enumerate(found)]


def _apart(one: Rows, other: Rows) -> dict[str, list[float]]:
    """By how much one is above the other, by row and repeat, of what both have."""
    return {
        row: [a - b for a, b in zip(values, other[row], strict=False)]
        for row, values in one.items()
        if other.get(row)
    }


def _mean_of_all(variants: Sequence[Rows]) -> dict[str, list[float]]:
    """The mean over variants by row and repeat, of what all of them have."""
    first, *others = variants
    return {
        row: [fmean(each) for each in zip(values, *(one[row] for one in others), strict=False)]
        for row, values in first.items()
        if all(one.get(row) for one in others)
    }
