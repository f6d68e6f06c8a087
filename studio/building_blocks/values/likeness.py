"""How like one JSON value is to another: place by place, with numbers that may differ by a little."""

from typing import Any

from studio.building_blocks.values.json_kinds import is_list, is_number, is_object
from studio.sdk import Json


def is_alike(a: Any, b: Any, tolerance: float = 0) -> bool:
    """Whether two values are the same JSON, numbers within `tolerance`; 1 and true are not."""
    if is_number(a) and is_number(b):
        return is_near(a, b, tolerance)
    if is_list(a) and is_list(b):
        return len(a) == len(b) and all(is_alike(one, b[at], tolerance) for at, one in enumerate(a))
    if is_object(a) and is_object(b):
        return a.keys() == b.keys() and all(is_alike(one, b[name], tolerance) for name, one in a.items())
    return type(a) is type(b) and a == b


def is_near(a: float, b: float, tolerance: float) -> bool:
    """Whether two numbers are no further apart than that; of the largest, whether they are the same."""
    try:
        return a == b or abs(a - b) <= tolerance
    except OverflowError:  # a whole number that is larger than any other can be
        return False


def has_all(whole: Json, part: Json, tolerance: float = 0) -> bool:
    """Whether `whole` is `part` with, perhaps, more fields and longer lists."""
    if is_object(whole) and is_object(part):
        return all(name in whole and has_all(whole[name], one, tolerance) for name, one in part.items())
    if is_list(whole) and is_list(part):
        return len(whole) >= len(part) and all(
            has_all(whole[at], one, tolerance) for at, one in enumerate(part)
        )
    return is_alike(whole, part, tolerance)


def leaves(value: Json, place: str = "") -> dict[str, Json]:
    """What stands at the ends of a value, by place (`birds[0].name`); empty objects and lists are ends."""
    found: dict[str, Json] = {}
    if is_object(value):
        for name, one in value.items():
            said = f'"{name}"' if set(name) & set('."[]') or not name else name
            found |= leaves(one, f"{place}.{said}" if place else said)
    elif is_list(value):
        for at, one in enumerate(value):
            found |= leaves(one, f"{place}[{at}]")
    return found or {place: value}
