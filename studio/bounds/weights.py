"""How heavy a value is: the characters, elements and digits that it would have if it were written down."""

from collections.abc import Iterable
from typing import Any, Final, cast

from studio.errors import ToolError

LARGEST: Final = 256 * 2**20
"""How many characters one value of a run may have, about; what is larger belongs in a file."""

HEAVIEST: Final = 10_000_000
"""How heavy all that one formula or one template makes may be together."""

WHOLES: Final = frozenset({list, tuple, dict})
"""Types of what holds other values."""

_SHORT: Final = 10**18
"""Whole numbers between this and its negative weigh no more than any other element."""


def refuse_larger(size: int) -> None:
    """Raise `ToolError` where what is about to be made would be larger than a value may be."""
    if size > LARGEST:
        message = f"What it makes is larger than {LARGEST >> 20} MiB."
        raise ToolError(message, hint="Let it have less to put together.")


class Room:
    """What may still be made."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = HEAVIEST

    def take(self, weight: int) -> None:
        """Use some of it up; raises `OverflowError` where there is not as much."""
        self.left -= weight
        if self.left < 0:
            raise OverflowError("it grows too large")


def weigh(value: object, most: int = HEAVIEST) -> int:
    """Tell the weight of `value`, counting no further than to something above `most`.

    A value that stands in several places weighs as often: what is written down has it as often.
    """
    if type(value) not in WHOLES:
        return 1 + _own(value)
    total = 1
    waiting: list[Any] = [value]
    while waiting and total <= most:
        whole = waiting.pop()
        total += len(whole)
        if total > most:
            break
        total += _counted(whole, waiting)
        if isinstance(whole, dict):
            total += _counted(cast("dict[object, object]", whole).values(), waiting)
    return total


def _counted(parts: Iterable[object], waiting: list[Any]) -> int:
    """Add up what texts and numbers weigh beside their places; what holds more is left to be looked at."""
    total = 0
    for part in parts:
        if type(part) in WHOLES:
            waiting.append(part)
        else:
            total += _own(part)
    return total


def _own(value: object) -> int:
    """What a single value weighs beside its place."""
    if type(value) is str:
        return len(value)
    if type(value) is int and not -_SHORT < value < _SHORT:
        return value.bit_length() // 3
    return 0
