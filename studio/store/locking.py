"""One writer at a time for the files that all processes of a project share, and one pair of eyes."""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(path: Path) -> Generator[None]:
    """Hold the lock of the file `path`, or raise `BlockingIOError` when another process does."""
    with path.with_suffix(".lock").open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield


def make_private(path: Path) -> None:
    """Make an empty file that only its owner may read, as all files of runs, unless it is there.

    SQLite takes it for a new database, and gives its journal the same rights.
    """
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
