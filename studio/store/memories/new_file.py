"""What a memory's file is, by its first bytes, and how one is made: whole, or not at all."""

import fcntl
import os
import stat
import struct
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import BinaryIO, Literal, TypeAlias

from studio.store.memories.rows import APPLICATION, FORMAT, SCHEMA
from studio.store.memories.sql import Database
from studio.store.migrations import in_wal_mode

Sort: TypeAlias = Literal["missing", "memory", "newer", "damaged", "foreign"]

PAGE = 4096

_MAGIC = b"SQLite format 3\0"


def sort_of(path: Path) -> Sort:
    """Tell what stands at a path; what leads elsewhere, or is no file, is left alone."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return "foreign"
        with path.open("rb") as file:
            head = file.read(100)
    except FileNotFoundError:
        return "missing"
    if not head:
        return "missing"
    is_database, is_whole = head.startswith(_MAGIC), len(head) == 100
    # Where both stand: https://sqlite.org/fileformat2.html
    form, application = struct.unpack(">i4xi", head[60:72]) if is_whole else (0, 0)
    if application == APPLICATION:
        return "damaged" if not is_database else "newer" if form > FORMAT else "memory"
    if not head.strip(b"\0") or (is_database and not is_whole):
        return "damaged"
    return "damaged" if not is_database and _is_ours_beyond_the_first_page(path) else "foreign"


@cache
def empty_file(name: str, kind: str) -> bytes:
    """Give the bytes of a memory in which nothing is."""
    with _made_anew(name, kind) as database:
        return in_wal_mode(database.serialized())


@contextmanager
def _made_anew(name: str, kind: str) -> Generator[Database]:
    database = Database.without_file()
    try:
        database.do(f"PRAGMA page_size = {PAGE}")
        database.do("PRAGMA auto_vacuum = INCREMENTAL")
        database.do(f"PRAGMA application_id = {APPLICATION}")
        database.do(f"PRAGMA user_version = {FORMAT}")
        database.do(SCHEMA)
        database.do("INSERT INTO memory VALUES (1, ?, ?, 0, 0, 0)", (name, kind))
        yield database
    finally:
        database.close()


@cache
def schema() -> Mapping[str, str]:
    """How each table is made in a file of this format."""
    with _made_anew("", "") as database:
        return dict(database.rows("SELECT name, sql FROM sqlite_schema WHERE type = 'table'"))


@cache
def _tables() -> Mapping[str, int]:
    """The page where each table begins, which is the same in every file of this format."""
    with _made_anew("", "") as database:
        return dict(database.rows("SELECT name, rootpage FROM sqlite_schema WHERE type = 'table'"))


def _is_ours_beyond_the_first_page(path: Path) -> bool:
    kinds = {"saves": (2, 10)}  # pages of an index; those of tables begin with 5 or 13
    with path.open("rb") as file:
        for table, page in _tables().items():
            file.seek((page - 1) * PAGE)
            if next(iter(file.read(1)), 0) not in kinds.get(table, (5, 13)):
                return False
    return True


def make_file(path: Path, name: str, kind: str) -> None:
    """Make an empty memory, unless there is a file by then."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with beside(path) as (temporary, file):
        file.write(empty_file(name, kind))
        file.flush()
        os.fsync(file.fileno())
        if not path.exists() or not path.stat().st_size:
            # What belonged to a file that somebody deleted, SQLite would add to the new one.
            for left in (path, log_of(path), path.with_name(f"{path.name}-shm")):
                left.unlink(missing_ok=True)
        try:
            os.link(temporary, path)
        except FileExistsError:
            pass
        except OSError:  # not every file system has links
            temporary.replace(path)


@contextmanager
def beside(path: Path) -> Generator[tuple[Path, BinaryIO]]:
    """Make an empty file beside another, to be put in its place; it is gone afterwards, where it still is.

    It is locked, so that whoever sweeps up after killed processes knows that it is none of theirs.
    """
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    made = Path(name)
    try:
        with os.fdopen(handle, "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield made, file
    finally:
        for left in (made, log_of(made), made.with_name(f"{made.name}-shm")):
            left.unlink(missing_ok=True)


def log_of(path: Path) -> Path:
    """Give where SQLite keeps what is not yet in the file itself."""
    return path.with_name(f"{path.name}-wal")
