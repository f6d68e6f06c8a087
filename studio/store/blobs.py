"""Large values are taken out of events and stored once, by the hash of their JSON.

What was taken out is remembered by its place, beside the event and not in it, so that no value of a user
can be mistaken for the mark of one.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import orjson

LARGE = 64 * 1024
"""Bytes of JSON above which a value is stored on its own."""

Place: TypeAlias = list[str | int]
"""Keys and indices that lead to a value."""


@dataclass(frozen=True, slots=True)
class Blob:
    """A value taken out of an event: its JSON, and the hash it is stored under."""

    hash: str
    value: bytes


def take_out(event: dict[str, Any]) -> tuple[dict[str, Any], list[tuple[Place, Blob]]]:
    """Give the event with None in the place of each large value, and what was taken out, innermost first."""
    taken: list[tuple[Place, Blob]] = []
    return {key: _shrink(value, [key], taken) for key, value in event.items()}, taken


def put_back(
    event: dict[str, Any], places: Sequence[tuple[Place, str]], read: Callable[[str], bytes]
) -> None:
    """Undo `take_out`; `read` finds a value's JSON by its hash."""
    for place, digest in reversed(places):
        target: Any = event
        for key in place[:-1]:
            target = target[key]
        target[place[-1]] = orjson.loads(read(digest))


def _shrink(value: Any, place: Place, taken: list[tuple[Place, Blob]]) -> Any:
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        value = {key: _shrink(inner, [*place, key], taken) for key, inner in items}
    elif isinstance(value, list):
        inners = cast("list[Any]", value)
        value = [_shrink(inner, [*place, index], taken) for index, inner in enumerate(inners)]
    elif not isinstance(value, str) or len(value) <= LARGE // 4:
        return value
    written = orjson.dumps(value)
    if len(written) <= LARGE:
        return value
    taken.append((place, Blob(hashlib.sha256(written).hexdigest(), written)))
    return None
