"""Entries as rows of a run's file, and back."""

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, NamedTuple, TypeAlias

import orjson
from pydantic import ValidationError

from studio.errors import StoreError
from studio.ids import RunId, StepId
from studio.llm.clean_text import normalise_json
from studio.store.blobs import LARGE, Blob, put_back, take_out
from studio.trace.events import Entry, Event, event_from_json, event_from_plain, event_to_json

Values: TypeAlias = tuple[int, str, str, float, str, bytes, bytes | None]
"""Number, step, parent, time, kind, the event's JSON, and where its large values belong."""

COLUMNS = 7


class Row(NamedTuple):
    """An entry as it is stored; `size` is its bytes of JSON, large values included."""

    values: Values
    size: int
    blobs: tuple[Blob, ...] = ()


def row_from_entry(entry: Entry) -> Row:
    """Write an entry; raises `StoreError` for a value that JSON can't say."""
    event = entry.event
    large, blobs = None, ()
    try:
        written = event_to_json(event)
    except TypeError:
        written = _written_slowly(entry)
    size = len(written)
    if size > LARGE:
        plain, taken = take_out(orjson.loads(written))
        if taken:
            written = orjson.dumps(plain)
            large = orjson.dumps([(place, blob.hash) for place, blob in taken])
            blobs = tuple(blob for _, blob in taken)
    values = (entry.number, entry.step, entry.parent, entry.time, event.kind, written, large)
    return Row(values, size, blobs)


def entry_from_values(run: RunId, values: Values, read_blob: Callable[[str], bytes]) -> Entry:
    """Read an entry; raises `StoreError` when it is damaged."""
    number, step, parent, time, _, written, large = values
    try:
        event = event_from_json(written) if large is None else _restored(written, large, read_blob)
    except (ValidationError, ValueError, LookupError, TypeError) as error:
        raise StoreError(f"Entry {number} of the run `{run}` is damaged.", hint=_DAMAGED) from error
    return Entry(run, number, StepId(step), StepId(parent), time, event)


_DAMAGED = "What stands before it can be read; the file was not changed."


def _restored(written: bytes, large: bytes, read_blob: Callable[[str], bytes]) -> Event:
    plain: dict[str, Any] = orjson.loads(written)
    put_back(plain, orjson.loads(large), read_blob)
    return event_from_plain(plain)


def _written_slowly(entry: Entry) -> bytes:
    """Write what orjson refuses: half surrogates are replaced, integers of more than 64 bits are kept."""
    try:
        cleaned = normalise_json(asdict(entry.event))
        return json.dumps(cleaned, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        where = f"step `{entry.step}`" if entry.step else "run"
        raise StoreError(
            f"A value of the {where} can't be stored ({entry.event.kind}): {error}.",
            hint="Nodes give text, numbers, true and false, lists, and objects of these.",
        ) from error
