"""The memories of an exported script: what its steps remember, as long as it runs or in files.

As in a run, a step's writes take effect when it finishes, inside a map when the item ends, in item order.
"""

import json
import sqlite3
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TypeAlias, TypeVar
from urllib.parse import quote

from studio.errors import StepError
from studio.export.lifted.variables import has_failed
from studio.sdk.item_layers import PlainItems, Write
from studio.sdk.items import Item, MemoryPlace, Purpose, Recalled

R = TypeVar("R")
Written: TypeAlias = tuple[MemoryPlace, Write]

TABLE = """\
CREATE TABLE IF NOT EXISTS items (
    place INTEGER PRIMARY KEY, id TEXT UNIQUE, kind TEXT, text TEXT, data TEXT, at TEXT, by TEXT, vector BLOB
)"""
READ = "SELECT kind, id, text, data, at, by, vector FROM items ORDER BY place"
PUT = """\
INSERT INTO items (kind, id, text, data, at, by, vector) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET text = excluded.text, data = excluded.data, at = excluded.at,
    by = excluded.by, vector = excluded.vector"""
REMOVE = "DELETE FROM items WHERE id = ?"


@dataclass
class Sight:
    """The memories as somebody has them, by name, and what was written since."""

    known: dict[str, PlainItems] = field(default_factory=dict[str, PlainItems])
    writes: list[Written] = field(default_factory=list[Written])


IN_STEP: ContextVar[Sequence[Written]] = ContextVar("what the step wants to write", default=())
IN_ITEM: ContextVar[Sight | None] = ContextVar("the item of a map that is under way", default=None)


class Memories:
    """All memories that the steps use."""

    def __init__(self) -> None:
        self.sight = Sight()
        self.begun: dict[str, PlainItems] = {}
        self.places: dict[str, MemoryPlace] = {}

    def require(self, place: MemoryPlace) -> None:
        """Raise `StepError` where the name of a memory is another's."""
        there = self.places.setdefault(place.name, place)
        if there != place:
            what = f"`{there.kind}`, kept for the {there.keep}"
            message = (
                f"The memory `{place.name}` is {what}, and cannot be `{place.kind}` for the {place.keep}."
            )
            raise StepError(message, hint="Rename one of them.")

    def current(self) -> Sight:
        """Give the memories as whoever asks has them."""
        if (item := IN_ITEM.get()) is not None:  # only with: .of_item
            return item
        return self.sight

    def items(self, place: MemoryPlace) -> PlainItems:
        """Give what took effect in a memory."""
        if place.name not in self.begun:
            self.begun[place.name] = self.opened(place)
        return self.current().known.setdefault(place.name, self.begun[place.name])

    def opened(self, place: MemoryPlace) -> PlainItems:
        """Give what a memory has to begin with."""
        del place
        return PlainItems()

    async def of_step(self, call: Callable[[], Awaitable[R]]) -> R:
        """Run a step; what it writes takes effect when it is over, and nothing of it where it fails."""
        writes: list[Written] = []
        outer = IN_STEP.set(writes)
        try:
            result = await call()
        finally:
            IN_STEP.reset(outer)
        self.finish(writes)
        return result

    def finish(self, writes: Sequence[Written]) -> None:
        """Let the writes of a step take effect."""
        self.take_in(writes)

    def take_in(self, writes: Sequence[Written]) -> None:
        """Let writes take effect."""
        current = self.current()
        for place in dict.fromkeys(place for place, _ in writes):
            made = self.items(place).applied(write for other, write in writes if other == place)
            current.known[place.name] = made
        current.writes += writes


class FileMemories(Memories):
    """Memories of which some are kept in files, each a small database."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    def opened(self, place: MemoryPlace) -> PlainItems:
        """Read what a memory has to begin with."""
        if place.keep == "run" or not self.path(place).exists():
            return PlainItems()
        with self.file(place) as file:
            rows = file.execute(READ).fetchall()
        for kind in {kind for kind, *_ in rows} - {place.kind}:
            raise StepError(f"The memory `{place.name}` has the type `{kind}`, not `{place.kind}`.")
        return PlainItems(
            Item(name, text, json.loads(data), at, by, vector or b"")
            for _, name, text, data, at, by, vector in rows
        )

    def take_in(self, writes: Sequence[Written]) -> None:
        """Let writes take effect, and keep what takes effect for all."""
        kept = [place for place, _ in writes if place.keep == "project" and self.current() is self.sight]
        for place in dict.fromkeys(kept):
            with self.file(place) as file:
                file.execute(TABLE)
                for write in (write for other, write in writes if other == place):
                    one = write.item
                    if write.operation == "put":
                        data = json.dumps(dict(one.data))
                        said = (place.kind, one.id, one.text, data, one.at, one.by, one.vector)
                        file.execute(PUT, said)
                    else:
                        file.execute(REMOVE, (one.id,))
        super().take_in(writes)

    def path(self, place: MemoryPlace) -> Path:
        """Where a memory is kept."""
        return self.folder / f"{quote(place.name, safe='')}.memory.sqlite"

    @contextmanager
    def file(self, place: MemoryPlace) -> Generator[sqlite3.Connection, None, None]:
        """Open the file of a memory; what is done there is done whole, or not at all."""
        try:
            with closing(sqlite3.connect(self.path(place))) as file, file:
                yield file
        except sqlite3.Error as error:
            hint = "Check whether its file is intact and can be written."
            raise StepError(f"The memory `{place.name}` cannot be saved: {error}.", hint=hint) from error


@dataclass
class KeptItems:
    """One memory in the hands of a step, which sees at once what it writes itself."""

    memories: Memories
    place: MemoryPlace
    inform: Callable[[Mapping[str, object]], None] | None = None

    def read(
        self,
        query: str,
        search: Callable[[PlainItems], Sequence[Recalled]],
        *,
        purpose: Purpose = "recall",
    ) -> Sequence[Recalled]:
        """Look into the memory."""
        items = self.memories.items(self.place)
        own = [write for place, write in IN_STEP.get() if place == self.place]
        found = search(items.applied(own) if own else items)
        if self.inform is not None:
            told = [{"data": said_of(one)} for one in found]
            self.inform({"memory": self.place.name, "query": query, "purpose": purpose, "found": told})
        return found

    def put(self, item: Item, why: str = "") -> None:
        """Put an item in, in the place of the one that has its id, which keeps its age."""
        self.write(Write("put", item, why))

    def remove(self, item_id: str, why: str = "") -> None:
        """Take an item out."""
        self.write(Write("remove", Item(item_id, ""), why))

    def write(self, write: Write) -> None:
        """Note what the step wants to write."""
        writes = IN_STEP.get()
        if not isinstance(writes, list):
            raise StepError("Only steps remember.")
        writes.append((self.place, write))


def said_of(found: Recalled) -> Mapping[str, object]:
    """Give what was found as traces have it."""
    item = {one.name: getattr(found.item, one.name) for one in fields(found.item) if one.name != "vector"}
    return {name: value for name, value in item.items() if value} | {"score": found.score, "why": found.why}


class ItemMemories:
    """What the items of a map remember: it takes effect in their order, once an item and all before are over.

    An item sees what was there when the map began, or `in_turn` what those before it wrote; one that failed
    leaves nothing behind.
    """

    def __init__(self, memories: Memories, *, in_turn: bool = False) -> None:
        self.memories = memories
        self.first = dict(memories.current().known)
        self.in_turn = in_turn
        self.begun = 0
        self.merged = 0
        self.over: dict[int, Sequence[Written]] = {}

    async def of_item(self, call: Callable[[], Awaitable[R]]) -> R:
        """Run an item; they begin in their order."""
        index, self.begun = self.begun, self.begun + 1
        item = Sight(dict(self.memories.current().known if self.in_turn else self.first))
        outer = IN_ITEM.set(item)
        try:
            result = await call()
        finally:
            IN_ITEM.reset(outer)
        self.over[index] = () if has_failed(result) else item.writes
        while self.merged in self.over:
            self.memories.take_in(self.over.pop(self.merged))
            self.merged += 1
        return result
