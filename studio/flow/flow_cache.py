"""What is made of flows, which never change, and kept with each for whoever comes with the very same one."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from studio.flow.records import Flow

T = TypeVar("T")

KEPT = 16
"""How much is kept with one flow: a plan, a verdict, a text … for each registry that looks at it."""


class Known(Generic[T]):
    """Remembers what `make` made of a flow and other objects, as long as there is that flow."""

    def __init__(self, make: Callable[..., T]) -> None:
        self._make = make

    def of(self, flow: Flow, *others: Any) -> T:
        """What `make` makes of the objects."""
        known = flow.known
        key = (id(self), *map(id, others))
        kept = known.pop(key, None)
        # Ids are given anew once their objects are gone, so the objects are kept as well.
        if kept is None:
            kept = (self, others), self._make(flow, *others)
            while len(known) >= KEPT:
                del known[next(iter(known))]
        known[key] = kept
        return kept[1]
