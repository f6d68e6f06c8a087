"""Which calls of tools were made, and how many of those that are wanted are among them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from nodes.check.score.likeness import has_all
from studio.sdk import Message, StepError

MOST_WANTED = 300
"""Calls that may be wanted: with more, comparing would take too long."""

MOST_MADE = 3000
"""Calls that are compared with them."""


@dataclass(frozen=True, slots=True)
class Called:
    """A call: the tool, and what it was given; None wants no arguments in particular."""

    name: str
    arguments: Mapping[str, Any] | None = field(default=None)


def calls_in(value: Any) -> list[Called]:
    """The calls in a message, in messages, or in a list of names, or of objects; raises `StepError`."""
    found: list[Called] = []
    for one in cast("Sequence[Any]", value if isinstance(value, list | tuple) else [value]):
        if isinstance(one, Message):
            found += [Called(call.name, read_arguments(call.arguments)) for call in one.tool_calls]
        elif isinstance(one, str):
            found.append(Called(one))
        elif isinstance(one, Mapping):
            found += calls_of(cast("Mapping[str, Any]", one))
        else:
            message = "Calls must be messages, names of tools, or objects with `name` and `arguments`."
            raise StepError(message, hint="Wire the messages of an agent, or a list of calls.")
    return found


def calls_of(plain: Mapping[str, Any]) -> list[Called]:
    """The calls of a message that is JSON, or the one call that an object is."""
    if "role" in plain:
        called = plain.get("tool_calls")
        return calls_in(called) if isinstance(called, list) else []
    if isinstance(plain.get("function"), Mapping):  # as endpoints write calls
        plain = plain["function"]
    given = plain.get("arguments")
    return [Called(str(plain.get("name", "")), None if given is None else read_arguments(given))]


def read_arguments(given: Any) -> Mapping[str, Any]:
    """The arguments, perhaps as the text that language models write; what is no object is none."""
    try:
        read = json.loads(given) if isinstance(given, str) else given
    except (ValueError, RecursionError):
        return {}
    return cast("Mapping[str, Any]", read) if isinstance(read, Mapping) else {}


def calls_score(
    made: Sequence[Called],
    wanted: Sequence[Called],
    *,
    in_order: bool,
    extra_calls: bool,
    tolerance: float = 0,
) -> tuple[float, list[str]]:
    """The share of the wanted calls that were made, less where others may not be; and what is wrong.

    Nothing wanted, and nothing made that may not be, is 1. Raises `StepError` for more than can be compared.
    """
    if len(wanted) > MOST_WANTED or len(made) > MOST_MADE:
        message = f"{len(made):,} calls cannot be compared with {len(wanted):,} expected ones."
        raise StepError(
            message, hint=f"At most {MOST_MADE:,} calls and {MOST_WANTED} expected ones are compared."
        )
    fits = [[is_wanted(one, goal, tolerance) for one in made] for goal in wanted]
    found = matched_in_order(fits, len(made)) if in_order else matched(fits, len(made))
    faults = [
        f"`{goal.name}` was not called as expected." for at, goal in enumerate(wanted) if at not in found
    ]
    others = [one for at, one in enumerate(made) if at not in found.values()]
    if not extra_calls:
        faults += [f"`{one.name}` was called, but is not expected." for one in others]
    total = len(wanted) + (0 if extra_calls else len(others))
    return (len(found) / total if total else 1.0), faults


def is_wanted(made: Called, wanted: Called, tolerance: float) -> bool:
    """Whether a call is the one that is wanted, with its arguments and perhaps more."""
    if made.name != wanted.name:
        return False
    given = dict(made.arguments or {})
    return wanted.arguments is None or has_all(given, dict(wanted.arguments), tolerance)


def matched_in_order(fits: Sequence[Sequence[bool]], width: int) -> dict[int, int]:
    """As many pairs as there can be, of which none crosses another: a longest common subsequence."""
    best = [[0] * (width + 1) for _ in range(len(fits) + 1)]
    for row in reversed(range(len(fits))):
        for at in reversed(range(width)):
            paired = best[row + 1][at + 1] + 1 if fits[row][at] else 0
            best[row][at] = max(paired, best[row + 1][at], best[row][at + 1])
    found: dict[int, int] = {}
    row = at = 0
    while row < len(fits) and at < width:
        if fits[row][at] and best[row][at] == best[row + 1][at + 1] + 1:
            found[row] = at
            row, at = row + 1, at + 1
        elif best[row][at] == best[row + 1][at]:
            row += 1
        else:
            at += 1
    return found


def matched(fits: Sequence[Sequence[bool]], width: int) -> dict[int, int]:
    """As many pairs as there can be, in any order: each augmenting path adds one (Kuhn's algorithm)."""
    owner: dict[int, int] = {}

    def place(row: int, seen: set[int]) -> bool:
        """Find a call for a wanted one, moving others where need be."""
        for at in range(width):
            if fits[row][at] and at not in seen:
                seen.add(at)
                if at not in owner or place(owner[at], seen):
                    owner[at] = row
                    return True
        return False

    for row in range(len(fits)):
        place(row, set())
    return {row: at for at, row in owner.items()}
