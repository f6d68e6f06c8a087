"""Reading the file of a memory, as it is or as it was."""

import shutil
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from studio.sdk.items import Item
from studio.store.memories.new_file import log_of, schema
from studio.store.memories.rows import COLUMNS, FORMAT, row_of
from studio.store.memories.sql import (
    UNWRITABLE,
    BadStatementError,
    CorruptError,
    Database,
    DiskError,
    FullError,
)

PATIENCE = 3.0
"""So many seconds is waited for who holds a file."""

_SEEN = f"SELECT {COLUMNS} FROM items WHERE born <= ?1 AND (gone IS NULL OR gone > ?1) ORDER BY place"  # noqa: S608


@dataclass(frozen=True, slots=True)
class Contents:
    """What is in a memory in its `version`, with the newest there is, and the oldest that is kept."""

    name: str
    kind: str
    version: int
    newest: int
    oldest: int
    items: Sequence[Item]


def contents_of(path: Path, version: int | None = None) -> Contents:
    """Read a memory; of a version that is not kept, the nearest. Raises SQLite's errors."""
    with reading(path) as database:
        name, kind, newest, oldest = head_of(database)
        seen = newest if version is None else min(max(version, oldest), newest)
        try:
            check(database)
            items = [row_of(row).item for row in database.rows(_SEEN, (seen,))]
        except (ValueError, BadStatementError) as error:
            raise CorruptError(str(error)) from error
        return Contents(name, kind, seen, newest, oldest, items)


def check(database: Database) -> None:
    """Look whether all pages are sound, those as well that are only written to; raises `CorruptError`."""
    said = database.value("PRAGMA quick_check(1)")
    if said != "ok":
        raise CorruptError(str(said))


def head_of(database: Database) -> tuple[str, str, int, int]:
    """Give name and kind, the newest version and the oldest."""
    try:
        row = database.row("SELECT name, kind, version, oldest FROM memory")
    except (BadStatementError, UnicodeDecodeError) as error:
        raise CorruptError(str(error)) from error
    if row is None or list(map(type, row)) != [str, str, int, int]:
        raise CorruptError("it does not say what it is")
    return row[0], row[1], row[2], row[3]


def check_schema(database: Database) -> None:
    """Look whether there is nothing in a file that would run when it is read or written, such as a view.

    Raises `CorruptError`; of a file in a newer form what its tables are is not known.
    """
    is_known = database.value("PRAGMA user_version") <= FORMAT
    for sort, name, made in database.rows("SELECT type, name, sql FROM sqlite_schema"):
        is_table = sort == "table" and not str(made).upper().startswith("CREATE VIRTUAL")
        is_ours = schema().get(name) == made or str(name).startswith("sqlite_")
        if sort != "index" and not (is_table and (is_ours or not is_known)):
            raise CorruptError(f"`{name}` does not belong there")


@contextmanager
def reading(path: Path) -> Generator[Database]:
    """Open a file to read it as it is now; where nothing can be written beside it, a copy of it."""
    try:
        database = _opened(path)
    except (*UNWRITABLE, DiskError, FullError):  # SQLite wants to write even to read, if only on a full disk
        if not _has_log(path):
            with reading_there(_checked(Database.of_bytes(path.read_bytes()))) as database:
                yield database
            return
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / path.name
            shutil.copyfile(path, copy)
            shutil.copyfile(log_of(path), log_of(copy))
            with reading_there(_opened(copy)) as database:
                yield database
        return
    with reading_there(database):
        yield database


@contextmanager
def reading_there(database: Database) -> Generator[Database]:
    """See a database as it is now, and close it."""
    try:
        with database.looking():
            yield database
    finally:
        database.close()


def _has_log(path: Path) -> bool:
    try:
        return log_of(path).stat().st_size > 0
    except FileNotFoundError:
        return False


def _opened(path: Path) -> Database:
    return _checked(Database.of(path, can_write=False, patience=PATIENCE))


def _checked(database: Database) -> Database:
    try:
        check_schema(database)
    except BaseException:
        database.close()
        raise
    return database
