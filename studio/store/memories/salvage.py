"""A damaged memory: put aside as it is, and what can be read of it saved into a new file, row by row."""

import os
import shutil
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from studio.store.memories.contents import Contents, head_of, reading
from studio.store.memories.new_file import PAGE, beside, empty_file, log_of
from studio.store.memories.rows import COLUMNS, StoredRow, row_of
from studio.store.memories.sql import Database, Row, SqlError

_MOST_ROWS_A_PAGE = 60
_LAST_VERSION = 1 << 40  # what is above is damage


def mend(path: Path, name: str, kind: str) -> tuple[Path, int]:
    """Put a sound file in the place of a damaged one; gives where that is now, and how many items were saved.

    Raises `OSError` where that cannot be done; then nothing has changed.
    """
    with beside(path) as (made, _):
        count = _save(path, made, name, kind)
        aside = _free_name(path)
        log, shared = log_of(path), path.with_name(f"{path.name}-shm")
        _double(path, aside)
        if log.exists() and log.stat().st_size:
            log.rename(log_of(aside))
        log.unlink(missing_ok=True)
        shared.unlink(missing_ok=True)
        made.replace(path)
    return aside, count


def readable_of(path: Path, name: str, kind: str, version: int | None = None) -> Contents:
    """Read what can be read of a damaged file, and leave it as it is."""
    with _open_somehow(path) as database:
        rows = sorted(rows_of(database), key=lambda one: one.place)
        known = _head(database, name, kind, rows)
    seen = known[2] if version is None else version
    items = {
        one.item.id: one.item for one in rows if one.born <= seen and (one.gone is None or one.gone > seen)
    }
    return Contents(known[0], known[1], seen, known[2], known[3], list(items.values()))


def rows_of(database: Database) -> list[StoredRow]:
    """Read all rows of items that can be read and are what was written."""
    found = list[StoredRow]()
    for row in _each_row(database, COLUMNS, "items", "row"):
        with suppress(ValueError):
            found.append(row_of(row))
    return found


def _save(path: Path, made: Path, name: str, kind: str) -> int:
    with _open_somehow(path) as database:
        rows = rows_of(database)
        name, kind, version, oldest = _head(database, name, kind, rows)
        versions = _versions(database)
        saves = _saves(database)
        version = max([version, *(one[0] for one in versions), *(one[1] for one in saves)])
    made.write_bytes(empty_file(name, kind))
    there = Database.of(made, can_write=True, patience=0)
    try:
        with there.changing():
            places = max((one.place for one in rows), default=0)
            there.do("UPDATE memory SET version = ?, oldest = ?, places = ?", (version, oldest, places))
            slots = ", ".join("?" * len(COLUMNS.split(",")))
            # Of two that are now, which damage alone can bring about, the last is.
            kept = {(one.item.id, one.gone if one.gone is not None else -1): one for one in rows}
            insert = f"INSERT INTO items({COLUMNS}) VALUES ({slots})"  # noqa: S608
            there.do_each(insert, [one.values() for one in kept.values()])
            there.do_each("INSERT OR IGNORE INTO versions VALUES (?, ?, ?, ?)", versions)
            there.do_each("INSERT OR IGNORE INTO saves VALUES (?, ?)", saves)
        return there.value("SELECT count(*) FROM items WHERE gone IS NULL")
    finally:
        there.close()


def _head(database: Database, name: str, kind: str, rows: list[StoredRow]) -> tuple[str, str, int, int]:
    last = max((max(one.born, one.gone or 0) for one in rows), default=0)
    try:
        name, kind, version, oldest = head_of(database)
    except SqlError:
        return name, kind, last, 0
    return name, kind, max(version, last) if version < _LAST_VERSION else last, oldest


def _versions(database: Database) -> list[Row]:
    found = _each_row(database, "version, at, source, changes", "versions", "version")
    types = [int, str, str, int]
    return [one for one in found if list(map(type, one)) == types and 0 < one[0] < _LAST_VERSION]


def _saves(database: Database) -> list[Row]:
    try:
        found = database.rows("SELECT key, version FROM saves")
    except SqlError:
        return []
    return [one for one in found if list(map(type, one)) == [bytes, int] and 0 < one[1] < _LAST_VERSION]


def _each_row(database: Database, columns: str, table: str, key: str) -> Iterator[Row]:
    """Read forward while that goes, and from there on ask for each row by its number."""
    last = 0
    pages = 1000
    with suppress(SqlError):
        pages = database.value("PRAGMA page_count")
    page = f"SELECT {key}, {columns} FROM {table} WHERE {key} > ? ORDER BY {key} LIMIT 50"  # noqa: S608
    while True:
        try:
            found = database.rows(page, (last,))
        except (SqlError, UnicodeDecodeError):
            break
        if not found:
            return
        if found[-1][0] <= last:  # what is damaged may lead back
            break
        yield from (row[1:] for row in found)
        last = found[-1][0]
    one = f"SELECT {columns} FROM {table} WHERE {key} = ?"  # noqa: S608
    for number in range(last + 1, last + 1 + pages * _MOST_ROWS_A_PAGE):
        try:
            row = database.row(one, (number,))
        except (SqlError, UnicodeDecodeError):
            continue
        if row is not None:
            yield row


@contextmanager
def _open_somehow(path: Path) -> Generator[Database]:
    """Open a damaged file; where its first page is lost, a copy with that of a new one in its place."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        if not _can_be_opened(path):
            shutil.copyfile(path, copy)
            if log_of(path).exists():
                shutil.copyfile(log_of(path), log_of(copy))
            with copy.open("r+b") as file:
                file.write(_first_page(copy.stat().st_size))
        with reading(copy if copy.exists() else path) as database:
            yield database


def _can_be_opened(path: Path) -> bool:
    try:
        with reading(path):
            return True
    except SqlError:
        return False


def _first_page(size: int) -> bytes:
    page = empty_file("", "")[:PAGE]
    return page[:28] + (size // PAGE).to_bytes(4, "big") + page[32:]


def _double(path: Path, aside: Path) -> None:
    try:
        os.link(path, aside)
    except OSError:  # not every file system has links
        shutil.copyfile(path, aside)


def _free_name(path: Path) -> Path:
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    aside = path.with_name(f"{path.name}.damaged-{stamp}")
    number = 1
    while aside.exists():
        number += 1
        aside = path.with_name(f"{path.name}.damaged-{stamp}-{number}")
    return aside
