"""Lines of traces of scripts that were exported before these ran on the engine: what they leave out."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from studio.ids import StepId, step_parts
from studio.llm.client import message_from_json, message_to_json
from studio.trace import events
from studio.trace.events import Entry, Event, event_from_plain

SELDOM: Mapping[str, object] = {
    "samples": 1,
    "may_call": True,
    "several_calls": True,
    "speaker": "",
    "schema_by": "auto",
}
"""What a request says only where it differs from this."""

TOLD = (
    events.RunStarted,
    events.RunFinished,
    events.RunFailed,
    events.RunCancelled,
    events.StepStarted,
    events.StepFinished,
    events.StepFailed,
    events.StepCancelled,
    events.ChatRequested,
    events.ChatAnswered,
    events.EmbedRequested,
    events.EmbedAnswered,
    events.ToolCalled,
    events.ToolAnswered,
    events.ApprovalAsked,
    events.ApprovalGiven,
    events.FolderOpened,
    events.ValueDrawn,
    events.LogWritten,
    events.MemoryRead,
)
"""What scripts tell; the rest of what can happen is the studio's alone."""

_BY_ITSELF = (
    events.FolderOpened,
    events.LogWritten,
    events.MemoryRead,
    events.StepProgressed,
    events.ValueDrawn,
)
"""What the studio tells of a step without saying inside which other it happened."""


def event_of(plain: dict[str, Any], step: str) -> tuple[Event, StepId]:
    """Read an event, and name the step inside which it happened.

    Raises `ValueError` for what such scripts did not tell, and as one does who reads what is none.
    """
    event = event_from_plain(_in_full(plain, step))
    if not isinstance(event, TOLD):
        message = f"no script told of `{event.kind}`"
        raise ValueError(message)  # noqa: TRY004  # the line is a wrong one, as others are
    return event, StepId("") if isinstance(event, _BY_ITSELF) else around(StepId(step))


def around(step: StepId) -> StepId:
    """Name the step inside which another happens, as its own name tells: `rounds` of `rounds.2/writer`."""
    place, _, last = step.rpartition("/")
    outer = place.rpartition("/")[2]
    if "#" in outer:
        return StepId(place)
    node, call, _ = last.partition("#")
    if call:
        return StepId(f"{place}/{node}" if place else node)
    before, _, caller = place.rpartition("/")
    if "#" in before.rpartition("/")[2] and "." not in caller:
        return StepId(before)  # a flow that a tool runs
    return StepId(re.sub(r"[.@]\d+$", "", place))


def _in_full(event: dict[str, Any], step: str) -> dict[str, Any]:
    """Give an event with what scripts leave out of requests and messages."""
    if event["kind"] == "chat_requested":
        asked = event["request"]
        request: dict[str, Any] = {
            "messages": [_message(one) for one in asked["messages"]],
            "tools": [
                {name: one.get(name) for name in ("name", "description", "parameters")}
                for one in asked.get("tools", ())
            ],
            **{name: asked.get(name) for name in ("temperature", "max_tokens", "response_schema")},
            **{name: asked[name] for name, usual in SELDOM.items() if asked.get(name, usual) != usual},
        }
        if asked.get("window"):
            request["window"] = {**asked["window"], "dropped": list(asked["window"].get("dropped", ()))}
        return {**event, "request": request}
    if event["kind"] == "chat_answered":
        others = [_message(one) for one in event.get("others", ())]
        return {**event, "message": _message(event["message"]), "others": others}
    if event["kind"] == "tool_answered" and "#code." in step:
        given = json.loads(event["text"])
        return {**event, "text": json.dumps(given, ensure_ascii=False, separators=(",", ":"))}
    if event["kind"] == "tool_answered" and event["tool"] != "python":
        return {**event, "labels": [f"tool:{event['tool']}"]}
    return event


def _message(plain: Mapping[str, Any]) -> dict[str, object]:
    return message_to_json(message_from_json(plain))


def put_right(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Tell as retried what failed and began again."""
    starts = Counter(one.step for one in entries if isinstance(one.event, events.StepStarted))
    begun, failed = Counter[StepId](), Counter[StepId]()
    for entry in entries:
        event: Event = entry.event
        if isinstance(event, events.StepStarted):
            begun[entry.step] += 1
            if begun[entry.step] > 1:
                continue
        elif isinstance(event, events.StepFailed) and not step_parts(entry.step)[2]:
            failed[entry.step] += 1
            if starts[entry.step] > begun[entry.step]:
                event = events.StepRetried(failed[entry.step], event.message)
        yield replace(entry, event=event)
