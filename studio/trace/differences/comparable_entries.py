"""Entries without what differs though runs did the same: what was begun twice, and ids of tool calls."""

from collections.abc import Mapping, Sequence
from typing import cast

from studio.trace.events import (
    BindingClosed,
    BindingOpened,
    Entry,
    MemoryOpened,
    RunCancelled,
    RunContinued,
    RunFailed,
)
from studio.trace.events.values import Plain


def settled(entries: Sequence[Entry]) -> Sequence[Entry]:
    """Leave out of a run that went on what it began once more, and that it had ended."""
    last = max((at for at, one in enumerate(entries) if isinstance(one.event, RunContinued)), default=None)
    if last is None:
        return entries
    again = {lane_of(one) for one in entries[last:]} - {""}
    before = [
        one
        for one in entries[:last]
        if lane_of(one) not in again and not isinstance(one.event, RunFailed | RunCancelled)
    ]
    return [*settled(before), *entries[last + 1 :]]


def lane_of(entry: Entry) -> str:
    """Name that in which the order of entries says something: a step, a binding, a memory."""
    if not entry.step and isinstance(entry.event, BindingOpened | BindingClosed):
        return f"binding {entry.event.node}"
    if isinstance(entry.event, MemoryOpened):
        return f"memory {entry.event.memory}"
    return entry.step


def without_call_ids(plain: Plain) -> Plain:
    """Name the ids of tool calls, which providers make up, by their order."""
    return _without_ids(plain, {})


def _without_ids(value: Plain, names: dict[str, str]) -> Plain:
    """Name the ids of tool calls by their order within the event."""
    if isinstance(value, list):
        return [_without_ids(one, names) for one in cast("list[Plain]", value)]
    if not isinstance(value, dict):
        return value
    pairs = cast("Mapping[str, Plain]", value)
    renamed = {key: _without_ids(one, names) for key, one in pairs.items()}
    calls = renamed.get("tool_calls")
    for call in cast("list[Plain]", calls) if isinstance(calls, list) else ():
        if isinstance(call, dict) and "id" in call:
            call["id"] = _named(cast("Plain", call["id"]), names)
    if "tool_call_id" in renamed:
        renamed["tool_call_id"] = _named(renamed["tool_call_id"], names)
    return renamed


def _named(call_id: Plain, names: dict[str, str]) -> str:
    return names.setdefault(str(call_id), f"call {len(names) + 1}")
