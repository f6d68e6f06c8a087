"""What of a run can be searched: messages, values that are text, errors, questions, and lines of its log."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, cast

from studio.ids import StepId
from studio.trace import events
from studio.trace.events import Entry, Event
from studio.trace.events.values import Plain, Shown

LONGEST = 200_000
"""Characters of one entry that can be found; nobody reads further."""


class RunText(NamedTuple):
    """What an entry says, to be searched."""

    number: int
    step: StepId
    text: str


def texts_of(entries: Iterable[Entry]) -> Iterator[RunText]:
    """Give the texts of a run in order, each where it came up first; keys and numbers are left out."""
    seen: set[int] = set()
    for entry in entries:
        fresh: list[str] = []
        size = 0
        for text in _said(entry.event):
            mark = hash(text)
            if mark not in seen and not text.isspace() and text:
                seen.add(mark)
                fresh.append(text[: LONGEST - size])
                size += len(text)
                if size >= LONGEST:
                    break
        if fresh:
            yield RunText(entry.number, entry.step, "\n".join(fresh))


def _said(event: Event) -> Iterator[str]:
    """Give every text of an event that somebody may look for."""
    for name in _FIELDS.get(event.kind, ()):
        value = getattr(event, name)
        if isinstance(event, events.ChatRequested) and isinstance(value, dict):
            value = cast("dict[str, Plain]", value).get("messages")  # the rest is settings and schemas
        yield from _leaves(value)


_FIELDS: Mapping[str, tuple[str, ...]] = {
    "run_started": ("flow_name", "inputs"),
    "step_started": ("inputs",),
    "step_finished": ("outputs",),
    "run_finished": ("outputs",),
    "inputs_edited": ("values",),
    "outputs_edited": ("values",),
    "chat_requested": ("request",),
    "chat_answered": ("message", "others"),
    "embed_requested": ("texts",),
    "tool_called": ("tool", "arguments"),
    "tool_answered": ("text",),
    "approval_asked": ("question",),
    "approval_given": ("answer",),
    "step_failed": ("message",),
    "run_failed": ("message",),
    "log_written": ("text",),
}


def _leaves(value: object) -> Iterator[str]:
    """Give every text in a value, at any depth."""
    waiting: list[object] = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Shown):
            waiting.append(one.data)
        elif isinstance(one, Mapping):
            waiting += reversed(list(cast("Mapping[str, Plain]", one).values()))
        elif isinstance(one, list | tuple):
            waiting += reversed(cast("list[Plain]", one))
