"""What memories are made of: items, and how a step reads and changes those of one memory."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from studio.flow.records import Json

Keep: TypeAlias = Literal["run", "project"]
"""How long a memory lasts: as long as the run, or in a file of the project."""

Purpose: TypeAlias = Literal["recall", "upkeep"]
"""Why a memory is read: for somebody, or to keep it in order (what to evict, what to sum up)."""


@dataclass(frozen=True, slots=True)
class Item:
    """Holds one thing that a memory keeps; kinds of memories make it in `remember`.

    `data` has what its kind of memory knows of it, `at` when it was written (ISO 8601) and `by` whom.
    `vector` (float32, little-endian, of length 1) is there where an item is put; items that are read come
    without.
    `labels` tell what it was made from, and are the runtime's to set.
    """

    id: str
    text: str
    data: Mapping[str, Json] = field(default_factory=dict[str, Json])
    at: str = ""
    by: str = ""
    vector: bytes = b""
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recalled:
    """Pairs an item with how well it fits (the higher, the better), and why, in one sentence.

    The `search` of a kind of memory returns it, and so does `recall`.
    """

    item: Item
    score: float = 0.0
    why: str = ""


class Items(Protocol):
    """Gives the items of a memory as they are now, in the order in which each was first put.

    `KeptItems.read` hands it to a `search`; nobody else sees it.
    """

    def __len__(self) -> int:
        """How many there are."""
        ...

    def get(self, item_id: str) -> Item | None:
        """Give an item by its id."""
        ...

    def all(self) -> Sequence[Item]:
        """Give all of them, the oldest first."""
        ...

    def nearest(self, vector: bytes, most: int) -> Sequence[tuple[Item, float]]:
        """Give those whose vectors are nearest, with the cosine between; the best first, ties by age.

        Items without a vector, or with one of another length, are left out.
        """
        ...


class KeptItems(Protocol):
    """Lets a step read and change one memory; `Context.memory` returns it to the functions of a memory node.

    What the step puts and removes it sees at once itself; for others it takes effect when the step finishes,
    and inside a map when the item ends, as run variables do.
    """

    def read(
        self,
        query: str,
        search: Callable[[Items], Sequence[Recalled]],
        *,
        purpose: Purpose = "recall",
    ) -> Sequence[Recalled]:
        """Look into the memory; what `search` finds is recorded, and is all that may be known of it.

        A replay is given what was found then, and does not call `search`, which therefore must neither wait
        nor ask anybody. `query` says in words what was looked for.
        """
        ...

    def put(self, item: Item, why: str = "") -> None:
        """Put an item in, in the place of the one that has its id, which keeps its age."""
        ...

    def remove(self, item_id: str, why: str = "") -> None:
        """Take an item out; `why` says for what reason: evicted, forgotten, summed up."""
        ...

    def use(self, item_id: str, at: str) -> None:
        """Count that an item was of use `at` a time (ISO 8601): its data has `uses`, and when it was `used`.

        Uses of steps that work at once add up; nothing else of the item changes, and what is gone stays so.
        """
        ...


@dataclass(frozen=True, slots=True)
class MemoryPlace:
    """Names a memory: those of one name, and one `keep`, are one memory, whichever node lends it.

    The node that lends the memory makes it of its settings.

    `kind` is the kind of node that keeps it, as `memory.vector`; a memory is opened by one kind only.
    """

    name: str
    kind: str
    keep: Keep = "run"
