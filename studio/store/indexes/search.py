"""Full-text search over runs: an index of its own, filled from runs that are over, made again when damaged.

It is written by one process at a time; another that searches meanwhile finds what is there already.
"""

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from studio.errors import StoreError
from studio.ids import RunId, StepId
from studio.store.indexes.query import match_of
from studio.store.indexes.texts import RunText
from studio.store.locks import DAMAGED, locked, make_private, update_or_remake
from studio.store.migrations import migrate_search

_OPEN, _CLOSE = "\x02", "\x03"
_WORDS_AROUND = 16

_FIND = f"""
    SELECT runs.run, texts.number, texts.step, snippet(words, 0, '{_OPEN}', '{_CLOSE}', '…', {_WORDS_AROUND})
    FROM words JOIN texts ON texts.id = words.rowid JOIN runs ON runs.id = texts.run
    WHERE words MATCH ? ORDER BY words.rowid DESC LIMIT ?
"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class Hit:
    """Where the words were found: the entry, and its text around them; `marks` has their places in it."""

    run: RunId
    step: StepId
    number: int
    text: str
    marks: tuple[tuple[int, int], ...]


class Search:
    """The index in the file `path`."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def is_there(self) -> bool:
        """Whether any run was ever taken in."""
        return self._path.is_file()

    def find(self, words: str, limit: int) -> list[Hit]:
        """Find all of `words`, quoted ones as a phrase; what was written last comes first.

        Raises `StoreError` where the index can't be read, which is not the same as that nothing is in it.
        """
        match = match_of(words)
        if not match or not self.is_there:
            return []
        try:
            with closing(self._connect("ro")) as connection:
                return [_hit(*row) for row in connection.execute(_FIND, (match, limit))]
        except DAMAGED as error:
            raise StoreError(
                f"The index of the runs can't be read: {error}.",
                hint=f"Try again; if that doesn't help, delete `{self._path}`: it will be rebuilt.",
            ) from error

    def update(self, stamps: Mapping[RunId, str], texts: Callable[[RunId], Iterable[RunText]]) -> None:
        """Take in runs of another stamp than is known, the oldest first, and drop those without one.

        Does nothing while another process does it, or when it may not write.
        """
        update_or_remake(self._path, lambda: self._update(stamps, texts))

    def forget(self, run: RunId) -> None:
        """Drop a run that is removed; the next `update` does where it cannot be done now."""
        with suppress(OSError, *DAMAGED):
            if self.is_there:
                with locked(self._path), closing(self._connect("rw")) as connection:
                    self._replace(connection, run, None, ())

    def _update(self, stamps: Mapping[RunId, str], texts: Callable[[RunId], Iterable[RunText]]) -> None:
        make_private(self._path)
        with closing(self._connect("rwc")) as connection:
            migrate_search(connection)
            known = dict(connection.execute("SELECT run, stamp FROM runs").fetchall())
            for run in known.keys() - stamps.keys():
                self._replace(connection, run, None, ())
            for run, stamp in sorted(stamps.items()):
                if known.get(run) != stamp:
                    self._replace(connection, run, stamp, texts(run))

    def _replace(
        self, connection: sqlite3.Connection, run: RunId, stamp: str | None, texts: Iterable[RunText]
    ) -> None:
        connection.execute("BEGIN IMMEDIATE")
        try:
            old = connection.execute("SELECT id FROM runs WHERE run = ?", (run,)).fetchone()
            if old is not None:
                # The index of words keeps no texts, and has to be told what it forgets.
                forget = "INSERT INTO words (words, rowid, text) SELECT 'delete', id, text FROM texts"
                connection.execute(f"{forget} WHERE run = ?", old)
                connection.execute("DELETE FROM texts WHERE run = ?", old)
                connection.execute("DELETE FROM runs WHERE id = ?", old)
            if stamp is not None:
                added = connection.execute("INSERT INTO runs (run, stamp) VALUES (?,?)", (run, stamp))
                _add(connection, added.lastrowid, texts)
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise

    def _connect(self, mode: str) -> sqlite3.Connection:
        where = f"{self._path.resolve().as_uri()}?mode={mode}"
        connection = sqlite3.connect(where, uri=True, isolation_level=None)
        # It can be made again from the runs, so nothing has to survive a power cut.
        connection.execute("PRAGMA synchronous=OFF").fetchall()
        # What runs said is gone with them, and not only out of sight.
        connection.execute("PRAGMA secure_delete=ON").fetchall()
        return connection


def _add(connection: sqlite3.Connection, run: int | None, texts: Iterable[RunText]) -> None:
    with suppress(StoreError):  # what stands before the damage can be found
        for number, step, text in texts:
            row = connection.execute(
                "INSERT INTO texts (run, number, step, text) VALUES (?,?,?,?)", (run, number, step, text)
            )
            connection.execute("INSERT INTO words (rowid, text) VALUES (?,?)", (row.lastrowid, text))


def _hit(run: str, number: int, step: str, marked: str) -> Hit:
    """Read where the words stand from the marks in the text."""
    text: list[str] = []
    marks: list[tuple[int, int]] = []
    start = at = 0
    for one in marked:
        if one == _OPEN:
            start = at
        elif one == _CLOSE:
            marks.append((start, at))
        else:
            text.append(" " if one.isspace() else one)
            at += 1
    return Hit(RunId(run), StepId(step), number, "".join(text), tuple(marks))
