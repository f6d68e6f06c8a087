"""Runs that stay however few are kept: those that the table of an experiment names."""

import sqlite3
from collections.abc import Collection
from contextlib import closing
from pathlib import Path

from studio.errors import StoreError
from studio.ids import RunId
from studio.store.read_only import read_only_uri

TABLES = "experiments"
"""The folder beside the runs in which each experiment has the file of its trials."""

_NAMED = "SELECT run FROM trials UNION ALL SELECT run FROM scores WHERE run != ''"


def held_runs(root: Path, only: Collection[str] = (), without: Collection[str] = ()) -> set[RunId]:
    """Name the runs of all trials and scores whose tables are below a project's private folder.

    Either of `only` some experiments, or of all `without` some. Raises `StoreError` where a file cannot be
    read: nobody knows then which runs it names.
    """
    found: set[RunId] = set()
    for path in sorted((root / TABLES).glob("*.db")):
        if path.stem in without or (only and path.stem not in only):
            continue
        try:
            with closing(sqlite3.connect(read_only_uri(path), uri=True)) as connection:
                if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'scores'").fetchone():
                    found.update(RunId(run) for (run,) in connection.execute(_NAMED))
        except sqlite3.Error as error:
            raise StoreError(
                f"The trials in `{path}` can't be read: {error}.",
                hint="No run is removed until they can: delete the file if its trials are not needed.",
            ) from error
    return found
