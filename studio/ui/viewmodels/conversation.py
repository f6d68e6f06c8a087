"""What was said in one step, message by message, in the words that the panel shows."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from PySide6.QtCore import QCoreApplication

from studio.ids import StepId
from studio.trace.state import RunState
from studio.trace.steps import StepState, StepStatus

translate = QCoreApplication.translate

COLORS = {
    "system": "text.muted",
    "user": "port.message",
    "assistant": "port.text",
    "tool": "port.tool",
    "failed": "state.failed",
}


@dataclass(frozen=True, slots=True)
class Words:
    """One message. `color` is the theme's name for the bar at its left."""

    heading: str
    body: str
    color: str
    is_json: bool = False


def words_of(state: RunState, step: StepId) -> list[Words]:
    """The conversation of a node's step, or of one of its chats up to there."""
    found = state.steps.get(step)
    if found is None:
        return []
    if found.call and found.request is None and found.parent in state.steps:
        found = state.steps[found.parent]
    calls = [state.steps[one] for one in found.children]
    chats = [found] if found.request is not None else [one for one in calls if one.request is not None]
    if not chats:
        return []
    last = chats[-1]
    names: dict[str, str] = {}
    words: list[Words] = []
    for message in _messages(last.request):
        words += _said(message, names)
    words += _answer(last, names)
    return [*words, *_answers_since(calls, _call_ids(last), names)]


def as_json(text: str) -> str | None:
    """The text indented, where it is a JSON object or list; None where it is anything else."""
    stripped = text.strip()
    if not stripped or stripped[0] not in "{[":
        return None
    try:
        return json.dumps(json.loads(stripped), indent=2, ensure_ascii=False)
    except ValueError:
        return None


def _said(message: Mapping[str, object], names: dict[str, str]) -> Iterator[Words]:
    """The words of one message; `names` learns which call is of which tool."""
    role = str(message.get("role", ""))
    content = str(message.get("content") or "")
    if role == "tool":
        tool = names.get(str(message.get("tool_call_id")), "")
        yield _tool_answer(tool, content)
        return
    if content:
        headings = {
            "system": translate("messages", "instructions"),
            "user": translate("messages", "user"),
            "assistant": translate("messages", "assistant"),
        }
        yield _words(headings.get(role, role), content, role)
    yield from _calls(message, names)


def _answer(chat: StepState, names: dict[str, str]) -> Iterator[Words]:
    """What a chat answered, or what has streamed of it so far."""
    if chat.message is not None:
        yield from _said(cast("Mapping[str, object]", chat.message), names)
    elif chat.error is not None:
        yield Words(translate("messages", "failed"), chat.error.message, COLORS["failed"])
    elif chat.status is StepStatus.RUNNING:
        yield Words(translate("messages", "assistant, streaming"), chat.text, COLORS["assistant"])
    elif chat.text:
        yield Words(translate("messages", "assistant, cut off"), chat.text, COLORS["assistant"])


def _answers_since(calls: Sequence[StepState], ids: frozenset[str], names: Mapping[str, str]) -> Iterator[Words]:
    """Tool answers that the language model has not been shown yet."""
    for call in calls:
        if call.call_id in ids and (call.text or call.status.is_final):
            yield _tool_answer(names.get(call.call_id, call.tool), call.text, is_error=call.is_error)


def _calls(message: Mapping[str, object], names: dict[str, str]) -> Iterator[Words]:
    for call in _list(message.get("tool_calls")):
        name, arguments = str(call.get("name", "")), str(call.get("arguments", ""))
        names[str(call.get("id", ""))] = name
        shown = _short(arguments)
        heading = translate("messages", "calls {tool}").format(tool=name)
        yield Words(heading, shown, COLORS["tool"], is_json=True)


def _tool_answer(tool: str, content: str, *, is_error: bool = False) -> Words:
    if is_error:
        heading = translate("messages", "{tool} could not").format(tool=tool)
        return Words(heading, content, COLORS["failed"])
    return _words(translate("messages", "{tool} answers").format(tool=tool), content, "tool")


def _words(heading: str, content: str, role: str) -> Words:
    written = as_json(content)
    color = COLORS.get(role, COLORS["system"])
    if written is None:
        return Words(heading, content, color)
    return Words(heading, _short(content), color, is_json=True)


def _short(text: str) -> str:
    """JSON on one line where it is short, else indented."""
    written = as_json(text)
    if written is None:
        return text
    line = json.dumps(json.loads(text), ensure_ascii=False)
    return line if len(line) <= 72 else written


def _messages(request: object) -> list[Mapping[str, object]]:
    return _list(cast("Mapping[str, object]", request).get("messages")) if isinstance(request, Mapping) else []


def _call_ids(chat: StepState) -> frozenset[str]:
    if not isinstance(chat.message, Mapping):
        return frozenset()
    message = cast("Mapping[str, object]", chat.message)
    return frozenset(str(call.get("id", "")) for call in _list(message.get("tool_calls")))


def _list(value: object) -> list[Mapping[str, object]]:
    found = cast("Sequence[object]", value) if isinstance(value, list | tuple) else ()
    return [cast("Mapping[str, object]", one) for one in found if isinstance(one, Mapping)]
