"""What an event holds in large values: taken out, so that each is stored once, and put back.

What was taken out is remembered by its place, beside the event and not in it, so that no value of a user
can be mistaken for the mark of one.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any, TypeAlias, cast

import orjson

from studio.llm.clean_text import normalise_json
from studio.trace.events import Event
from studio.trace.events.values import Plain, Shown

LARGE = 2048
"""Bytes of JSON above which a value is stored on its own."""

Place: TypeAlias = list[str]
"""Keys that lead to a value."""

_EVENT_FIELDS: dict[type, tuple[str, ...]] = {}


def written(value: object) -> bytes:
    """Give a value as JSON; raises `TypeError` or `ValueError` for what JSON can't say.

    Half surrogates, which orjson refuses, are replaced; integers of more than 64 bits are kept.
    """
    try:
        return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS)
    except TypeError:
        return json.dumps(normalise_json(_as_plain(value)), ensure_ascii=False, allow_nan=False).encode()


def take_out(event: Event) -> tuple[bytes, list[tuple[Place, bytes]]]:
    """Give the event's JSON with null in the place of each large value, and the JSON of these values."""
    whole = written(event)
    if len(whole) <= LARGE:
        return whole, []
    kind = type(event)
    names = _EVENT_FIELDS.get(kind)
    if names is None:
        names = _EVENT_FIELDS[kind] = tuple(one.name for one in fields(event))
    taken: list[tuple[Place, bytes]] = []
    rest: dict[str, object] = {}
    for name in names:
        value = cast("object", getattr(event, name))
        ports = _as_shown(value)
        if ports is None:
            rest[name] = _shrunk(value, [name], taken)
        else:
            rest[name] = {
                port: {"data": _shrunk(shown.data, [name, port, "data"], taken), "labels": shown.labels}
                for port, shown in ports.items()
            }
    return (orjson.dumps(rest), taken) if taken else (whole, [])


def put_back(event: dict[str, Any], places: Sequence[tuple[Any, Any]], read: Callable[[Any], Plain]) -> None:
    """Undo `take_out` in an event's parsed JSON; `read` finds a value by what stands beside its place."""
    for place, known_as in reversed(places):
        target: Any = event
        for key in place[:-1]:
            target = target[key]
        target[place[-1]] = read(known_as)


def _shrunk(value: object, place: Place, taken: list[tuple[Place, bytes]]) -> object:
    inner = written(value)
    if len(inner) <= LARGE:
        return orjson.Fragment(inner)
    taken.append((place, inner))
    return None


def _as_shown(value: object) -> Mapping[str, Shown] | None:
    """Give values by port; None for what is something else."""
    if not isinstance(value, Mapping):
        return None
    ports = cast("Mapping[str, Shown]", value)
    return ports if all(type(one) is Shown for one in ports.values()) else None


def _as_plain(value: object) -> object:
    return asdict(cast("Any", value)) if hasattr(value, "__dataclass_fields__") else value
