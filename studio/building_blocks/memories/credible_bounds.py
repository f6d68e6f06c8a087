"""How good something is at least, by what it achieved: Bayesian bounds on a mean of scores from 0 to 1."""

import math
from collections.abc import Sequence
from functools import lru_cache


def lower_bound(scores: Sequence[float], probability: float = 0.95) -> float:
    """So high is the mean at least, with this probability, after these scores.

    A score counts as that much of a success, and as the rest of a failure; before any, every mean from 0 to 1
    is as likely as any other (a beta distribution begun at 1 and 1).
    """
    won = math.fsum(scores)
    return beta_quantile(1 - probability, 1 + won, 1 + len(scores) - won)


@lru_cache(maxsize=4096)
def beta_quantile(probability: float, a: float, b: float) -> float:
    """Below which number a beta distribution is with this probability; to eight places."""
    low, high = 0.0, 1.0
    for _ in range(28):
        middle = (low + high) / 2
        if beta_below(middle, a, b) < probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def beta_below(x: float, a: float, b: float) -> float:
    """How probable it is that a beta distribution is below `x` (the regularised incomplete beta function)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    log = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    if x < (a + 1) / (a + b + 2):
        return math.exp(log) * _fraction(x, a, b) / a
    return 1 - math.exp(log) * _fraction(1 - x, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    """Its continued fraction, by Lentz's method (DLMF 8.17.22)."""
    tiny, c, d = 1e-300, 1.0, 1 / (1 - (a + b) * x / (a + 1) or 1e-300)
    found = d
    for m in range(1, 500):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for part in (even, odd):
            d = 1 / (1 + part * d or tiny)
            c = 1 + part / c or tiny
            found *= c * d
        if abs(c * d - 1) < 1e-12:
            break
    return found
