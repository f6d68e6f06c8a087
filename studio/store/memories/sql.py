"""SQLite as memories use it: the home of `apsw` and `sqlite_vec`.

Python's own `sqlite3` cannot load extensions everywhere; `apsw` brings an SQLite that can.
"""

import importlib.util
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias, cast

import apsw

from studio.errors import StoreError

Row: TypeAlias = tuple[Any, ...]

SqlError = apsw.Error
FullError = apsw.FullError
DiskError = apsw.IOError
CorruptError = apsw.CorruptError
BadStatementError = apsw.SQLError
BUSY = (apsw.BusyError, apsw.LockedError)
DAMAGED = (apsw.CorruptError, apsw.NotADBError, apsw.FormatError)
UNWRITABLE = (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError)


class Database:
    """A connection. Only one thread may use it at a time."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    @classmethod
    def with_vectors(cls) -> "Database":
        """Make one without a file, that knows vectors."""
        connection = apsw.Connection(":memory:")
        connection.enable_load_extension(True)
        connection.load_extension(_extension())
        connection.enable_load_extension(False)
        return cls(connection)

    @classmethod
    def without_file(cls) -> "Database":
        """Make one that is gone when it is closed."""
        return cls(apsw.Connection(":memory:"))

    @classmethod
    def of_bytes(cls, content: bytes) -> "Database":
        """Make one of the bytes of a file beside which no log stands; it is gone when it is closed."""
        connection = apsw.Connection(":memory:")
        # A log is nothing for memory: the bytes at 18 and 19 say that there is none.
        connection.deserialize(  # pyright: ignore[reportUnknownMemberType]  # its stub leaves bytes open
            "main", content[:18] + b"\1\1" + content[20:]
        )
        return cls(connection)

    @classmethod
    def of(cls, path: Path, *, can_write: bool, patience: float) -> "Database":
        """Open a file; to write, it is made where it is not there. Waits `patience` seconds for locks."""
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        connection = apsw.Connection(str(path), flags=flags if can_write else apsw.SQLITE_OPEN_READONLY)
        connection.set_busy_timeout(round(patience * 1000))
        return cls(connection)

    def rows(self, statement: str, values: Sequence[object] = ()) -> list[Row]:
        """Do it, and give its rows."""
        return cast("list[Row]", self._cursor.execute(statement, values).fetchall())

    def row(self, statement: str, values: Sequence[object] = ()) -> Row | None:
        """Do it, and give its first row."""
        return next(iter(self._cursor.execute(statement, values)), None)

    def value(self, statement: str, values: Sequence[object] = ()) -> Any:
        """Do it, and give the first value of its first row."""
        row = self.row(statement, values)
        return None if row is None else row[0]

    def do(self, statements: str, values: Sequence[object] = ()) -> None:
        """Do it."""
        self._cursor.execute(statements, values).fetchall()

    def do_each(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        """Do it once for each row of values."""
        self._cursor.executemany(statement, rows)

    @contextmanager
    def changing(self) -> Generator[None]:
        """Begin to write; what happens takes effect together, or not at all."""
        self.do("BEGIN IMMEDIATE")
        try:
            yield
            self.do("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self.do("ROLLBACK")
            raise

    @contextmanager
    def looking(self) -> Generator[None]:
        """See all as it is now, until the end."""
        self.do("BEGIN")
        try:
            yield
        finally:
            if self._connection.in_transaction:
                self.do("ROLLBACK")

    def serialized(self) -> bytes:
        """Give the bytes of a file with the same content."""
        return self._connection.serialize("main")

    def close(self) -> None:
        """Let go of it."""
        # What was committed stands in SQLite's log, and is safe whether or not that can be tidied away.
        with suppress(SqlError):
            self._connection.close()

    @property
    def _cursor(self) -> Any:
        # Its types name more kinds of values than they define.
        return self._connection.cursor()


def _extension() -> str:
    # To import the package would import numpy, which takes longer than all the rest.
    spec = importlib.util.find_spec("sqlite_vec")
    if spec is None or spec.origin is None:
        raise StoreError("The package `sqlite-vec` is not installed.", hint="Reinstall Stepwire.")
    return str(Path(spec.origin).with_name("vec0"))
