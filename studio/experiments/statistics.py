"""How sure figures of trials are: rows are the unit, and the repeats of a row are no rows of their own.

A figure is the mean of the means of its rows. Where the rows are a *sample* of others like them, it varies
with the rows: its variance is that of the rows' means (clusters of one stage; Miller, "Adding Error Bars to
Evals", 2024). Where the rows are *fixed*, it varies with the repeats within them alone. Shares get Wilson's
interval (1927) at the effective number of trials (Korn and Graubard 1998), so that 20 of 20 is not certain;
differences of shares the same by Newcombe's tenth method (1998), with the correlation of the two; all else
Student's t. Intervals are of 95 % unless said otherwise.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, comb, inf, sqrt
from statistics import fmean
from typing import Literal, NamedTuple

from studio.experiments.distributions import paired_power, sign_flip_chance, t_chance, t_quantile
from studio.trace.figures import counted

ALPHA = 0.05
POWER = 0.8

Rows = Mapping[str, Sequence[float]]
"""The values of a variant: by row, one for each repeat."""

Scores = Mapping[str, Mapping[str, Rows]]
"""By scorer, variant and row."""

Kind = Literal["sample", "fixed"]


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure, and from where to where it may be, with 95 %; infinite where the data say nothing of it."""

    value: float
    low: float
    high: float

    @property
    def is_told(self) -> bool:
        """Whether the data say anything of how sure it is."""
        return self.low > -inf and self.high < inf

    @property
    def in_points(self) -> str:
        """From where to where a difference of shares may be: `-3.0 to +5.0`."""
        return f"{100 * self.low:+.1f} to {100 * self.high:+.1f}"


@dataclass(frozen=True, slots=True)
class Difference:
    """By how much one is above the other, paired by row; `chance` of as much where neither is better.

    `deviation` is that of the rows' differences, from which the power of a comparison follows.
    """

    interval: Interval
    chance: float
    rows: int
    deviation: float


class Spread(NamedTuple):
    """A mean with its variance, and the degrees of freedom of that; none where the data cannot tell it."""

    mean: float
    variance: float
    degrees: float


def spread_of(rows: Rows, kind: Kind) -> Spread:
    """Give the mean of the rows' means, and how it varies; raises `ValueError` without any row."""
    means = [fmean(values) for values in rows.values()]
    count = len(means)
    mean = fmean(means)
    if kind == "sample":
        within = sum((one - mean) ** 2 for one in means)
        return Spread(mean, within / (count - 1) / count if count > 1 else inf, count - 1)
    if any(len(values) < 2 for values in rows.values()):
        return Spread(mean, inf, 0)
    parts = [
        (sum((one - middle) ** 2 for one in values) / (len(values) - 1) / len(values), len(values) - 1)
        for values, middle in zip(rows.values(), means, strict=True)
    ]
    total = sum(part for part, _ in parts)
    # Satterthwaite (1946); where nothing varies, all repeats tell of it.
    shares = sum(part**2 / degrees for part, degrees in parts)
    degrees = total**2 / shares if shares else sum(degrees for _, degrees in parts)
    return Spread(mean, total / count**2, degrees)


def mean_of(rows: Rows, kind: Kind = "sample", *, is_share: bool = True, alpha: float = ALPHA) -> Interval:
    """Give the mean with its interval of 1 - `alpha`; shares (scores from 0 to 1) keep within these.

    Raises `ValueError` without any row, and `StatisticsMissingError` without scipy.
    """
    spread = spread_of(rows, kind)
    if spread.variance == inf:
        return Interval(spread.mean, -inf, inf)
    quantile = t_quantile(1 - alpha / 2, spread.degrees)
    if is_share:
        return wilson(spread.mean, _effective(rows, kind, spread), quantile)
    reach = quantile * sqrt(spread.variance)
    return Interval(spread.mean, spread.mean - reach, spread.mean + reach)


def bare_mean(rows: Rows) -> Interval:
    """Give the mean alone: where there is no library that tells how sure it is."""
    return Interval(fmean(fmean(values) for values in rows.values()), -inf, inf)


def wilson(found: float, count: float, quantile: float) -> Interval:
    """Give the interval of a share of so many trials, at the quantile of 97.5 %."""
    slack = quantile * quantile / count
    middle = (found + slack / 2) / (1 + slack)
    reach = sqrt(max(found * (1 - found), 0.0) * slack + slack * slack / 4) / (1 + slack)
    return Interval(found, max(min(middle - reach, found), 0.0), min(max(middle + reach, found), 1.0))


def _effective(rows: Rows, kind: Kind, spread: Spread) -> float:
    """Of how many independent trials a share would vary as much."""
    trials = sum(len(values) for values in rows.values())
    least = len(rows) if kind == "sample" else trials
    if spread.variance <= 1e-15:
        return least
    found = spread.mean * (1 - spread.mean) / spread.variance
    if kind == "fixed":  # strata vary less than as many trials of one kind
        return found
    is_binary = all(one in (0.0, 1.0) for values in rows.values() for one in values)
    return min(found, trials) if is_binary else found


def difference(
    one: Rows, other: Rows, kind: Kind = "sample", *, is_share: bool = True, alpha: float = ALPHA
) -> Difference:
    """Compare two variants by the rows and repeats that both have; raises `ValueError` where there are none.

    The chance is that of a sign-flip test over rows, which with one repeat of right and wrong is McNemar's
    exact test; with fixed rows that of a t-test over repeats.
    """
    interval, spread, apart = paired(one, other, kind, is_share=is_share, alpha=alpha)
    means = [fmean(values) for values in apart.values()]
    deviation = sqrt(sum((each - spread.mean) ** 2 for each in means) / max(len(means) - 1, 1))
    if spread.variance == inf:
        chance = 1.0
    elif kind == "sample":
        chance = sign_flip_chance(means)
    elif spread.variance <= 1e-15:
        chance = sign_flip_chance([each for values in apart.values() for each in values])
    else:
        chance = t_chance(spread.mean / sqrt(spread.variance), spread.degrees)
    return Difference(interval, chance, len(apart), deviation)


def paired(
    one: Rows, other: Rows, kind: Kind, *, is_share: bool = True, alpha: float = ALPHA
) -> tuple[Interval, Spread, Mapping[str, Sequence[float]]]:
    """Give the difference of two variants with its interval, its spread, and the differences by row.

    Raises `ValueError` where the two have no row in common.
    """
    pairs = {row: list(zip(values, other[row], strict=False)) for row, values in one.items() if row in other}
    pairs = {row: values for row, values in pairs.items() if values}
    apart = {row: [a - b for a, b in values] for row, values in pairs.items()}
    spread = spread_of(apart, kind)
    if spread.variance == inf:
        return Interval(spread.mean, -inf, inf), spread, apart
    if is_share:
        ones = {row: [a for a, _ in values] for row, values in pairs.items()}
        others = {row: [b for _, b in values] for row, values in pairs.items()}
        first, second = spread_of(ones, kind), spread_of(others, kind)
        interval = mover(
            mean_of(ones, kind, alpha=alpha),
            mean_of(others, kind, alpha=alpha),
            _correlation(first, second, spread.variance),
        )
    else:
        reach = t_quantile(1 - alpha / 2, spread.degrees) * sqrt(spread.variance)
        interval = Interval(spread.mean, spread.mean - reach, spread.mean + reach)
    return interval, spread, apart


def mover(one: Interval, other: Interval, correlation: float) -> Interval:
    """Give the difference of two figures from their intervals, and how far they vary together.

    Newcombe's tenth method for paired shares (1998), as Zou and Donner have it for any (2008).
    """
    found = one.value - other.value
    down, up = one.value - one.low, one.high - one.value
    other_down, other_up = other.value - other.low, other.high - other.value
    below = sqrt(max(down**2 - 2 * correlation * down * other_up + other_up**2, 0.0))
    above = sqrt(max(up**2 - 2 * correlation * up * other_down + other_down**2, 0.0))
    return Interval(found, max(found - below, -1.0), min(found + above, 1.0))


def _correlation(one: Spread, other: Spread, variance: float) -> float:
    """How far two means vary together, given the variance of their difference."""
    scale = 2 * sqrt(one.variance * other.variance)
    if scale <= 1e-15:
        return 0.0
    return min(max((one.variance + other.variance - variance) / scale, -1.0), 1.0)


def holm(chances: Mapping[str, float]) -> dict[str, float]:
    """Correct the chances of several comparisons, so that one in twenty such sets misleads (Holm 1979)."""
    found: dict[str, float] = {}
    least = 0.0
    for place, name in enumerate(sorted(chances, key=lambda one: chances[one])):
        least = max(least, min(chances[name] * (len(chances) - place), 1.0))
        found[name] = least
    return {name: found[name] for name in chances}


def pass_at(count: int, right: int, tries: int) -> float:
    """Give the chance that one of so many tries is right, unbiased (Chen et al. 2021).

    Raises `ValueError` where there were fewer trials than tries.
    """
    if tries > count:
        message = f"{tries} tries cannot be told from {count}."
        raise ValueError(message)
    return 1 - comb(count - right, tries) / comb(count, tries)


def pass_all(count: int, right: int, tries: int) -> float:
    """Give the chance that all of so many tries are right (pass^k, Yao et al. 2024); as `pass_at`."""
    if tries > count:
        message = f"{tries} tries cannot be told from {count}."
        raise ValueError(message)
    return comb(right, tries) / comb(count, tries)


def detectable(deviation: float, rows: int) -> float:
    """Give the difference that is seen in 8 of 10 such experiments, by the deviation of rows' differences.

    Infinite for fewer than two rows.
    """
    if rows < 2:
        return inf
    low, high = 0.0, 1.0
    while paired_power(high, rows) < POWER:
        high *= 2
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if paired_power(middle, rows) < POWER else (low, middle)
    return high * deviation


def seen_words(rows: int, difference: float) -> str:
    """Say which difference (`detectable`) so many rows show; without the full stop."""
    return (
        f"With {counted(rows, 'row')}, a true difference of {100 * difference:.1f} points "
        "is found 8 times in 10"
    )


def rows_needed(wanted: float, deviation: float) -> int:
    """Give how many rows show a difference in 8 of 10 experiments; raises `ValueError` for none."""
    if wanted <= 0 or deviation <= 0:
        raise ValueError("A difference and a deviation are above 0.")
    effect = wanted / deviation
    low, high = 2, 2
    while paired_power(effect, high) < POWER:
        low, high = high, 2 * high
    while high - low > 1:
        middle = ceil((low + high) / 2)
        low, high = (middle, high) if paired_power(effect, middle) < POWER else (low, middle)
    return high
