"""Items in layers: what was there when a memory was opened, and over it what the steps of a run changed."""

import array
import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from studio.sdk.items import Item, Items, MemoryPlace
from studio.trace.fold.memory_state import data_after_use


@dataclass(frozen=True, slots=True)
class Write:
    """A change of one item: it is put, removed (of which only the id counts), or of use (id and `at`)."""

    operation: Literal["put", "remove", "use"]
    item: Item
    why: str = ""


class Layer(Protocol):
    """The items as some of a run's steps see them: those of the layer beneath, with changes of its own."""

    @property
    def items(self) -> Items:
        """What is seen from here, now."""
        ...

    def apply(self, writes: Sequence[Write]) -> None:
        """Let writes take effect, in this order."""
        ...

    def clear(self) -> None:
        """Undo all writes that took effect in this layer."""
        ...

    def over(self, *, frozen: bool) -> "Layer":
        """Give a layer upon this one: `frozen` upon what is seen now, else upon what will be."""
        ...

    def close(self) -> None:
        """Let go of it, with all that was written there."""
        ...


class OpenedMemory(Protocol):
    """One memory for one run."""

    @property
    def root(self) -> Layer:
        """What all steps of the run see."""
        ...

    @property
    def version(self) -> int:
        """Which version of the project's it begins with; 0: none."""
        ...

    @property
    def count(self) -> int:
        """How many items that has."""
        ...

    @property
    def trouble(self) -> str:
        """What was wrong with its file, and what is done about it; empty: nothing."""
        ...

    def save(self, key: str, writes: Sequence[Write]) -> str:
        """Keep writes that took effect, if the memory lasts; gives what went wrong, in words.

        `key` names them for good: what was saved under it once is not saved again.
        """
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


class MemoryStores(Protocol):
    """Where memories are opened."""

    def open(self, place: MemoryPlace, *, run: str, version: int | None = None) -> OpenedMemory:
        """Open a memory as it is, or as it was in an earlier `version`.

        Raises `StepError` where there is one of another kind under its name. May take a while: not for an
        event loop.
        """
        ...


class PlainItems:
    """Items in a dictionary, for tests and for runs without a store; implements `studio.sdk.Items`."""

    def __init__(self, items: Iterable[Item] = ()) -> None:
        self._items: dict[str, Item] = {one.id: one for one in items}

    def __len__(self) -> int:
        """How many there are."""
        return len(self._items)

    def get(self, item_id: str) -> Item | None:
        """Give an item by its id."""
        found = self._items.get(item_id)
        return None if found is None else replace(found, vector=b"")

    def all(self) -> Sequence[Item]:
        """Give all of them, the oldest first."""
        return [replace(one, vector=b"") for one in self._items.values()]

    def nearest(self, vector: bytes, most: int) -> Sequence[tuple[Item, float]]:
        """Give those whose vectors are nearest; looks at each."""
        wanted = array.array("f", vector)
        found = [
            (replace(one, vector=b""), cosine(wanted, array.array("f", one.vector)))
            for one in self._items.values()
            if len(one.vector) == len(vector) > 0
        ]
        found.sort(key=lambda one: -one[1])
        return found[:most]

    def applied(self, writes: Iterable[Write]) -> "PlainItems":
        """Give the items with these changes."""
        made = PlainItems()
        made._items = dict(self._items)  # another of its own kind
        for write in writes:
            if write.operation == "put":
                made._items[write.item.id] = write.item
            elif write.operation == "use":
                if write.item.id in made._items:
                    made._items[write.item.id] = used_again(made._items[write.item.id], write.item.at)
            else:
                made._items.pop(write.item.id, None)
        return made


def used_again(item: Item, at: str) -> Item:
    """Give an item that was of use once more."""
    return replace(item, data=data_after_use(item.data, at))


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """Give the cosine between two vectors of the same length; 0 where one has no length."""
    size = math.sqrt(sum(map(operator.mul, one, one)) * sum(map(operator.mul, other, other)))
    return sum(map(operator.mul, one, other)) / size if size else 0.0


class PlainLayer:
    """A layer of plain items; implements `Layer`."""

    def __init__(self, base: "PlainItems | PlainLayer | None" = None) -> None:
        self._base = PlainItems() if base is None else base
        self._writes: list[Write] = []

    @property
    def items(self) -> PlainItems:
        """What is seen from here, now."""
        base = self._base.items if isinstance(self._base, PlainLayer) else self._base
        return base.applied(self._writes)

    def apply(self, writes: Sequence[Write]) -> None:
        """Let writes take effect."""
        self._writes.extend(writes)

    def clear(self) -> None:
        """Undo all writes."""
        self._writes.clear()

    def over(self, *, frozen: bool) -> "PlainLayer":
        """Give a layer upon this one."""
        return PlainLayer(self.items if frozen else self)

    def close(self) -> None:
        """Let go of nothing."""


class PlainMemory:
    """A memory that is forgotten with the run; implements `OpenedMemory`."""

    version = 0
    trouble = ""

    def __init__(self, items: Iterable[Item] = ()) -> None:
        known = PlainItems(items)
        self.count = len(known)
        self.root = PlainLayer(known)

    def save(self, key: str, writes: Sequence[Write]) -> str:
        """Keep nothing."""
        del key, writes
        return ""

    def close(self) -> None:
        """Let go of nothing."""


class PlainMemories:
    """Memories that are forgotten with the run, each begun with what is given by its name."""

    def __init__(self, items: Mapping[str, Sequence[Item]] | None = None) -> None:
        self._items = items or {}

    def open(self, place: MemoryPlace, *, run: str, version: int | None = None) -> PlainMemory:
        """Open one."""
        del run, version
        return PlainMemory(self._items.get(place.name, ()))
