"""Conversations that every endpoint takes: people and assistant in turn, each tool call answered at once.

Strict endpoints want a user message first, no two of one role in a row, nobody who says nothing, and behind
each message that calls tools one answer for each call, whose id comes only once. What comes in from
elsewhere, or was stopped midway, is put right here.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace

from studio.llm.client import Message, ToolCall, ToolSpec
from studio.llm.wire_names import sendable_name

FIRST_WORD = "(The assistant speaks first.)"
STOPPED = "(I was stopped here.)"
GO_ON = "Go on."
UNANSWERED = "(The tool gave no answer.)"


def continued(history: Sequence[Message], prompt: str) -> list[Message]:
    """Put `prompt` behind what was said before; where it is empty, the conversation goes on as it stands."""
    said = tidied([*history, Message("user", prompt)])
    return said if said and said[-1].role != "assistant" else [*said, Message("user", GO_ON)]


def tidied(messages: Sequence[Message]) -> list[Message]:
    """Put a conversation right, without its instructions; one that is right stays as it is."""
    tidy: list[Message] = []
    taken: set[str] = set()
    for first, *answers in blocks(message for message in messages if message.role != "system"):
        if first.role == "tool" or not (first.content.strip() or first.tool_calls or first.images):
            continue
        tidy += _between(tidy[-1].role if tidy else "", first.role)
        if tidy and tidy[-1].role == first.role:
            first = joined(tidy.pop(), first)  # noqa: PLW2901
        calls = told_apart(first.tool_calls, taken)
        tidy.append(sendable(replace(first, tool_calls=calls)))
        texts = {answer.tool_call_id: answer.content for answer in reversed(answers)}
        tidy += [
            Message("tool", texts.get(asked.id, UNANSWERED), tool_call_id=call.id)
            for asked, call in zip(first.tool_calls, calls, strict=True)
        ]
    return tidy


def put_right(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The same with its instructions, which stand first."""
    return (*(message for message in messages if message.role == "system"), *tidied(messages))


def ids_in(messages: Iterable[Message]) -> set[str]:
    """The ids of all calls of tools."""
    return {call.id for message in messages for call in message.tool_calls}


def joined(one: Message, other: Message) -> Message:
    """Make one message of two."""
    content = "\n\n".join(message.content for message in (one, other) if message.content)
    return replace(other, content=content, images=(*one.images, *other.images))


def told_apart(calls: Iterable[ToolCall], taken: set[str]) -> tuple[ToolCall, ...]:
    """Give calls ids that are not `taken`, which they are from then on."""
    found: list[ToolCall] = []
    for call in calls:
        name, number = call.id, 1
        while name in taken:
            name, number = f"{call.id}_{number}", number + 1
        taken.add(name)
        found.append(replace(call, id=name))
    return tuple(found)


def sendable(message: Message) -> Message:
    """The message with arguments that are objects: what else was written there was never run."""
    calls = (
        call if _is_object(call.arguments) else replace(call, arguments="{}") for call in message.tool_calls
    )
    return replace(message, tool_calls=tuple(calls))


def formerly_called(messages: Iterable[Message]) -> tuple[ToolSpec, ...]:
    """What to offer where messages speak of tools and there are none: strict endpoints want some then."""
    names = dict.fromkeys(sendable_name(call.name) for message in messages for call in message.tool_calls)
    return tuple(ToolSpec(name, "No longer there.", {"type": "object", "properties": {}}) for name in names)


def blocks(messages: Iterable[Message]) -> list[list[Message]]:
    """Cut a conversation where it may be cut: what calls tools stays with their answers."""
    found: list[list[Message]] = []
    for message in messages:
        if message.role == "tool" and found:
            found[-1].append(message)
        else:
            found.append([message])
    return found


def _between(before: str, role: str) -> list[Message]:
    """What has to be said so that `role` may speak."""
    if not before and role == "assistant":
        return [Message("user", FIRST_WORD)]
    if before == "tool" and role == "user":
        return [Message("assistant", STOPPED)]
    return []


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
