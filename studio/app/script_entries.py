"""What a script told with `--trace`, read as the studio's own entries; broken lines are counted."""

import json
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from studio.errors import UsageError
from studio.ids import RunId, StepId, step_parts
from studio.llm.client import message_from_json, message_to_json
from studio.trace import events
from studio.trace.events import Entry, Event, event_from_plain

LONGEST = 256 * 2**20
"""How many bytes a trace may have."""

RUN = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{7}")
"""What scripts call their runs, as the studio does."""

SELDOM: Mapping[str, object] = {
    "samples": 1,
    "may_call": True,
    "several_calls": True,
    "speaker": "",
    "schema_by": "auto",
}
"""What a request says only where it differs from this."""

DEEPEST = 100
"""How deep what is told may be nested, as in a flow."""

LATEST = 2.0**34
"""A time after that of every trace that there will be; calendars have no room for any time at all."""

MOST_DIGITS = 9
"""Of the number of a chat."""

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


@dataclass(slots=True)
class ScriptTrace:
    """One run of a script: its entries, in which the texts of flows are still their versions."""

    run: RunId
    entries: list[Entry] = field(default_factory=list[Entry])
    broken: int = 0
    """How many lines could not be read."""

    @property
    def started(self) -> events.RunStarted:
        """How it began; raises `UsageError` where that is not told."""
        first = self.entries[0].event if self.entries else None
        if not isinstance(first, events.RunStarted):
            raise UsageError(f"The trace does not say how the run {self.run} started.")
        return first


def read_traces(path: Path) -> list[ScriptTrace]:
    """Read the runs of a file, in the order in which they began; raises `UsageError`."""
    try:
        if path.stat().st_size > LONGEST:
            raise UsageError(f"`{path}` is larger than {LONGEST >> 20} MiB.")
        text = path.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"`{path}` cannot be read: {error.strerror or error}.") from error
    found: dict[str, ScriptTrace] = {}
    last: ScriptTrace | None = None
    for line in text.split("\n"):
        if not line.strip():
            continue
        entry = _entry(line)
        if entry is not None and not (entry.run in found and isinstance(entry.event, events.RunStarted)):
            last = found.setdefault(entry.run, ScriptTrace(entry.run))
            last.entries.append(entry)
        elif last is not None:
            last.broken += 1
    if not found:
        raise UsageError(
            f"`{path}` is not a trace of a script.", hint="Scripts write one with `--trace FILE`."
        )
    return [replace(one, entries=list(_put_right(one.entries))) for one in found.values()]


def _entry(line: str) -> Entry | None:
    try:
        told: Any = json.loads(line)
        run, step, number, when = (told[name] for name in ("run", "step", "number", "time"))
        event = event_from_plain(_in_full(told["event"], step))
        step_parts(step)
        # What cannot be written down, with a name that is half a surrogate pair, could not be kept.
        _require_flat(told["event"])
        f"{step}{getattr(event, 'flow_name', '')}".encode()
        seconds = float(when)
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError):
        return None
    is_sound = isinstance(run, str) and RUN.fullmatch(run) and isinstance(number, int)
    if not is_sound or not 0 <= seconds < LATEST or not isinstance(event, TOLD):
        return None
    parent = StepId("") if isinstance(event, _BY_ITSELF) else around(StepId(step))
    return Entry(RunId(run), number, StepId(step), parent, seconds, event)


def _require_flat(value: Any) -> None:
    """Raise `ValueError` for what is nested too deep to be kept."""
    level: list[Any] = [value]
    for _ in range(DEEPEST):
        parts: list[Any] = []
        for one in level:
            if isinstance(one, dict):
                parts += cast("dict[str, Any]", one).values()
            elif isinstance(one, list):
                parts += cast("list[Any]", one)
        level = parts
        if not level:
            return
    message = f"nested deeper than {DEEPEST} levels"
    raise ValueError(message)


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


def _put_right(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Tell as retried what failed and began again, and whom else a chat left to ask."""
    starts = Counter(one.step for one in entries if isinstance(one.event, events.StepStarted))
    begun, failed = Counter[StepId](), Counter[StepId]()
    chats = _Chats(entries)
    for place, entry in enumerate(entries):
        event: Event = entry.event
        if isinstance(event, events.StepStarted):
            begun[entry.step] += 1
            if begun[entry.step] > 1:
                continue
        elif isinstance(event, events.StepFailed) and not step_parts(entry.step)[2]:
            failed[entry.step] += 1
            if starts[entry.step] > begun[entry.step]:
                event = events.StepRetried(failed[entry.step], event.message)
        elif isinstance(event, events.ChatRequested):
            event = replace(event, fallback=chats.left(place, entry.step, event))
        yield replace(entry, event=event)


class _Chats:
    """The chats of a trace, and which of them failed."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._failed: dict[StepId, int] = {}
        self._asked: defaultdict[str, list[int]] = defaultdict(list)
        self._entries = entries
        for place, entry in enumerate(entries):
            if isinstance(entry.event, events.StepFailed):
                self._failed[entry.step] = place
            elif isinstance(entry.event, events.ChatRequested):
                self._asked[entry.step.partition("@")[0]].append(place)

    def left(self, place: int, step: StepId, asked: events.ChatRequested) -> tuple[str, ...]:
        """Which profile was asked the same after the chat of this place had failed."""
        head, _, number = step.partition("@")[0].rpartition(".")
        if self._failed.get(step, -1) < place or not number.isdecimal() or len(number) > MOST_DIGITS:
            return ()
        later = self._asked.get(f"{head}.{int(number) + 1}", [])
        following = bisect_right(later, place)
        found = self._entries[later[following]].event if following < len(later) else None
        if not isinstance(found, events.ChatRequested):
            return ()
        return (found.profile,) if found.request == asked.request and found.profile != asked.profile else ()


def with_flows(trace: ScriptTrace, started: events.RunStarted) -> list[Entry]:
    """The entries of a run of which the flows have been found, which `started` has."""
    first, *others = trace.entries
    return [replace(first, event=cast("Event", started)), *others]
