"""What a scorer says of a trial."""

from collections.abc import Mapping
from typing import NamedTuple

from studio.flow.records import Json

UNSCORED = "It could not be scored: "
"""Begins the reason of a scorer that failed."""


class Score(NamedTuple):
    """What a scorer says of a trial: from 0 to 1, whether that is enough, and why.

    `score` is None where it could not say, for the reason. `cost` in US dollars and `tokens` are its own.
    """

    score: float | None
    ok: bool | None = None
    reason: str = ""
    run: str = ""
    cost: float = 0.0
    tokens: int = 0


def score_of(outputs: Mapping[str, Json]) -> Score:
    """Read what a scorer's flow gave."""
    ok, score = outputs.get("ok"), outputs.get("score")
    if isinstance(score, bool) or not isinstance(score, int | float):
        if not isinstance(ok, bool):
            return Score(None, None, "It gave neither a score nor a verdict.")
        score = float(ok)
    return Score(float(score), ok if isinstance(ok, bool) else score >= 1, str(outputs.get("reason") or ""))
