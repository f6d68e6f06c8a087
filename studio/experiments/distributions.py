"""The distributions that statistics of experiments need; the home of scipy, which the extra `eval` brings."""

from collections.abc import Sequence
from typing import Any, cast

from studio.errors import UsageError
from studio.extras import missing_library

GRID = 801
"""Points at which the density of a random walk is known; odd, for the rule of Simpson."""

FLIPS = 9_999
"""Random patterns of signs by which a chance is found where there are too many to try all."""


class StatisticsMissingError(UsageError):
    """Intervals and tests need a library that is not installed; trials run and are scored without it."""


def t_quantile(share: float, degrees: float) -> float:
    """Give the quantile of Student's t, such as 2.26 of 0.975 at 9 degrees of freedom."""
    return float(_special().stdtrit(degrees, share))


def t_chance(value: float, degrees: float) -> float:
    """Give the chance of a t as far from 0 as this one, to either side."""
    return float(2 * _special().stdtr(degrees, -abs(value)))


def paired_power(effect: float, count: int, alpha: float = 0.05) -> float:
    """Give the power of a paired t-test: `effect` is the mean difference in standard deviations of one."""
    degrees, shift = count - 1, effect * count**0.5
    least = t_quantile(1 - alpha / 2, degrees)
    special = _special()
    above = 1 - float(special.nctdtr(degrees, shift, least))
    return above + float(special.nctdtr(degrees, shift, -least))


def sign_flip_chance(differences: Sequence[float]) -> float:
    """Give the chance of a mean as far from 0 as that of these where their signs are chance (two-sided).

    Exact where all differ from 0 by as much (the sign test; of single right and wrong answers: McNemar's
    exact test, 1947), and where the patterns are few; otherwise by as many random ones, the same each time
    (Phipson and Smyth 2010, as scipy's `permutation_test` counts them, which takes thirty times as long).
    """
    apart = [one for one in differences if abs(one) > 1e-12]
    if not apart:
        return 1.0
    special = _special()
    if max(map(abs, apart)) - min(map(abs, apart)) < 1e-12:
        fewer = min(sum(one > 0 for one in apart), sum(one < 0 for one in apart))
        return min(2 * float(special.bdtr(fewer, len(apart), 0.5)), 1.0)
    if 2 ** len(apart) > FLIPS:
        return _flipped_at_random(apart)
    from scipy import stats  # type: ignore[import-untyped]  # late: it takes a second

    found = cast("Any", stats).permutation_test(
        (apart,),
        _mean,
        permutation_type="samples",
        n_resamples=FLIPS,
        vectorized=True,
    )
    return float(found.pvalue)


def _flipped_at_random(apart: Sequence[float]) -> float:
    """The share of random patterns of signs with a sum as far out as that of these, these among them."""
    numeric = _numeric()
    values = numeric.asarray(apart)
    total, slack = values.sum(), 1e-12 * abs(values).sum()
    chance = numeric.random.default_rng(1)
    least, most, at_once = 0, 0, max(4_000_000 // len(apart), 1)
    for first in range(0, FLIPS, at_once):
        count = min(at_once, FLIPS - first)
        bits = numeric.unpackbits(chance.integers(0, 256, (count, -(-len(apart) // 8)), "uint8"), axis=1)
        sums = 2 * (bits[:, : len(apart)] @ values) - total
        least += int((sums <= total + slack).sum())
        most += int((sums >= total - slack).sum())
    return min(2 * (min(least, most) + 1) / (FLIPS + 1), 1.0)


def _mean(values: Any, axis: int) -> Any:
    return values.mean(axis=axis)


def _special() -> Any:
    try:
        from scipy import special  # type: ignore[import-untyped]
    except ImportError as error:
        message = "Intervals and comparisons need a library that is not installed."
        raise StatisticsMissingError(message, hint=missing_library("scipy")) from error
    return cast("Any", special)


def spending_bounds(shares: Sequence[float], spent: Sequence[float]) -> list[float]:
    """Give how far from 0 a standard normal has to be at each look, so that so much error is spent by then.

    `shares` are those of the information at each look, rising; `spent` the error, to both sides together.
    What was not decided goes on as a random walk, whose density is integrated from look to look (Armitage,
    McPherson and Rowe 1969).
    """
    special, numeric = _special(), _numeric()
    found: list[float] = []
    # Before the first look the walk is at 0 for certain.
    places, weights = numeric.zeros(1), numeric.ones(1)
    before = last = 0.0
    for share, until in zip(shares, spent, strict=True):
        deviation, scale = (share - last) ** 0.5, share**0.5
        bound = _crossed_by(until - before, places, weights, deviation, scale, special)
        found.append(bound)
        fresh = numeric.linspace(-bound * scale, bound * scale, GRID)
        apart = (fresh[:, None] - places[None, :]) / deviation
        density = numeric.exp(-(apart**2) / 2) @ weights / (deviation * (2 * numeric.pi) ** 0.5)
        places, weights = fresh, density * _simpson(GRID, 2 * bound * scale / (GRID - 1), numeric)
        before, last = until, share
    return found


def _crossed_by(gain: float, grid: Any, weights: Any, deviation: float, scale: float, special: Any) -> float:
    """Find beyond which bound a walk is with a chance of `gain`, by halving."""
    low, high = 0.0, 12.0
    for _ in range(60):
        bound = (low + high) / 2
        beyond = special.ndtr((grid - bound * scale) / deviation)
        if 2 * float(beyond @ weights) > gain:
            low = bound
        else:
            high = bound
    return high


def _simpson(count: int, step: float, numeric: Any) -> Any:
    weights = numeric.ones(count)
    weights[1:-1:2], weights[2:-1:2] = 4, 2
    return weights * step / 3


def normal_quantile(share: float) -> float:
    """Give the quantile of a standard normal, such as 1.96 of 0.975."""
    return float(_special().ndtri(share))


def normal_chance(value: float) -> float:
    """Give the chance of a standard normal as far from 0, to either side."""
    return float(2 * _special().ndtr(-abs(value)))


def _numeric() -> Any:
    import numpy as np  # comes with scipy

    return cast("Any", np)
