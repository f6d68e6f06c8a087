"""The file of one run, as its only writer sees it: SQLite in WAL mode, one connection.

A run that is over before its first batch is written gets its file in one piece, put in place of the empty one
that it had from the start; that costs a tenth of opening and closing a database.
"""

import os
import sqlite3
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import orjson

from studio.ids import RunId
from studio.store.migrations import PAGE, empty_run_file, in_wal_mode, migrate_run_file
from studio.store.run_files.chunks import Columns, joined
from studio.store.run_files.owner import NOBODY, Owner, let_go, take_up
from studio.store.run_files.shelf import Recipe
from studio.store.summary import COLUMNS as SUMMARY
from studio.store.summary import RunSummary, summary_values
from studio.trace.fold.state import RunStatus

JOURNAL_LIMIT = 1024 * 1024
"""Bytes to which the journal is cut when SQLite starts it anew."""

SMALL = 128
"""Entries up to which a chunk is small."""

SHORT_RUN = 64 * 1024
"""Bytes of entries, before they are compressed, up to which a run that is over has small pages."""

SHORT_PAGE = 1024
"""Bytes of these: each table begins with a page of its own, and most runs fill none."""

JOINED = 64
"""So many small chunks become one."""

_INSERT_CHUNK = "INSERT INTO chunks (first,last,body) VALUES (?,?,?)"
_INSERT_RECIPE = "INSERT INTO large_values VALUES (?,?,?,?,?)"
_UPDATE = f"UPDATE run SET {','.join(f'{column}=?' for column in SUMMARY)}"  # noqa: S608
_BEGIN_RUN = f"INSERT INTO run (id,pid,born,{','.join(SUMMARY)}) VALUES (1,?,?{',?' * len(SUMMARY)})"  # noqa: S608


class RunFile:
    """Makes the file, which must not be there yet, or goes on with one whose owner is gone.

    Methods raise `sqlite3.Error` or `OSError`.
    """

    def __init__(self, path: Path, owner: Owner, *, goes_on: bool = False) -> None:
        self.path = path
        self._owner = owner
        self._is_blank = not goes_on
        self._small: list[tuple[int, Columns]] = []
        """The latest chunks, as long as they are small."""
        self._connection: sqlite3.Connection | None = None
        self._descriptors: list[int] = []
        """All that were given to sync; to close the file's before the connection would take its locks."""
        self._journal: int | None = None
        if goes_on:
            self._take()
            return
        _put(path, in_wal_mode(_file_of(owner)))

    def known_values(self) -> dict[bytes, int]:
        """Give the ids of the large values that the file has, by digest."""
        rows = self._opened().execute("SELECT digest, id FROM large_values")
        return dict(rows.fetchall())

    def write(
        self,
        columns: Columns | None,
        recipes: Sequence[Recipe],
        summary: RunSummary | None,
    ) -> None:
        """Add a chunk, and put the summary in place of the last, in one transaction.

        It survives the death of the process at once, and a power cut when `unsynced` is synced.
        """
        if self._is_blank and summary is not None and summary.status.is_final:
            self._is_blank = False
            self._write_whole(columns, recipes, summary)
            return
        connection = self._opened()
        connection.execute("BEGIN IMMEDIATE")
        try:
            chunk = insert(connection, columns, recipes, summary)
            if columns is not None and chunk is not None:
                self._join(connection, chunk, columns)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    def unsynced(self) -> Sequence[int]:
        """Give the descriptors of all that has to be synced for what was written to survive a power cut.

        That is what `synchronous=FULL` does within each commit, where it would keep others from writing.
        """
        journal = self._connection is not None
        if journal and self._journal is not None:
            return (self._journal,)
        # SQLite syncs no more than the journal; that the file and its name are there is up to us.
        found = [os.open(self.path.parent, os.O_RDONLY), os.open(self.path, os.O_RDWR)]
        self._descriptors += found
        if journal:
            self._journal = os.open(f"{self.path}-wal", os.O_RDWR)
            self._descriptors.append(self._journal)
            found.append(self._journal)
        return found

    def truncate(self) -> None:
        """Empty the journal into the file, if nobody reads it right now."""
        if self._connection is not None:
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def disown(self) -> None:
        """Note that nobody writes this run any more, though its process goes on."""
        let_go(self.path)  # it may be the disk that keeps it from being written
        self._opened().execute("UPDATE run SET pid=?, born=?", (NOBODY.pid, NOBODY.born))

    def close(self) -> None:
        """Close the file; SQLite empties the journal into it."""
        if self._connection is not None:
            if not self._descriptors:
                # Nothing in it was to survive a power cut, so nothing of it is worth to wait for the disk.
                self._connection.execute("PRAGMA synchronous=OFF").fetchall()
            self._connection.close()
            self._connection = None
        while self._descriptors:
            os.close(self._descriptors.pop())

    def _join(self, connection: sqlite3.Connection, chunk: int, columns: Columns) -> None:
        """Make one chunk of many small ones that follow one another, or they would be slow to read.

        Readers go by the numbers of entries, so that one between two pages misses none.
        """
        if columns.count > SMALL:
            self._small.clear()
            return
        self._small.append((chunk, columns))
        if len(self._small) == JOINED:
            first, one = self._small[0][0], joined([part for _, part in self._small])
            connection.execute("DELETE FROM chunks WHERE id > ? AND id <= ?", (first, chunk))
            connection.execute("UPDATE chunks SET first=?, last=?, body=? WHERE id=?", (*one.chunk(), first))
            self._small.clear()

    def _opened(self) -> sqlite3.Connection:
        self._is_blank = False
        if self._connection is None:
            connection = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False, timeout=0)
            try:
                connection.execute(f"PRAGMA journal_size_limit={JOURNAL_LIMIT}").fetchall()
                connection.execute("PRAGMA synchronous=NORMAL").fetchall()
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _write_whole(self, columns: Columns | None, recipes: Sequence[Recipe], summary: RunSummary) -> None:
        file = _whole(self._owner, columns, recipes, summary)
        new = _new_name(self.path)
        try:
            _make(new, file)
            os.replace(new, self.path)  # noqa: PTH105  # a path as an object costs more than the call
        except BaseException:
            with suppress(OSError):
                Path(new).unlink()
            raise

    def _take(self) -> None:
        """Become the owner's; whoever comes second, or too early, is refused."""
        try:
            connection = self._opened()
            migrate_run_file(connection)
            connection.execute("BEGIN IMMEDIATE")
            ((pid, born, status),) = connection.execute("SELECT pid, born, status FROM run").fetchall()
            is_taken = not RunStatus(status).is_final and Owner(pid, born).may_write(self.path)
            if not is_taken:
                values = (self._owner.pid, self._owner.born, RunStatus.RUNNING.value)
                connection.execute("UPDATE run SET pid=?, born=?, status=?", values)
            connection.execute("COMMIT")
        except BaseException:
            self.close()
            raise
        if is_taken:
            self.close()
            reason = "another process writes it"
            raise BlockingIOError(reason)
        take_up(self.path)


def write_run_file(
    path: Path, owner: Owner, columns: Columns | None, recipes: Sequence[Recipe], summary: RunSummary
) -> None:
    """Write the file of a run that is over, which must not be there yet; raises as `RunFile` does."""
    _put(path, _whole(owner, columns, recipes, summary))


def insert(
    connection: sqlite3.Connection,
    columns: Columns | None,
    recipes: Sequence[Recipe],
    summary: RunSummary | None,
) -> int | None:
    """Add a chunk, the values that it needs, and the summary; gives the id of the chunk."""
    if recipes:
        rows = [
            (one.id, one.digest, orjson.dumps(one.parts).decode(), one.new, one.is_packed) for one in recipes
        ]
        connection.executemany(_INSERT_RECIPE, rows)
    chunk = None if columns is None else connection.execute(_INSERT_CHUNK, columns.chunk()).lastrowid
    if summary is not None:
        connection.execute(_UPDATE, summary_values(summary))
    return chunk


def _whole(owner: Owner, columns: Columns | None, recipes: Sequence[Recipe], summary: RunSummary) -> bytes:
    """Make the file of a run that is over in memory: that takes no journal and no locks."""
    connection = _scratch.connection
    size = sum(map(len, columns.written)) if columns is not None else 0
    connection.deserialize(_file_of(owner, PAGE if recipes or size > SHORT_RUN else SHORT_PAGE))
    insert(connection, columns, recipes, summary)
    return in_wal_mode(connection.serialize())


class _Scratch(threading.local):
    """A database in memory for each thread: what it has prepared need not be prepared again for each run."""

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:", isolation_level=None)


_scratch = _Scratch()


def _put(path: Path, file: bytes) -> None:
    """Have a new file where there is none, with its folder."""
    try:
        _begin(path, file)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        _begin(path, file)
    take_up(path)


def _begin(path: Path, file: bytes) -> None:
    """Have a new file where there is none, whole at once: a kill can end a write between two pages."""
    new = _new_name(path)
    _make(new, file)
    try:
        try:
            os.link(new, path)
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            if path.exists():
                raise
            os.rename(new, path)  # noqa: PTH104  # it is text
    finally:
        with suppress(OSError):
            os.unlink(new)  # noqa: PTH108  # it is text


def _new_name(path: Path) -> str:
    """The name that a new file has until it is whole.

    It is this process's own: what a killed one left half is in nobody's way who begins the same run again.
    """
    return f"{path}.{os.getpid()}.new"


def _make(path: str, file: bytes) -> None:
    """Write a new file, for the owner's eyes only; SQLite gives its journal the same rights."""
    how = os.O_CREAT | os.O_EXCL | os.O_WRONLY
    try:
        descriptor = os.open(path, how, 0o600)
    except FileExistsError:  # left by a killed process that had this one's number
        os.unlink(path)  # noqa: PTH108  # it is text
        descriptor = os.open(path, how, 0o600)
    try:
        with os.fdopen(descriptor, "wb", buffering=0) as made:
            left = memoryview(file)
            while left:
                left = left[made.write(left) or 0 :]
    except BaseException:  # half a file would be listed as a damaged run
        with suppress(OSError):
            os.unlink(path)  # noqa: PTH108  # it is text
        raise


@lru_cache(2)
def _file_of(owner: Owner, page: int = PAGE) -> bytes:
    """The file of a run that has just begun; the same for all runs of a process."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        connection.deserialize(empty_run_file(page))
        first = summary_values(RunSummary(RunId("")))
        connection.execute(_BEGIN_RUN, (owner.pid, owner.born, *first))
        return connection.serialize()
    finally:
        connection.close()
