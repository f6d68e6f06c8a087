"""Queries on databases: what they may do, for how long, and how their rows are said."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import cast

from studio.sdk import Json, ToolError

READING = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)
"""All that a query may do which only reads."""

REACHING = frozenset({sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH, sqlite3.SQLITE_PRAGMA})
"""What no query may do: it leads to other files, or changes how the database is kept."""

STEPS = 20_000_000
"""Steps of SQLite's machine in about a second."""

LENGTH = 10_000_000
"""How many characters a value may have."""


def guard(
    connection: sqlite3.Connection,
    *,
    write: bool = False,
    seconds: float = 1.0,
    is_stopped: Callable[[], bool] = lambda: False,
) -> None:
    """Let a connection do no more than read (or write, in its own file), for about so many seconds."""
    steps = 0

    def count() -> bool:
        """Stop what takes too long."""
        nonlocal steps
        steps += 10_000
        return steps > STEPS * seconds or is_stopped()

    def allow(action: int, first: str | None, second: str | None, *_: object) -> int:
        """Let it do what it may, and nothing else."""
        is_fine = action not in REACHING if write else action in READING
        return (
            sqlite3.SQLITE_OK if is_fine and "load_extension" not in {first, second} else sqlite3.SQLITE_DENY
        )

    connection.set_authorizer(allow)
    connection.set_progress_handler(count, 10_000)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LENGTH)


def named_rows(names: Sequence[str], rows: Sequence[Sequence[object]]) -> list[Json]:
    """Say rows as objects by the names of their columns."""
    return [{name: plain_cell(cell) for name, cell in zip(names, row, strict=True)} for row in rows]


def rows_within(found: sqlite3.Cursor, most: int, together: int) -> list[Sequence[object]]:
    """The first rows; raises `ToolError` where they have more characters `together`."""
    rows: list[Sequence[object]] = []
    size = 0
    for row in islice(found, most):
        size += sum(len(cell) for cell in row if isinstance(cell, str | bytes))
        if size > together:
            message = f"The rows have more than {together:,} characters in total."
            raise ToolError(message, hint="Select fewer rows or columns.")
        rows.append(row)
    return rows


def column_names(found: sqlite3.Cursor) -> list[str]:
    """Name the columns that a query gives; raises `ToolError` for none, and for two of one name."""
    names = [column[0] for column in found.description or ()]
    if not names or len(set(names)) < len(names):
        message = "The query returns no columns, or two with the same name."
        raise ToolError(message, hint="Write one SELECT, with `AS` where names would be the same.")
    return names


def given_parameters(parameters: object) -> Mapping[str, object]:
    """Read the values for the `:names` of a query; raises `ToolError` for what is no object."""
    if parameters is None:
        return {}
    if not isinstance(parameters, dict):
        message = "The value at `parameters` is not an object."
        raise ToolError(message, hint="Pass a value for each `:name` of the query.")
    return cast("Mapping[str, object]", parameters)


def plain_cell(cell: object) -> Json:
    """A value of a database as JSON; raises `ToolError` for bytes, which JSON cannot say."""
    if cell is None or isinstance(cell, str | int | float):
        return cell
    message = "A column of the query contains bytes, which are not JSON."
    raise ToolError(message, hint="Leave the column out, or use `hex(column)`.")
