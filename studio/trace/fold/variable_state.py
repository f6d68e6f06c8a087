"""Run variables: what a write does to one, and what all writes so far have made of them.

A write takes effect when its step finishes; inside an item of a map, when the item ends.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf, isfinite
from typing import Any, Final, Literal, TypeAlias

from studio.errors import StepError
from studio.trace.events import StateWritten
from studio.trace.events.values import Plain, Shown

Operation: TypeAlias = Literal["set", "append", "add", "merge"]
"""Put a value in, or at the end of a list; add it to a number, or put its fields into an object."""

NOTHING: Final[Mapping[str, Plain]] = {"append": [], "add": 0, "merge": {}}
"""What an operation begins with where nothing was written before."""

LEAST = -(2**63)
MOST = 2**64
"""Between which whole numbers can be kept."""

WANTED: Final = {"append": "a list", "add": "a number", "merge": "an object"}


def changed(name: str, before: Plain, operation: Operation, value: Plain) -> Plain:
    """Give what a variable becomes; None counts as nothing written.

    Raises `StepError` where it, or the value, is no list, number or object as the operation wants it.
    """
    if operation == "set":
        return value
    old: Any = NOTHING[operation] if before is None else before
    if not is_fit(operation, old):
        message = f"The variable `{name}` is not {WANTED[operation]}, so that nothing can be put to it."
        raise StepError(message, hint="`set` replaces a variable by anything.")
    if operation == "append":
        return [*old, value]
    if not is_fit(operation, value):
        message = f"What is put to the variable `{name}` is not {WANTED[operation]}."
        raise StepError(message, hint="`append` and `set` take anything.")
    return _added(name, old, value) if operation == "add" else {**old, **value}


def _added(name: str, old: float, value: float) -> float:
    """Add two numbers; no file can keep what is beyond all numbers."""
    try:
        total = old + value
        is_number = LEAST <= total < MOST if isinstance(total, int) else isfinite(total)
    except OverflowError:
        total, is_number = inf, False
    if not is_number:
        message = f"The variable `{name}` would become too large to store."
        raise StepError(message, hint="`set` it to a smaller number first.")
    return total


def is_fit(operation: Operation, value: Plain) -> bool:
    """Tell whether the operation can change a variable that is `value`."""
    if operation == "append":
        return isinstance(value, list)
    if operation == "merge":
        return isinstance(value, dict)
    return isinstance(value, int | float) and not isinstance(value, bool)


def written(before: Shown | None, write: StateWritten) -> Shown:
    """Give what a variable becomes, and of what it was made; raises `StepError` as `changed`."""
    data = changed(write.name, before.data if before is not None else None, write.operation, write.value.data)
    if before is None or write.operation == "set":
        return Shown(data, write.value.labels)
    return Shown(data, tuple(sorted({*before.labels, *write.value.labels})))


@dataclass(slots=True)
class VariablesState:
    """What the variables of a run are, as its entries tell; part of the fold."""

    known: dict[str, Shown] = field(default_factory=dict[str, Shown])

    def take(self, write: StateWritten) -> None:
        """Take in what takes effect for all."""
        with suppress(StepError):  # only a damaged file, or one that was cut short, says so
            self.known[write.name] = written(self.known.get(write.name), write)
