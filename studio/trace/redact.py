"""Keys leave no trace: the one function through which every event goes before it is written."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, cast

import orjson

from studio.trace.events import Event

HIDDEN = "[hidden]"
SHORTEST = 6
"""A secret of fewer characters would hide ordinary text; nothing that short is a key."""


def redactor(secrets: Iterable[str]) -> Callable[[Event], Event]:
    """Give the function that replaces every one of `secrets`, wherever it stands in an event."""
    known = sorted({one for one in secrets if len(one) >= SHORTEST}, key=len, reverse=True)
    if not known:
        return _unchanged
    marks = [json.dumps(one, ensure_ascii=False)[1:-1].encode("utf-8", "replace") for one in known]

    def redact(event: Event) -> Event:
        # Almost no event has a key in it, and to look at its JSON is the cheapest way to know.
        written = orjson.dumps(event, option=orjson.OPT_NON_STR_KEYS)
        return _clean(event, known) if any(mark in written for mark in marks) else event

    return redact


def _unchanged(event: Event) -> Event:
    return event


def _clean(value: Any, secrets: list[str]) -> Any:
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, HIDDEN)
        return value
    if isinstance(value, Mapping):
        pairs = cast("Mapping[str, object]", value).items()
        return {_clean(key, secrets): _clean(one, secrets) for key, one in pairs}
    if isinstance(value, list | tuple):
        items = [_clean(one, secrets) for one in cast("list[object]", value)]
        return items if isinstance(value, list) else tuple(items)
    if is_dataclass(value) and not isinstance(value, type):
        changed = {
            one.name: _clean(getattr(value, one.name), secrets) for one in fields(value) if one.name != "kind"
        }
        return replace(value, **changed)
    return value
