"""A batch of entries as it is stored: one row, its columns written as JSON in one go, and compressed.

What a step does most often is encoded only when its batch is; all else, and what may be large, at once.
"""

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, NamedTuple, TypeAlias, cast

import orjson
from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import from_json

from studio.errors import StoreError
from studio.ids import RunId, StepId
from studio.store.run_files.large import Place, put_back, take_out
from studio.trace.events import Entry, Event, StepFinished, StepReady, StepStarted, event_from_plain
from studio.trace.events.values import Plain

SHORT = 256
"""Characters up to which a text is not looked at before its batch is written."""

BARE = 200
"""Bytes that an entry without values has, about."""

_AS_THEY_ARE = frozenset({int, float, bool, type(None)})


@dataclass(slots=True)
class Encoded:
    """An entry whose event is JSON already; `values` has what was taken out of it, and from where."""

    number: int
    step: StepId
    parent: StepId
    time: float
    event: orjson.Fragment
    values: Sequence[tuple[Place, bytes]]


Storable: TypeAlias = Entry | Encoded


class Chunk(NamedTuple):
    """Entries of the numbers `first` to `last`, as one row."""

    first: int
    last: int
    body: bytes


@dataclass(frozen=True, slots=True)
class Columns:
    """A batch on its way to be a chunk: each of its columns is a JSON list."""

    first: int
    last: int
    count: int
    written: tuple[bytes, ...]

    def chunk(self) -> Chunk:
        """Compress them."""
        return Chunk(self.first, self.last, zlib.compress(b"[" + b",".join(self.written) + b"]", 1))


def storable(entry: Entry) -> tuple[Storable, int]:
    """Make an entry ready to be stored, and tell about how many bytes it has.

    Raises `StoreError` for a value that JSON can't say.
    """
    event = entry.event
    if isinstance(event, StepReady):
        return entry, BARE
    if isinstance(event, StepStarted):
        values = event.inputs
    elif isinstance(event, StepFinished):
        values = event.outputs
    else:
        return encoded(entry)
    size = BARE
    for shown in values.values():
        data = shown.data
        if type(data) is str and len(data) <= SHORT:
            size += len(data)
        elif type(data) not in _AS_THEY_ARE:
            return encoded(entry)
    return entry, size


def encoded(entry: Entry) -> tuple[Encoded, int]:
    """Write an entry's event; raises `StoreError` for a value that JSON can't say."""
    try:
        rest, taken = take_out(entry.event)
    except (TypeError, ValueError) as error:
        where = f"step `{entry.step}`" if entry.step else "run"
        raise StoreError(
            f"A value of the {where} can't be stored ({entry.event.kind}): {error}.",
            hint="Outputs must be text, numbers, true and false, lists, or objects of these.",
        ) from error
    size = BARE + len(rest) + sum(len(value) for _, value in taken)
    made = Encoded(entry.number, entry.step, entry.parent, entry.time, orjson.Fragment(rest), taken)
    return made, size


def make_columns(entries: Sequence[Storable], place: Callable[[bytes], int]) -> Columns:
    """Write entries; `place` stores a large value and gives its id. Raises `StoreError`."""
    numbers = [one.number for one in entries]
    large = [
        (one.number, [(where, place(value)) for where, value in one.values])
        for one in entries
        if type(one) is Encoded and one.values
    ]
    try:
        events = orjson.dumps([one.event for one in entries], option=orjson.OPT_NON_STR_KEYS)
    except TypeError:  # half a surrogate, or an integer of more than 64 bits
        slowly = [one if isinstance(one, Encoded) else encoded(one)[0] for one in entries]
        events = orjson.dumps([one.event for one in slowly])
    written = (
        orjson.dumps(numbers),
        orjson.dumps([one.step for one in entries]),
        orjson.dumps([one.parent for one in entries]),
        orjson.dumps([one.time for one in entries]),
        events,
        orjson.dumps(large),
    )
    return Columns(min(numbers), max(numbers), len(numbers), written)


def joined(parts: Sequence[Columns]) -> Columns:
    """Make one batch of several that followed one another."""
    columns = zip(*(one.written for one in parts), strict=True)
    written = tuple(
        b"[" + b",".join(one[1:-1] for one in column if one != b"[]") + b"]" for column in columns
    )
    return Columns(parts[0].first, parts[-1].last, sum(one.count for one in parts), written)


def entries_of_chunk(run: RunId, chunk: Chunk, read: Callable[[int], Plain]) -> Iterator[Entry]:
    """Read the entries of a chunk; raises `StoreError` at the first that is damaged."""
    try:
        body = zlib.decompress(chunk.body)
    except zlib.error as error:
        raise _damaged(run, chunk.first) from error
    if not body.endswith(_NOTHING_LARGE):
        yield from _one_by_one(run, chunk.first, body, read)
        return
    try:
        *columns, _ = _columns().validate_json(body)
        rows = zip(*columns, strict=True)
    except ValidationError:
        yield from _one_by_one(run, chunk.first, body, read)
        return
    for number, step, parent, time, event in rows:
        yield Entry(run, number, step, parent, time, event)


_NOTHING_LARGE = b",[]]"
"""How a chunk ends out of which nothing was taken."""

_Columns: TypeAlias = tuple[
    list[int],
    list[StepId],
    list[StepId],
    list[float],
    list[Annotated[Event, Field(discriminator="kind")]],
    list[Any],
]


@cache
def _columns() -> TypeAdapter[_Columns]:
    return TypeAdapter(_Columns)


def _one_by_one(run: RunId, first: int, body: bytes, read: Callable[[int], Plain]) -> Iterator[Entry]:
    number = first
    try:
        *columns, large = cast("list[list[Any]]", from_json(body))
        places: dict[int, Any] = dict(large)
        for number, step, parent, time, event in zip(*columns, strict=True):  # told below
            if number in places:
                put_back(event, places[number], read)
            yield Entry(run, number, StepId(step), StepId(parent), time, event_from_plain(event))
    except (ValidationError, ValueError, LookupError, TypeError) as error:
        raise _damaged(run, number) from error


def _damaged(run: RunId, number: int) -> StoreError:
    return StoreError(
        f"Entry {number} of the run `{run}` is damaged.",
        hint="Everything before it can be read; the file was not changed.",
    )
