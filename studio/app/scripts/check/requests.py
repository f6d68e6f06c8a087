"""What counts of a run when a script is compared with it: what it asks for, does outside, and waits for.

What costs and changes nothing a script may say in plain Python, without a step: branches, templates,
formulas, run variables. What does not count is therefore neither missed nor one too many.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

from studio.errors import AnswerMissingError
from studio.flow.records import Flow, Node
from studio.flow.subflows.calls import node_at
from studio.ids import StepId, own_step, place_of, step_parts
from studio.runtime.resources.permissions import ALLOW
from studio.sdk.registry import Registry
from studio.sdk.tool import Effect
from studio.sdk.values import to_plain
from studio.trace import events
from studio.trace.differences.compare import without_call_ids
from studio.trace.events import Entry

Sort: TypeAlias = Literal["chat", "embed", "tool", "ask", "code", "step", "read", "write"]
"""A `step` is one that changes something, reads files or waits; `read` and `write` are of memories."""

Called: TypeAlias = Callable[[StepId], Node | None]
"""The node of a step, with all its settings."""

WAITS = frozenset({"control.delay"})
"""Kinds that do nothing but take time."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One thing that a run asked for, or did.

    It is owed by a script, unless it was stopped in the run: how far it had come then was chance.
    """

    sort: Sort
    step: StepId
    request: Any
    is_owed: bool = True
    is_answered: bool = True


def called_in(flow: Flow, registry: Registry, entries: Sequence[Entry] = ()) -> Called:
    """Give what finds the nodes of steps: those that a script told of in `entries`, or else the flow's.

    A step has the settings that were told last before it began.
    """
    latest: dict[str, events.NodeMet] = {}
    met: dict[StepId, events.NodeMet] = {}
    for entry in entries:
        if isinstance(entry.event, events.NodeMet):
            latest[entry.event.node] = entry.event
        elif entry.step not in met and place_of(entry.step) in latest:
            met[entry.step] = latest[place_of(entry.step)]

    def node_of(step: StepId) -> Node | None:
        told = met.get(step) or latest.get(place_of(step))
        if told is not None:
            return Node(kind=told.type, settings=dict(told.settings))
        return node_at(flow, registry, *step_parts(step)[:2])

    return node_of


def looking(entries: Sequence[Entry], called: Called) -> frozenset[str]:
    """Name the kinds of nodes that read files in a run."""
    steps = {one.step for one in entries if isinstance(one.event, events.FolderOpened)}
    return frozenset(node.kind for step in steps if (node := called(step)) is not None)


def requests_of(
    entries: Sequence[Entry], registry: Registry, called: Called, looks: Collection[str]
) -> list[Asked]:
    """List what counts of a run, in its order; `looks` are kinds of nodes that read files."""
    stopped = {one.step for one in entries if isinstance(one.event, _STOPPED)}
    ended = {one.step for one in entries if isinstance(one.event, _ENDS)}
    begun: set[StepId] = set()
    found: list[Asked] = []
    for entry in entries:
        step, event = entry.step, entry.event
        told = _told(step, event)
        if isinstance(event, events.StepStarted) or (step not in begun and _is_kept_back(event)):
            begun.add(step)
            node = None if step_parts(step)[2] else called(step)
            told = None if node is None else _begun(event, node, registry, looks)
        if told is not None:
            is_stopped = step in stopped or own_step(step) in stopped
            is_over = told[0] in {"read", "write"} or step in ended
            found.append(Asked(told[0], step, told[1], is_over and not is_stopped, is_over))
    return found


def _is_kept_back(event: events.Event) -> bool:
    """Whether a step was not let do what the record has no answer to."""
    return isinstance(event, events.StepFailed) and event.error == AnswerMissingError.__name__


_STOPPED = (events.StepCancelled, events.StepTimedOut)
_ENDS = (
    events.ChatAnswered,
    events.EmbedAnswered,
    events.ToolAnswered,
    events.ApprovalGiven,
    events.StepFinished,
    events.StepFailed,
)


def _told(step: StepId, event: events.Event) -> tuple[Sort, Any] | None:
    """What an event tells of that counts, whatever node it is of."""
    call = step_parts(step)[2]
    match event:
        case events.ChatRequested():
            request = cast("dict[str, Any]", without_call_ids(event.request))
            return "chat", {**request, "profile": event.profile} if event.profile else request
        case events.EmbedRequested():
            return "embed", {"texts": list(event.texts), "dimensions": event.dimensions}
        case events.ToolCalled() if call.startswith("code."):
            return "code", dict(event.arguments)
        case events.ToolCalled():
            return "tool", {"tool": event.tool, "arguments": dict(event.arguments)}
        case events.ApprovalAsked() if event.schema != ALLOW and not call.startswith("chat."):
            return "ask", {"question": event.question, "schema": dict(event.schema)}
        case events.MemoryRead():
            return "read", {"memory": event.memory, "query": event.query, "purpose": event.purpose}
        case events.MemoryWritten():
            return "write", _written(event)
        case _:
            return None


def _begun(
    event: events.Event, node: Node, registry: Registry, looks: Collection[str]
) -> tuple[Sort, Any] | None:
    """What a node's own step does outside, as it begins, or as it is kept from it."""
    if isinstance(event, events.StepStarted):
        given = {name: one.data for name, one in event.inputs.items()}
    else:
        given = {}
    if not _counts(node, registry, looks):
        return None
    return "step", {"kind": node.kind, "given": _given(node, registry, given)}


def _counts(node: Node, registry: Registry, looks: Collection[str]) -> bool:
    kind = registry.get(node.kind)
    if kind is None or kind.function is None:
        return False
    return kind.effect is Effect.SIDE_EFFECT or node.kind in looks or node.kind in WAITS


def _given(node: Node, registry: Registry, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """What the function of a step is given, by name."""
    kind = registry.require(node.kind)
    given = {**kind.defaults, **registry.settings(node), **inputs}
    return {name: to_plain(one) for name, one in given.items()}


def _written(event: events.MemoryWritten) -> dict[str, Any]:
    """What is written: of an item that is put what there is, else the id."""
    item = cast("Mapping[str, Any]", event.item.data)
    names = ("id", "text", "data", "at", "by") if event.operation == "put" else ("id",)
    said = {name: item[name] for name in names if item.get(name)}
    return {"memory": event.memory, "operation": event.operation, "item": said}
