"""What single factors do, over all that else was varied: main effects of a full factorial design.

The effect of a level is by how much it scores above the first level of its factor, as the mean over all
combinations of the other factors, paired by row and repeat (Box, Hunter and Hunter 2005, chapter 5).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from studio.experiments.experiment import Experiment
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
        between = f"{100 * found.low:+.1f} to {100 * found.high:+.1f} points, p = {self.chance:.2g}"
        if self.chance >= ALPHA:
            return f"The data cannot tell {pair}: {between}."
        verb = "adds" if found.value > 0 else "takes"
        return f"`{self.factor}`: `{self.level}` {verb} {abs(100 * found.value):.1f} points ({between})."


def effects_of(experiment: Experiment, scores: Mapping[str, Rows], kind: Kind) -> list[Effect]:
    """Tell the effect of each level, by the scores of each variant; without those that nothing was run of."""
    names = list(experiment.factors)
    told: dict[tuple[str, str], Difference] = {}
    for place, name in enumerate(names):
        levels = list(experiment.factors[name])
        by_level = {
            level: _mean_of_all(
                [scores[" + ".join(one)] for one in experiment.combinations if one[place] == level]
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


def _mean_of_all(variants: Sequence[Rows]) -> dict[str, list[float]]:
    """The mean over variants by row and repeat, of what all of them have."""
    first, *others = variants
    return {
        row: [fmean(each) for each in zip(values, *(one[row] for one in others), strict=False)]
        for row, values in first.items()
        if all(one.get(row) for one in others)
    }
