"""The index of runs: what their files say, in one place, so that a list of thousands opens one file.

It holds nothing of its own. Deleted or damaged, it is made again from the files; written by two processes at
once, the second leaves it be, and the next list mends it.
"""

import sqlite3
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from contextlib import closing, suppress
from pathlib import Path

from studio.ids import RunId
from studio.store.locks import make_private, update_or_remake
from studio.store.migrations import migrate_index
from studio.store.summary import COLUMNS, RunSummary, summary_from_values, summary_values

_SELECT = f"SELECT run, stamp, {','.join(COLUMNS)} FROM runs"  # noqa: S608
_INSERT = f"INSERT OR REPLACE INTO runs (run, stamp, {','.join(COLUMNS)}) VALUES (?,?{',?' * len(COLUMNS)})"  # noqa: S608


class Index:
    """Summaries of runs that have ended, with a stamp that tells whether their file has changed since."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> dict[RunId, tuple[str, RunSummary]]:
        """Give stamp and summary of each known run; nothing when the index can't be read."""
        if not self._path.is_file():
            return {}
        known: dict[RunId, tuple[str, RunSummary]] = {}
        with suppress(sqlite3.Error, ValueError), closing(self._connect("ro")) as connection:
            for run, stamp, *values in connection.execute(_SELECT):
                known[RunId(run)] = stamp, summary_from_values(RunId(run), values)
        return known

    def write(self, fresh: Mapping[RunId, tuple[str, RunSummary]], present: AbstractSet[RunId]) -> None:
        """Add what is `fresh`, and drop runs that are not `present`; does nothing when it may not write."""
        update_or_remake(self._path, lambda: self._update(fresh, present))

    def _update(self, fresh: Mapping[RunId, tuple[str, RunSummary]], present: AbstractSet[RunId]) -> None:
        make_private(self._path)
        with closing(self._connect("rwc")) as connection:
            migrate_index(connection)
            connection.execute("BEGIN IMMEDIATE")
            rows = [(run, stamp, *summary_values(summary)) for run, (stamp, summary) in fresh.items()]
            connection.executemany(_INSERT, rows)
            gone = [(run,) for (run,) in connection.execute("SELECT run FROM runs") if run not in present]
            connection.executemany("DELETE FROM runs WHERE run = ?", gone)
            connection.execute("COMMIT")

    def _connect(self, mode: str) -> sqlite3.Connection:
        where = f"{self._path.resolve().as_uri()}?mode={mode}"
        return sqlite3.connect(where, uri=True, isolation_level=None)
