"""Reading large values: what a run's file has as recipes, put together again.

Values that grow share their beginning in memory too: a list that goes on from another holds that one's items.
"""

import sqlite3
import zlib
from collections import OrderedDict
from typing import cast

import orjson
from pydantic_core import from_json

from studio.trace.events.values import Plain

KEPT = 16
"""Values kept at hand, for those that go on from them."""

KEPT_BYTES = 32 * 2**20

_SELECT = "SELECT parts, new, is_packed FROM large_values WHERE id = ?"


class Recipes:
    """The large values of one file, by id; raises `LookupError` or `ValueError` for one that is damaged."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._bytes: OrderedDict[int, bytes] = OrderedDict()
        self._parsed: OrderedDict[int, Plain] = OrderedDict()
        self._size = 0

    def read(self, number: int) -> Plain:
        """Give a value; the same object when it is asked for again soon."""
        if number in self._parsed:
            self._parsed.move_to_end(number)
            return self._parsed[number]
        value = self._grown(number)
        if value is None:
            value = from_json(self.bytes_of(number))
        self._parsed[number] = value
        if len(self._parsed) > KEPT:
            self._parsed.popitem(last=False)
        return value

    def bytes_of(self, number: int) -> bytes:
        """Give the JSON of a value."""
        if number in self._bytes:
            self._bytes.move_to_end(number)
            return self._bytes[number]
        parts, new = self._recipe(number)
        pieces: list[bytes] = []
        at = 0
        for part in parts:
            if isinstance(part, int):
                pieces.append(new[at : at + part])
                at += part
            else:
                source, start, length = part
                if source >= number:
                    raise LookupError(source)  # only a damaged file has circles
                pieces.append(self.bytes_of(source)[start : start + length])
        return self._keep(number, b"".join(pieces))

    def _recipe(self, number: int) -> tuple[list[int | tuple[int, int, int]], bytes]:
        found = self._connection.execute(_SELECT, (number,)).fetchone()
        if found is None:
            raise LookupError(number)
        parts, new, is_packed = found
        try:
            return orjson.loads(parts), zlib.decompress(new) if is_packed else new
        except zlib.error as error:
            raise ValueError(str(error)) from error

    def _grown(self, number: int) -> Plain | None:
        """Give a list that is one at hand and more items behind, without reading all of it again."""
        if not self._parsed:
            return None
        parts, new = self._recipe(number)
        match parts:
            case [[source, 0, head], int(), [same, tail, 1]] if source == same and tail == head:
                base = self._parsed.get(source)
            case _:
                return None
        if not isinstance(base, list) or not base or not new.startswith(b","):
            return None
        self.bytes_of(number)
        more = cast("list[Plain]", from_json(b"[" + new[1:] + b"]"))
        return [*cast("list[Plain]", base), *more]

    def _keep(self, number: int, value: bytes) -> bytes:
        self._bytes[number] = value
        self._size += len(value)
        while len(self._bytes) > 1 and (len(self._bytes) > KEPT or self._size > KEPT_BYTES):
            self._size -= len(self._bytes.popitem(last=False)[1])
        return value
