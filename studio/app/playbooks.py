"""From a run to what a script is played against: each request with what came of it, in the run's order."""

import inspect
import json
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from studio.app.step_titles import step_title
from studio.export.command_line import OPTIONS
from studio.export.playing.context import unlike_defaults
from studio.export.playing.memories import found_in, looked_for, written
from studio.export.playing.playbook import Asked, Broken, Draw, Function, Playbook, Sort
from studio.flow.calls import node_at
from studio.flow.ports import PortType
from studio.flow.records import Flow, Node
from studio.ids import StepId, own_step, step_parts
from studio.runtime.permissions import ALLOW
from studio.sdk.node_type import NodeType
from studio.sdk.registry import Registry
from studio.sdk.tool import Effect
from studio.store.images import ImageFolder
from studio.trace import events
from studio.trace.compare import settled
from studio.trace.events import Entry
from studio.trace.recording import Answer, Recording, Request
from studio.workspace.inputs import input_fields


@dataclass(slots=True)
class _Open:
    """A request whose answer has not come yet."""

    sort: Sort
    step: StepId
    request: Any
    began: float
    end: Entry | None = None


@dataclass(slots=True)
class _Reading:
    """What of a run's entries a script is told, as they are read."""

    asked: list[_Open] = field(default_factory=list[_Open])
    under_way: dict[StepId, _Open] = field(default_factory=dict[StepId, _Open])
    clock: list[Draw] = field(default_factory=list[Draw])
    seeds: list[Draw] = field(default_factory=list[Draw])
    parents: set[StepId] = field(default_factory=set[StepId])
    stopped: set[StepId] = field(default_factory=set[StepId])
    failed: dict[StepId, events.StepFailed] = field(default_factory=dict[StepId, events.StepFailed])
    outputs: Mapping[str, Any] | None = None
    broken: Broken | None = None


def make_playbook(
    entries: Sequence[Entry], ran: Flow, flow: Flow, registry: Registry, images: ImageFolder
) -> Playbook:
    """Read a run of `ran` for a script of `flow`; the registry has the flows that either may call."""
    entries = settled(entries)
    started = cast("events.RunStarted", entries[0].event)
    kinds = _outside(entries, ran, registry)
    read = _read(entries, ran, registry, kinds)
    recording = Recording.of(entries, with_failures=True)
    asked = [
        _asked(one, read, step_title(ran, registry, own_step(one.step)))
        for one in read.asked
        if not (one.sort == "chat" and recording.fallback(one.step))  # another profile was asked the same
    ]
    return Playbook(
        tuple(_arguments(flow, registry, {name: one.data for name, one in started.inputs.items()})),
        tuple(asked),
        tuple(_functions(kinds)),
        tuple(read.clock),
        tuple(read.seeds),
        dict(_images(asked, images)),
        read.outputs,
        read.broken,
    )


def _read(
    entries: Sequence[Entry], flow: Flow, registry: Registry, kinds: Mapping[str, NodeType]
) -> _Reading:
    read = _Reading()
    for entry in entries:
        step, event = entry.step, entry.event
        read.parents.update((entry.parent, *_around(step)))
        if step_parts(step)[2].startswith("chat.") and isinstance(event, _BY_HAND):
            continue  # a person gave the answer that follows
        if isinstance(event, Request):
            if not (isinstance(event, events.ApprovalAsked) and event.schema == ALLOW):
                sort, request = _request(step, event)
                _begin(read, _Open(sort, step, request, entry.time))
        elif isinstance(event, events.StepStarted):
            record = None if step_parts(step)[2] else node_at(flow, registry, *step_parts(step)[:2])
            if record is not None and record.kind in kinds:
                given = {name: one.data for name, one in event.inputs.items()}
                request = {"kind": record.kind, "given": _given(record, registry, given)}
                _begin(read, _Open("step", step, request, entry.time))
        elif isinstance(event, Answer | events.StepFinished) and step in read.under_way:
            read.under_way.pop(step).end = entry
        elif isinstance(event, events.MemoryRead | events.MemoryWritten):
            read.asked.append(_of_memory(entry, event))
            read.parents.update(_tools_under_way(read, step))
        if isinstance(event, events.StepFailed):
            read.failed[step] = event
        else:
            _read_other(read, step, event)
    return read


_BY_HAND = (events.ApprovalAsked, events.ApprovalGiven)


def _read_other(read: _Reading, step: StepId, event: events.Event) -> None:
    match event:
        case events.ValueDrawn():
            _, node, call, _ = step_parts(step)
            drawn = Draw(event.value, _call_around(step), "" if call else node)
            (read.clock if event.source == "clock" else read.seeds).append(drawn)
        case events.RunFinished():
            read.outputs = {name: one.data for name, one in event.outputs.items()}
        case events.RunFailed():
            told = read.failed.get(StepId(event.step))  # in its own words: the run's name the step as well
            read.broken = Broken(event.error, event.message if told is None else told.message, event.hint)
        case events.StepCancelled() | events.StepTimedOut():
            read.stopped.add(step)
        case _:
            pass


def _of_memory(entry: Entry, event: events.MemoryRead | events.MemoryWritten) -> _Open:
    """What was done in a memory, which nothing waits for."""
    step = own_step(entry.step)
    if isinstance(event, events.MemoryRead):
        return _Open("read", step, looked_for(event.memory, event.query, event.purpose), entry.time, entry)
    request = written(event.memory, event.operation, event.item.data)
    return _Open("write", step, request, entry.time, entry)


def _tools_under_way(read: _Reading, step: StepId) -> Iterator[StepId]:
    """The calls of tools in which a step may just now use a memory: these a script runs once more."""
    for one in read.under_way.values():
        if one.sort == "tool" and own_step(one.step) == own_step(step):
            yield one.step


def _begin(read: _Reading, one: _Open) -> None:
    read.asked.append(one)
    read.under_way[one.step] = one


def _around(step: StepId) -> Iterator[StepId]:
    """The calls inside which a step stands."""
    segments = step.split("/")
    for place in range(1, len(segments)):
        if "#" in segments[place - 1]:
            yield StepId("/".join(segments[:place]))


def _call_around(step: StepId) -> str:
    """The innermost call of a tool that a step is, or stands in; empty where there is none."""
    segments = step.split("/")
    found = [place for place, one in enumerate(segments, 1) if "#tool." in one]
    return "/".join(segments[: found[-1]]) if found else ""


def _request(step: StepId, event: Request) -> tuple[Sort, Any]:
    match event:
        case events.ChatRequested():
            hidden = ("window", "speaker")
            return "chat", {name: one for name, one in event.request.items() if name not in hidden}
        case events.EmbedRequested():
            return "embed", {"texts": list(event.texts), "dimensions": event.dimensions}
        case events.ApprovalAsked():
            return "ask", {"question": event.question, "schema": event.schema}
        case events.ToolCalled():
            if step_parts(step)[2].startswith("code."):
                return "code", event.arguments
            return "tool", {"tool": event.tool, "arguments": event.arguments}


def _asked(one: _Open, read: _Reading, title: str) -> Asked:
    event = None if one.end is None else one.end.event
    broken = None
    if isinstance(event, events.StepFailed):
        broken = Broken(event.error, event.message, event.hint)
    elif isinstance(event, events.StepFinished) and set(event.outputs) == {"error"}:
        told = event.outputs["error"].data  # it failed, and goes on with that as its value
        broken = Broken(str(told["error"]), str(told["message"]), str(told.get("hint", "")))
    elif event is not None:
        event = _answer(event)
    is_stopped = any(step in read.stopped for step in (one.step, own_step(one.step)))
    return Asked(
        one.sort,
        one.step,
        title,
        one.request,
        None if broken is not None else event,
        broken,
        event is not None and broken is None,
        one.sort == "tool" and one.step in read.parents,
        one.end is not None and not is_stopped,
        0.0 if one.end is None else max(0.0, one.end.time - one.began),
    )


def _answer(event: object) -> Any:
    match event:
        case events.ChatAnswered():
            usage = {
                "input_tokens": event.input_tokens,
                "output_tokens": event.output_tokens,
                "cached_tokens": event.cached_tokens,
            }
            return {
                "message": event.message,
                "finish_reason": event.finish_reason,
                "usage": usage,
                "llm": event.llm,
                "cost": event.cost,
                "others": list(event.others),
            }
        case events.EmbedAnswered():
            return event.vectors
        case events.ToolAnswered():
            return {"text": event.text, "is_error": event.is_error}
        case events.ApprovalGiven():
            return event.answer
        case events.StepFinished():
            return {name: one.data for name, one in event.outputs.items()}
        case events.MemoryRead():
            return [found_in(one.data) for one in event.found]
        case _:
            return None


def _outside(entries: Sequence[Entry], flow: Flow, registry: Registry) -> dict[str, NodeType]:
    """The node types whose functions change something, or read files: a replay does not run them either."""
    kinds: dict[str, NodeType] = {}
    looked = {entry.step for entry in entries if isinstance(entry.event, events.FolderOpened)}
    for step in {entry.step for entry in entries}:
        record = node_at(flow, registry, *step_parts(step)[:2]) if step else None
        kind = registry.get(record.kind) if record is not None else None
        if record is None or kind is None or kind.function is None or kind.form == "binding":
            continue
        if kind.effect is Effect.SIDE_EFFECT or (kind.effect is Effect.PURE and step in looked):
            kinds[record.kind] = kind
    return kinds


def _functions(kinds: Mapping[str, NodeType]) -> Iterator[Function]:
    for kind, node_type in kinds.items():
        if node_type.function is not None:
            yield Function(kind, node_type.function.__module__, node_type.function.__name__)


def _given(record: Node, registry: Registry, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """What the function of a step was given, by name; what it takes anyway is not said, as in scripts."""
    kind = registry.get(record.kind)
    given = {**(dict(kind.defaults) if kind is not None else {}), **registry.settings(record), **inputs}
    if kind is None or kind.function is None:
        return given
    return unlike_defaults(inspect.signature(kind.function), given)


def _arguments(flow: Flow, registry: Registry, given: Mapping[str, Any]) -> Iterator[str]:
    """The inputs of the run as arguments of the script."""
    for one in input_fields(flow, registry):
        value = given.get(str(one.node))
        if value is None:
            continue
        is_text = one.type == PortType("text") or (one.type.base in {"file", "image"} and not one.type.depth)
        option = f"--input.{one.node}" if one.node in OPTIONS else f"--{one.node.replace('_', '-')}"
        yield f"{option}={value if is_text else json.dumps(value)}"


def _images(asked: Sequence[Asked], images: ImageFolder) -> Iterator[tuple[str, str]]:
    """The pictures of all messages, by their path."""
    for one in asked:
        for message in one.request["messages"] if one.sort == "chat" else ():
            for image in message.get("images", ()):
                data = images.read(image["sha256"])
                if data is not None:
                    yield image["path"], b64encode(data).decode("ascii")
