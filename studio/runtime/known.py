"""What is made of values that never change, such as flows, and kept for whoever comes with the same ones."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")

KEPT = 16
"""How many are kept."""


class Known(Generic[T]):
    """Remembers what `make` made of the very same objects; those used least lately are forgotten."""

    def __init__(self, make: Callable[..., T]) -> None:
        self._make = make
        self._kept: dict[tuple[int, ...], tuple[tuple[Any, ...], T]] = {}

    def of(self, *given: Any) -> T:
        """What `make` makes of the objects."""
        key = tuple(map(id, given))
        kept = self._kept.pop(key, None)
        # Ids are given anew once their objects are gone, so the objects are kept as well.
        if kept is None:
            kept = given, self._make(*given)
            while len(self._kept) >= KEPT:
                del self._kept[next(iter(self._kept))]
        self._kept[key] = kept
        return kept[1]
