"""The distributions that statistics of experiments need; the home of scipy, which the extra `eval` brings."""

from collections.abc import Sequence
from typing import Any, cast

from studio.errors import UsageError
from studio.extras import missing_library

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
    exact test, 1947), and where the patterns are few; otherwise by as many random ones, the same each time.
    """
    apart = [one for one in differences if abs(one) > 1e-12]
    if not apart:
        return 1.0
    special = _special()
    if max(map(abs, apart)) - min(map(abs, apart)) < 1e-12:
        fewer = min(sum(one > 0 for one in apart), sum(one < 0 for one in apart))
        return min(2 * float(special.bdtr(fewer, len(apart), 0.5)), 1.0)
    from scipy import stats  # type: ignore[import-untyped]  # late: it takes a second

    found = cast("Any", stats).permutation_test(
        (apart,),
        _mean,
        permutation_type="samples",
        n_resamples=FLIPS,
        vectorized=True,
        batch=max(1_000_000 // len(apart), 1),
        rng=1,
    )
    return float(found.pvalue)


def _mean(values: Any, axis: int) -> Any:
    return values.mean(axis=axis)


def _special() -> Any:
    try:
        from scipy import special  # type: ignore[import-untyped]
    except ImportError as error:
        message = "Intervals and comparisons need a library that is not installed."
        raise StatisticsMissingError(message, hint=missing_library("scipy")) from error
    return cast("Any", special)
