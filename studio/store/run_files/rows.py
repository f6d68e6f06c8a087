"""Reading runs from before batches were rows: there each entry has a row of its own."""

from collections.abc import Iterator
from sqlite3 import Connection
from typing import Any, TypeAlias

import orjson
from pydantic import ValidationError
from pydantic_core import from_json

from studio.errors import StoreError
from studio.ids import RunId, StepId
from studio.store.run_files.large import put_back
from studio.trace.events import Entry, Event, event_from_json, event_from_plain
from studio.trace.events.values import Plain

Values: TypeAlias = tuple[int, str, str, float, bytes, bytes | None]
"""Number, step, parent, time, the event's JSON, and where its large values belong."""

_PAGE = 1000
_SELECT = (
    "SELECT number, step, parent, time, event, large FROM entries"  # noqa: S608
    f" WHERE number > ? ORDER BY number LIMIT {_PAGE}"
)


def entries_of_rows(run: RunId, connection: Connection, after: int) -> Iterator[Entry]:
    """Read entries a page at a time; raises `StoreError` at the first that is damaged."""
    while page := connection.execute(_SELECT, (after,)).fetchall():
        for values in page:
            yield _entry(run, connection, values)
        after = page[-1][0]


def _entry(run: RunId, connection: Connection, values: Values) -> Entry:
    number, step, parent, time, written, large = values
    try:
        event = event_from_json(written) if large is None else _restored(connection, written, large)
    except (ValidationError, ValueError, LookupError, TypeError) as error:
        raise StoreError(
            f"Entry {number} of the run `{run}` is damaged.",
            hint="Everything before it can be read; the file was not changed.",
        ) from error
    return Entry(run, number, StepId(step), StepId(parent), time, event)


def _restored(connection: Connection, written: bytes, large: bytes) -> Event:
    def read(digest: str) -> Plain:
        query = "SELECT value FROM blobs WHERE hash = ?"
        (value,) = connection.execute(query, (digest,)).fetchone()
        return from_json(value)

    plain: dict[str, Any] = orjson.loads(written)
    put_back(plain, orjson.loads(large), read)
    return event_from_plain(plain)
