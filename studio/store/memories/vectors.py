"""The vectors of one opened memory, in SQLite without a file, searched by `sqlite-vec`."""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import TypeAlias

from studio.store.memories.sql import Database, Row

See: TypeAlias = Callable[[str, int], bool]

LONGEST = 8192
"""As many numbers may a vector have that is to be found; `sqlite-vec` takes no more."""

_MOST = 4096
"""As many does `sqlite-vec` find at once."""


class HeldVector:
    """A vector that can be found as long as somebody has this."""

    __slots__ = ("_dead", "row", "size")

    def __init__(self, size: int, row: int, dead: "deque[tuple[int, int]]") -> None:
        self.size = size
        self.row = row
        self._dead = dead

    def __del__(self) -> None:
        self._dead.append((self.size, self.row))


class Vectors:
    """Vectors by row, those of each length in a table of their own; made when the first is held.

    Steps in several threads may use it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._database: Database | None = None
        self._counts: dict[int, int] = {}
        self._owners: dict[int, str] = {}
        self._last = 0
        self._dead: deque[tuple[int, int]] = deque()

    def hold(self, owners: Sequence[str], vectors: Sequence[bytes]) -> list[HeldVector | None]:
        """Hold vectors of `float32`, each of an item of this id; of those that can't be found: None."""
        with self._lock:
            held = [self._held(*one) for one in zip(owners, vectors, strict=True)]
            if any(held):
                with self._opened().changing():
                    for one, vector in zip(held, vectors, strict=True):
                        if one is not None:
                            self._insert(one, vector)
        return held

    def nearest(self, vector: bytes, most: int, see: See) -> list[tuple[str, float]]:
        """Give the owners of those that are nearest, and all that are as near as the last, with the cosine.

        `see` tells of an owner and a row whether it counts.
        """
        if most <= 0 or not can_be_found(vector):
            return []
        with self._lock:
            self._bury()
            if not self._counts.get(len(vector)):
                return []
            return [(self._owners[row], 1 - distance) for row, distance in self._found(vector, most, see)]

    def close(self) -> None:
        """Let go of all."""
        with self._lock:
            if self._database is not None:
                self._database.close()
                self._database = None

    def _held(self, owner: str, vector: bytes) -> HeldVector | None:
        if not can_be_found(vector):
            return None
        self._last += 1
        self._owners[self._last] = owner
        return HeldVector(len(vector), self._last, self._dead)

    def _insert(self, held: HeldVector, vector: bytes) -> None:
        database, table = self._opened(), f"vectors_{held.size}"
        if held.size not in self._counts:
            self._counts[held.size] = 0
            numbers = held.size // 4
            database.do(
                f"CREATE VIRTUAL TABLE {table} USING vec0(vector float[{numbers}] distance_metric=cosine)"
            )
        database.do(f"INSERT INTO {table}(rowid, vector) VALUES (?, ?)", (held.row, vector))  # noqa: S608
        self._counts[held.size] += 1

    def _found(self, vector: bytes, most: int, see: See) -> list[Row]:
        asked = most + 8
        while asked <= _MOST:
            found = self._rows(vector, asked)
            seen = [one for one in found if see(self._owners[one[0]], one[0])]
            if len(found) < asked:
                return _nearest(seen, most)
            if len(seen) > most and seen[-1][1] > seen[most - 1][1]:
                return _nearest(seen, most)
            asked *= 4
        return _nearest([one for one in self._all_rows(vector) if see(self._owners[one[0]], one[0])], most)

    def _rows(self, vector: bytes, most: int) -> list[Row]:
        query = f"SELECT rowid, distance FROM vectors_{len(vector)} WHERE vector MATCH ? AND k = ?"  # noqa: S608
        return self._opened().rows(query, (vector, most))

    def _all_rows(self, vector: bytes) -> list[Row]:
        query = f"SELECT rowid, vec_distance_cosine(vector, ?) FROM vectors_{len(vector)}"  # noqa: S608
        return self._opened().rows(query, (vector,))

    def _bury(self) -> None:
        """Delete the rows that nobody has any more."""
        if not self._dead:
            return
        database = self._opened()
        with database.changing():
            while self._dead:
                size, row = self._dead.popleft()
                database.do(f"DELETE FROM vectors_{size} WHERE rowid = ?", (row,))  # noqa: S608
                self._counts[size] -= 1
                del self._owners[row]

    def _opened(self) -> Database:
        if self._database is None:
            self._database = Database.with_vectors()
        return self._database


def can_be_found(vector: bytes) -> bool:
    """Tell whether a vector has a direction, and is one that `sqlite-vec` takes."""
    return 0 < len(vector) <= 4 * LONGEST and len(vector) % 4 == 0 and bool(vector.strip(b"\0"))


def _nearest(rows: list[Row], most: int) -> list[Row]:
    """The nearest first, and all that are as near as the last of them."""
    rows = sorted(rows, key=lambda one: one[1])
    return rows if len(rows) <= most else [one for one in rows if one[1] <= rows[most - 1][1]]
