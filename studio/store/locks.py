"""One writer at a time for the files that all processes of a project share, and one pair of eyes."""

import fcntl
import os
import sqlite3
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

DAMAGED = (sqlite3.Error, UnicodeDecodeError)
"""What reading a damaged file raises: of a broken schema SQLite speaks in bytes that are no text."""


@contextmanager
def locked(path: Path) -> Generator[None]:
    """Hold the lock of the file `path`, or raise `BlockingIOError` when another process does."""
    with path.with_suffix(".lock").open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield


def update_or_remake(path: Path, update: Callable[[], None]) -> None:
    """Update an index that can be made anew from other files; a damaged one is removed before that.

    Does nothing while another process does it, or where it may not write.
    """
    with suppress(OSError, *DAMAGED), locked(path):
        try:
            update()
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            if isinstance(error, sqlite3.OperationalError):
                raise
            path.unlink()
            update()


def make_private(path: Path) -> None:
    """Make an empty file that only its owner may read, as all files of runs, unless it is there.

    SQLite takes it for a new database, and gives its journal the same rights.
    """
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
