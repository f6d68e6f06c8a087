"""Writing to the file of a memory: all that a step wrote at once, once, whoever else writes."""

import hashlib
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from studio.errors import StoreError
from studio.sdk.item_layers import Write, used_again
from studio.store.memories import contents
from studio.store.memories.contents import check_schema, head_of
from studio.store.memories.new_file import make_file, sort_of
from studio.store.memories.rows import COLUMNS, StoredRow, row_of
from studio.store.memories.sql import BUSY, Database

KEPT_AT_LEAST = 1000
"""So many items as they were earlier are kept, or as many as there are items now."""

KEYS = 50_000
"""So many saves are remembered, so that none is made twice."""

_TIDIED_EVERY = 32
_LOG = 1 << 20  # what is left of SQLite's journal
_SLOTS = ", ".join("?" * len(COLUMNS.split(",")))
_INSERT = f"INSERT INTO items({COLUMNS}) VALUES ({_SLOTS})"  # noqa: S608


class MemorySaver:
    """Writes to one memory's file, which it makes where there is none; any thread may use it.

    Raises the errors of SQLite and of the system.
    """

    def __init__(self, path: Path, name: str, kind: str) -> None:
        self.path = path
        self._name = name
        self._kind = kind
        self._lock = threading.Lock()
        self._opened: tuple[Database, int] | None = None
        self._is_held = False

    def save(self, key: str, writes: Sequence[Write], source: str = "") -> int:
        """Let writes take effect in a version of their own, which is given; what has the key only once.

        `source` says who wrote. Raises `StoreError` where the file is not this memory's.
        """
        with self._lock:
            while True:
                database, file = self._database()
                with self._patient(database):
                    version = self._saved(database, key, writes, source or key)
                # Meanwhile another process may have put a sound file in the place of a damaged one.
                if self.path.exists() and self.path.stat().st_ino == file:
                    return version

    def revert(self, key: str, version: int, source: str) -> int:
        """Make a new version that is as an earlier one was."""
        with self._lock:
            database, _ = self._database()
            with database.changing():
                oldest = head_of(database)[3]
                if version < oldest:
                    raise StoreError(
                        f"Version {version} of `{self._name}` is no longer available.",
                        hint=f"The oldest available version is {oldest}.",
                    )
                made = _next_version(database, key, source, 0)
                _show_again(database, version, made)
                return made

    @contextmanager
    def _patient(self, database: Database) -> Generator[None]:
        """Wait for who holds the file, but not anew with each save: a run that ends waits for all of them."""
        patience = 0.0 if self._is_held else contents.PATIENCE
        self._is_held = True
        try:
            database.do(f"PRAGMA busy_timeout = {round(patience * 1000)}")
            yield
            self._is_held = False
        except BUSY:
            raise
        except BaseException:
            self._is_held = False
            raise

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._let_go()

    def _saved(self, database: Database, key: str, writes: Sequence[Write], source: str) -> int:
        digest = _digest(key)
        with database.changing():
            self._check(database)
            known = database.value("SELECT version FROM saves WHERE key = ?", (digest,))
            if known is not None:
                return known
            version = _next_version(database, key, source, len(writes))
            for write in writes:
                _change(database, version, write)
            if version % _TIDIED_EVERY == 0 or len(writes) >= _TIDIED_EVERY:
                _tidy(database)
            return version

    def _check(self, database: Database) -> None:
        name, kind, _, _ = head_of(database)
        if name != self._name:
            raise StoreError(f"`{self.path.name}` is the file of the memory `{name}`.", hint="Rename one.")
        if kind != self._kind:
            raise StoreError(f"The memory `{name}` has the type `{kind}`, not `{self._kind}`.")

    def _database(self) -> tuple[Database, int]:
        if self._opened is not None:
            if self.path.exists() and self.path.stat().st_ino == self._opened[1]:
                return self._opened
            self._let_go()
        match sort_of(self.path):
            case "missing":
                make_file(self.path, self._name, self._kind)
            case "newer":
                raise StoreError(
                    f"`{self.path.name}` was written by a newer Stepwire and was left unchanged.",
                    hint="Use the newer version.",
                )
            case "foreign":
                raise StoreError(
                    f"`{self.path.name}` is not a memory and was left unchanged.", hint="Move or rename it."
                )
            case _:
                pass
        database = Database.of(self.path, can_write=True, patience=contents.PATIENCE)
        try:
            check_schema(database)
        except BaseException:
            database.close()
            raise
        self._opened = database, self.path.stat().st_ino
        database.do("PRAGMA synchronous = NORMAL")
        database.do(f"PRAGMA journal_size_limit = {_LOG}")
        return self._opened

    def _let_go(self) -> None:
        if self._opened is not None:
            self._opened[0].close()
            self._opened = None


def _next_version(database: Database, key: str, source: str, changes: int) -> int:
    version = database.value("UPDATE memory SET version = version + 1 RETURNING version")
    now = datetime.now(UTC).isoformat(timespec="seconds")
    database.do("INSERT INTO versions VALUES (?, ?, ?, ?)", (version, now, source, changes))
    database.do("INSERT INTO saves VALUES (?, ?)", (_digest(key), version))
    return version


def _change(database: Database, version: int, write: Write) -> None:
    if write.operation == "use":
        stands = f"SELECT {COLUMNS} FROM items WHERE id = ? AND gone IS NULL"  # noqa: S608
        there = database.row(stands, (write.item.id,))
        if there is None:
            return
        write = Write("put", used_again(row_of(there).item, write.item.at))
    before = database.row(
        "SELECT row, place, born FROM items WHERE id = ? AND gone IS NULL", (write.item.id,)
    )
    place: int | None = None
    if before is not None:
        row, place, born = before
        if born == version:  # nobody will ever see it
            database.do("DELETE FROM items WHERE row = ?", (row,))
        else:
            database.do("UPDATE items SET gone = ? WHERE row = ?", (version, row))
    if write.operation == "put":
        if place is None:
            place = database.value("UPDATE memory SET places = places + 1 RETURNING places")
        database.do(_INSERT, StoredRow(place or 0, version, None, write.item).values())


def _show_again(database: Database, version: int, made: int) -> None:
    then = "born <= ?1 AND (gone IS NULL OR gone > ?1)"
    # What is there now, and was not there then; and the other way round.
    lost = database.rows(f"SELECT {COLUMNS} FROM items WHERE gone IS NOT NULL AND {then}", (version,))  # noqa: S608
    database.do("UPDATE items SET gone = ?2 WHERE gone IS NULL AND born > ?1", (version, made))
    again = [replace(row_of(row), born=made, gone=None).values() for row in lost]
    database.do_each(_INSERT, again)
    changes = len(again) + database.value("SELECT count(*) FROM items WHERE gone = ?", (made,))
    database.do("UPDATE versions SET changes = ? WHERE version = ?", (changes, made))


def _tidy(database: Database) -> None:
    """Forget what was longest ago, so that what was takes no more room than what is."""
    gone = database.value("SELECT count(*) FROM items WHERE gone IS NOT NULL")
    live = database.value("SELECT count(*) FROM items WHERE gone IS NULL")
    many = gone - max(KEPT_AT_LEAST, live)
    if many > 0:
        last = "SELECT gone FROM items WHERE gone IS NOT NULL ORDER BY gone LIMIT 1 OFFSET ?"
        oldest = database.value(last, (many - 1,))
        database.do("DELETE FROM items WHERE gone <= ?", (oldest,))
        database.do("UPDATE memory SET oldest = ?", (oldest,))
        database.do("DELETE FROM versions WHERE version < ?", (oldest,))
        database.do("PRAGMA incremental_vacuum")
    first = "SELECT version FROM saves ORDER BY version DESC LIMIT 1 OFFSET ?"
    database.do(f"DELETE FROM saves WHERE version < ({first})", (KEYS - 1,))  # noqa: S608


def _digest(key: str) -> bytes:
    return hashlib.blake2b(key.encode(), digest_size=16).digest()
