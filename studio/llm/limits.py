"""How long an answer may take, how many bytes it may have, and how many tokens it may say it took."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields

from studio.errors import UsageError

MOST_COUNTED = 1 << 40
"""Tokens that are believed; a larger number could not be added up where runs are kept."""


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """Four clocks, in seconds, for one attempt at one answer.

    `connect` until the connection stands, `first_token` from the request to the first content,
    `idle` between two pieces of content (comments and empty chunks do not count), `total` for all.
    """

    connect: float = 10.0
    first_token: float = 120.0
    idle: float = 60.0
    total: float = 600.0

    @classmethod
    def from_mapping(cls, limits: Mapping[str, float]) -> "TimeLimits":
        """Read the limits that a chat profile names; raises `UsageError` for a wrong name or number."""
        known = [field.name for field in fields(cls)]
        for name, seconds in limits.items():
            if name not in known:
                message = f"`{name}` is not a time limit of a chat profile."
                raise UsageError(message, hint=f"The time limits are {', '.join(known)}.")
            # `bool` is an `int`, and YAML or JSON from a project may hold anything.
            is_number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)  # pyright: ignore[reportUnnecessaryIsInstance]
            if not is_number or not math.isfinite(seconds) or seconds <= 0:
                message = f"The time limit `{name}` is `{seconds}`."
                raise UsageError(message, hint="A time limit is a number of seconds above 0.")
        return cls(**{name: float(seconds) for name, seconds in limits.items()})


@dataclass(frozen=True, slots=True)
class ByteLimits:
    """What one line of a stream, and one answer as a whole, may weigh in bytes."""

    line: int = 1 << 20
    answer: int = 16 << 20


def read_count(value: object) -> int:
    """Read a number of tokens; what is none counts as 0."""
    return min(max(value, 0), MOST_COUNTED) if isinstance(value, int) else 0
