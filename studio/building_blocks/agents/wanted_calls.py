"""Which calls of tools were made, and how many of those that are wanted are among them."""

from collections.abc import Sequence

from studio.building_blocks.agents.made_calls import Called
from studio.building_blocks.values.likeness import has_all
from studio.sdk import StepError

MOST_WANTED = 300
"""Calls that may be wanted: with more, comparing would take too long."""

MOST_MADE = 3000
"""Calls that are compared with them."""


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
