"""The file of one run, as its only writer sees it: SQLite in WAL mode, one connection."""

import os
import sqlite3
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from studio.ids import RunId
from studio.store.migrations import empty_run_file, migrate_run_file
from studio.store.owner import NOBODY, Owner
from studio.store.rows import COLUMNS, Row
from studio.store.summary import COLUMNS as SUMMARY
from studio.store.summary import RunSummary, summary_values
from studio.trace.state import RunStatus

JOURNAL_LIMIT = 1024 * 1024
"""Bytes to which the journal is cut when SQLite starts it anew."""

_CHUNK = 64
_ROW = "(" + ",".join("?" * COLUMNS) + ")"
_INSERT_ONE = f"INSERT INTO entries VALUES {_ROW}"  # noqa: S608
# One statement for many rows holds the interpreter's lock once, and costs half of `executemany`.
_INSERT_MANY = f"INSERT INTO entries VALUES {','.join([_ROW] * _CHUNK)}"  # noqa: S608
_UPDATE = f"UPDATE run SET {','.join(f'{column}=?' for column in SUMMARY)}"  # noqa: S608
_BEGIN_RUN = f"INSERT INTO run (id,pid,born,{','.join(SUMMARY)}) VALUES (1,?,?{',?' * len(SUMMARY)})"  # noqa: S608


class RunFile:
    """Makes the file, which must not be there yet, or goes on with one whose owner is gone.

    Methods raise `sqlite3.Error` or `OSError`.
    """

    def __init__(self, path: Path, owner: Owner, *, goes_on: bool = False) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not goes_on:
            # For the owner's eyes only; SQLite gives its journal the same rights.
            with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
                file.write(empty_run_file())
        self.path = path
        self._is_rooted = False
        self._syncs: bool | None = None
        self._known: set[str] = set()
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=0)
        try:
            self._connection.execute(f"PRAGMA journal_size_limit={JOURNAL_LIMIT}").fetchall()
            self._sync(is_durable=False)
            if goes_on:
                self._take(owner)
            else:
                first = summary_values(RunSummary(RunId(path.stem)))
                self._connection.execute(_BEGIN_RUN, (owner.pid, owner.born, *first))
        except BaseException:
            self._connection.close()
            raise

    def write(self, rows: Sequence[Row], summary: RunSummary | None, *, is_durable: bool) -> None:
        """Add rows, and put the summary in place of the last, in one transaction.

        With `is_durable` everything written so far survives a power cut, else only the death of the process.
        """
        if is_durable and not self._is_rooted:
            self._root()
        self._sync(is_durable=is_durable)
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            self._insert(rows)
            if summary is not None:
                self._connection.execute(_UPDATE, summary_values(summary))
            elif is_durable and not rows:
                # An empty transaction would not sync what earlier ones left to the system.
                self._connection.execute("UPDATE run SET id=1")
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def truncate(self) -> None:
        """Empty the journal into the file, if nobody reads it right now."""
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def disown(self) -> None:
        """Note that nobody writes this run any more, though its process goes on."""
        self._connection.execute("UPDATE run SET pid=?, born=?", (NOBODY.pid, NOBODY.born))

    def close(self) -> None:
        """Close the file; SQLite empties the journal into it."""
        self._connection.close()

    def _take(self, owner: Owner) -> None:
        """Become the owner's; whoever comes second, or too early, is refused."""
        migrate_run_file(self._connection)
        self._connection.execute("BEGIN IMMEDIATE")
        ((pid, born, status),) = self._connection.execute("SELECT pid, born, status FROM run").fetchall()
        if not RunStatus(status).is_final and Owner(pid, born).is_alive():
            self._connection.execute("ROLLBACK")
            reason = "another process writes it"
            raise BlockingIOError(reason)
        self._connection.execute(
            "UPDATE run SET pid=?, born=?, status=?", (owner.pid, owner.born, RunStatus.RUNNING.value)
        )
        self._connection.execute("COMMIT")

    def _insert(self, rows: Sequence[Row]) -> None:
        blobs = [
            (blob.hash, blob.value) for row in rows for blob in row.blobs if blob.hash not in self._known
        ]
        if blobs:
            self._connection.executemany("INSERT OR IGNORE INTO blobs VALUES (?,?)", blobs)
            self._known.update(digest for digest, _ in blobs)
        values = [row.values for row in rows]
        whole = len(values) - len(values) % _CHUNK
        for start in range(0, whole, _CHUNK):
            chunk = chain.from_iterable(values[start : start + _CHUNK])
            self._connection.execute(_INSERT_MANY, tuple(chunk))
        self._connection.executemany(_INSERT_ONE, values[whole:])

    def _sync(self, *, is_durable: bool) -> None:
        if self._syncs != is_durable:
            self._connection.execute(f"PRAGMA synchronous={'FULL' if is_durable else 'NORMAL'}")
            self._syncs = is_durable

    def _root(self) -> None:
        # SQLite syncs the journal; that the file and its name are there is up to whoever made them.
        for place in (self.path, self.path.parent):
            descriptor = os.open(place, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        self._is_rooted = True
