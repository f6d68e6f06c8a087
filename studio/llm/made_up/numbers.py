"""Numbers that a schema allows."""

from math import ceil, floor, isfinite

from studio.llm.made_up import schemas
from studio.llm.made_up.choices import Choices, NoFitError
from studio.llm.made_up.schemas import Schema


def number_of(part: Schema, drawn: int, choices: Choices, *, is_good: bool, is_whole: bool) -> float:
    """Make a number; `drawn` where nothing bounds it. Raises `NoFitError` where none is allowed.

    Between two bounds it is the upper one where verdicts are good, and else near the lower one.
    """
    low, high = schemas.bounds(part, is_whole=is_whole)
    step = part.get("multipleOf")
    if low is not None and high is not None:
        wanted = high if is_good else low + (high - low) / 4
    elif low is not None:
        wanted = low + drawn
    else:
        wanted = drawn if high is None else min(drawn, high)
    unit = step if isinstance(step, int | float) and step > 0 else 1 if is_whole else 0
    found: list[float] = []
    if unit:
        nearest = floor(wanted / unit)
        found += [unit * (nearest + away) for away in (0, -1, 1, -2, 2)]
        found += [unit * floor(high / unit)] if high is not None else []
        found += [unit * ceil(low / unit)] if low is not None else []
    else:
        found += [round(wanted, 4), wanted]
    found += [one for one in (high, low) if one is not None]
    if low is not None and high is not None:
        found.append((low + high) / 2)
    found += [0, 1, -1, 2]
    allowed = [
        one
        for one in found
        if isfinite(one)
        and (low is None or one >= low)
        and (high is None or one <= high)
        and (not is_whole or float(one).is_integer())
    ]
    if not allowed:
        raise NoFitError("no number is allowed there")
    taken = allowed[choices.pick(len(allowed))]
    return int(taken) if is_whole or float(taken).is_integer() else taken
