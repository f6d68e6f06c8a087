"""What the steps of a run see of a memory: items in dictionaries, and layers of changes over them."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from studio.sdk.item_layers import Write, used_again
from studio.sdk.items import Item
from studio.store.memories.vectors import HeldVector, Vectors, can_be_found


class Entry(NamedTuple):
    """An item without its vector, and where that is held."""

    item: Item
    held: HeldVector | None

    def used(self, at: str) -> "Entry":
        """The same, once more of use."""
        return self._replace(item=used_again(self.item, at))


class SeenItems:
    """The items as they were seen at one moment; never changed. Implements `studio.sdk.Items`."""

    def __init__(self, entries: dict[str, Entry], vectors: Vectors) -> None:
        self.entries = entries
        self._vectors = vectors

    @classmethod
    def of(cls, items: Iterable[Item], vectors: Vectors) -> "SeenItems":
        """Begin with these."""
        return cls({one.item.id: one for one in entries_of(list(items), vectors)}, vectors)

    def __len__(self) -> int:
        """How many there are."""
        return len(self.entries)

    def get(self, item_id: str) -> Item | None:
        """Give an item by its id."""
        found = self.entries.get(item_id)
        return None if found is None else found.item

    def all(self) -> Sequence[Item]:
        """Give all of them, the oldest first."""
        return [one.item for one in self.entries.values()]

    def nearest(self, vector: bytes, most: int) -> Sequence[tuple[Item, float]]:
        """Give those whose vectors are nearest."""
        if not can_be_found(vector):
            alike = (item for item, held in self.entries.values() if held and held.size == len(vector))
            return [(item, 0.0) for item in islice(alike, max(most, 0))]
        found = self._vectors.nearest(vector, most, self._sees)
        if len({cosine for _, cosine in found}) < len(found):
            ages = {item_id: age for age, item_id in enumerate(self.entries)}
            found.sort(key=lambda one: (-one[1], ages[one[0]]))
        return [(self.entries[item_id].item, cosine) for item_id, cosine in found[:most]]

    def _sees(self, item_id: str, row: int) -> bool:
        entry = self.entries.get(item_id)
        return entry is not None and entry.held is not None and entry.held.row == row


class _Change(NamedTuple):
    """What became of an item: it is there now (None: gone); `is_new` whether it begins to age anew."""

    entry: Entry | None
    is_new: bool


class StoredLayer:
    """Changes over what is seen beneath; implements `studio.sdk.item_layers.Layer`."""

    def __init__(self, below: "StoredLayer | SeenItems", vectors: Vectors) -> None:
        self._below = below
        self._vectors = vectors
        self._changes: dict[str, _Change] = {}
        self._known: tuple[SeenItems, SeenItems] | None = None
        self._uses: dict[str, list[str]] = {}
        """When items beneath were of use, which may yet change there."""
        self._since: list[tuple[str, Entry | str | None]] = []

    @property
    def items(self) -> SeenItems:
        """What is seen from here, now."""
        below = self._below if isinstance(self._below, SeenItems) else self._below.items
        if self._known is None or self._known[0] is not below:
            self._known = below, self._seen_over(below)
        elif self._since:
            self._known = below, self._seen_since(self._known[1])
        self._since.clear()
        return self._known[1]

    def apply(self, writes: Sequence[Write]) -> None:
        """Let writes take effect, in this order."""
        puts = [one.item for one in writes if one.operation == "put"]
        entries = iter(entries_of(puts, self._vectors))
        for write in writes:
            entry = next(entries) if write.operation == "put" else None
            if write.operation == "use":
                self._use(write.item.id, write.item.at)
            else:
                self._change(write.item.id, entry)
            if self._known is not None:
                self._since.append((write.item.id, write.item.at if write.operation == "use" else entry))

    def clear(self) -> None:
        """Undo all writes that took effect in this layer."""
        self._changes.clear()
        self._uses.clear()
        self._since.clear()
        self._known = None

    def over(self, *, frozen: bool) -> "StoredLayer":
        """Give a layer upon this one."""
        return StoredLayer(self.items if frozen else self, self._vectors)

    def close(self) -> None:
        """Let go of what was written."""
        self.clear()

    def _use(self, item_id: str, at: str) -> None:
        own = self._changes.get(item_id)
        if own is None:
            self._uses.setdefault(item_id, []).append(at)
        elif own.entry is not None:
            self._changes[item_id] = own._replace(entry=own.entry.used(at))

    def _change(self, item_id: str, entry: Entry | None) -> None:
        self._uses.pop(item_id, None)
        before = self._changes.get(item_id)
        if before is None or (entry is not None and before.entry is not None):
            is_new = before is not None and before.is_new
        else:
            del self._changes[item_id]
            is_new = entry is not None
        self._changes[item_id] = _Change(entry, is_new)

    def _seen_since(self, seen: SeenItems) -> SeenItems:
        entries = dict(seen.entries)
        for item_id, entry in self._since:
            if isinstance(entry, str):
                if item_id in entries:
                    entries[item_id] = entries[item_id].used(entry)
            elif entry is None:
                entries.pop(item_id, None)
            else:
                entries[item_id] = entry
        return SeenItems(entries, self._vectors)

    def _seen_over(self, below: SeenItems) -> SeenItems:
        if not self._changes and not self._uses:
            return below
        entries = dict(below.entries)
        for item_id, times in self._uses.items():
            for at in times if item_id in entries else ():
                entries[item_id] = entries[item_id].used(at)
        for item_id, (entry, is_new) in self._changes.items():
            if entry is None or is_new:
                entries.pop(item_id, None)
            if entry is not None:
                entries[item_id] = entry
        return SeenItems(entries, self._vectors)


def entries_of(items: Sequence[Item], vectors: Vectors) -> list[Entry]:
    """Give the entries of items, with their vectors held."""
    if not any(one.vector for one in items):
        return [Entry(one, None) for one in items]
    held = vectors.hold([one.id for one in items], [one.vector for one in items])
    bare = [replace(one, vector=b"") if one.vector else one for one in items]
    return [Entry(one, at) for one, at in zip(bare, held, strict=True)]
