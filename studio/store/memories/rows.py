"""How a memory's items stand in its file."""

import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from pydantic_core import from_json, to_json

from studio.sdk.items import Item
from studio.store.memories.sql import Row

FORMAT: Final = 1
"""The newest form of a memory's file that is known here (`user_version`)."""

APPLICATION: Final = 0x53774D31
"""How a file says that it is a memory (`application_id`)."""

SCHEMA = """
CREATE TABLE memory(
  id INTEGER PRIMARY KEY CHECK (id = 1), name TEXT NOT NULL, kind TEXT NOT NULL,
  version INTEGER NOT NULL, oldest INTEGER NOT NULL, places INTEGER NOT NULL);
CREATE TABLE items(
  row INTEGER PRIMARY KEY, place INTEGER NOT NULL, born INTEGER NOT NULL, gone INTEGER,
  id TEXT NOT NULL, text TEXT NOT NULL, data BLOB NOT NULL, at TEXT NOT NULL, by TEXT NOT NULL,
  labels BLOB NOT NULL, vector BLOB NOT NULL, sum INTEGER NOT NULL);
CREATE UNIQUE INDEX items_now ON items(id) WHERE gone IS NULL;
CREATE INDEX items_gone ON items(gone) WHERE gone IS NOT NULL;
CREATE TABLE versions(
  version INTEGER PRIMARY KEY, at TEXT NOT NULL, source TEXT NOT NULL, changes INTEGER NOT NULL);
CREATE TABLE saves(key BLOB PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID;
"""

_TYPES: Final = (int, int, str, str, dict, str, str, bytes)
COLUMNS: Final = "place, born, gone, id, text, data, at, by, labels, vector, sum"


@dataclass(frozen=True, slots=True)
class StoredRow:
    """An item as it was from version `born` until before `gone`; `place` tells its age."""

    place: int
    born: int
    gone: int | None
    item: Item

    def values(self) -> Row:
        """Give what stands in `COLUMNS`."""
        one = self.item
        said = (one.id, one.text, _packed(dict(one.data)), one.at, one.by)
        content = (*said, _packed(list(one.labels)), one.vector)
        return self.place, self.born, self.gone, *content, _sum_of(self.place, self.born, content)


def row_of(values: Row) -> StoredRow:
    """Read what stood in `COLUMNS`; raises `ValueError` where it is not what was written."""
    place, born, gone, *content, noted = values
    try:
        if _sum_of(place, born, content) != noted or not (gone is None or born < gone):
            raise ValueError("a sum is wrong")
        item_id, text, data, at, by, labels, vector = content
        item = Item(item_id, text, from_json(data), at, by, vector, tuple(from_json(labels)))
    except (TypeError, AttributeError) as error:
        raise ValueError("a column is of another type") from error
    # A sum is easily made for what nothing here would write, and what nobody could read.
    if tuple(map(type, (place, born, item_id, text, item.data, at, by, vector))) != _TYPES:
        raise ValueError("a column is of another type")
    if not all(type(label) is str for label in item.labels):
        raise ValueError("a label is no text")
    return StoredRow(place, born, gone, item)


def _packed(value: object) -> bytes:
    return to_json(value, inf_nan_mode="constants")


def _sum_of(place: int, born: int, content: Iterable[str | bytes]) -> int:
    """A sum by which damage is noticed that SQLite does not notice."""
    total = zlib.crc32(f"{place} {born}".encode())
    for one in content:
        total = zlib.crc32(one.encode() if isinstance(one, str) else one, total)
    return total
