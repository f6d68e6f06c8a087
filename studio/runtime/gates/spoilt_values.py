"""Values spoilt on purpose: scrambled or cut off, and still of their type."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, cast

from studio.llm.client import Message
from studio.llm.conversation import put_right
from studio.runtime.gates.call_edits import refuse_conversation

NOT_ARRIVED = "(This message did not arrive.)"
"""Stands in the place of a message that could not be left out of a conversation."""


def spoilt(value: Any, how: Literal["corrupt", "truncate"], draw: str) -> Any:
    """Give a value of the same type that is wrong, always the same for the same `draw`.

    Corrupted: words change places, numbers and flags turn into others, in lists and objects everything does;
    a text that is JSON stays JSON. Truncated: the first half of texts and lists. What cannot be spoilt, as a
    file or nothing, stays as it is.
    """
    match value:
        case bool():
            return (not value) if how == "corrupt" else value
        case int() | float():
            return -value - 1 if how == "corrupt" else value
        case str():
            return _scrambled(value, draw) if how == "corrupt" else value[: len(value) // 2]
        case Message():
            return replace(value, content=spoilt(value.content, how, draw))
        case list():
            listed = cast("list[Any]", value)
            if how == "truncate":
                return listed[: len(listed) // 2]
            return [spoilt(one, how, f"{draw}/{at}") for at, one in enumerate(listed)]
        case dict():
            fields = cast("dict[str, Any]", value)
            return {name: spoilt(one, how, f"{draw}/{name}") for name, one in fields.items()}
        case _:
            return value


def _scrambled(text: str, draw: str) -> str:
    if text.strip()[:1] in ("{", "["):
        try:
            return json.dumps(spoilt(json.loads(text), "corrupt", draw), ensure_ascii=False)
        except ValueError:
            pass
    words = text.split()
    if len(set(words)) < 2:
        turned = text[::-1]
        return turned if turned != text or not text else f"{text}?"

    def place(at: int) -> bytes:
        return hashlib.blake2b(f"{draw} {at}".encode("utf-8", "replace"), digest_size=8).digest()

    moved = [words[at] for at in sorted(range(len(words)), key=place)]
    return " ".join(moved if moved != words else words[::-1])


def with_message(messages: Sequence[Message], which: int, new: str | None) -> list[Message]:
    """Give a conversation in which the message `which` from the end says `new`; None leaves it out.

    One that cannot be left out, as the answer to a call of a tool, says that it did not arrive.
    """
    places = [at for at, one in enumerate(messages) if one.role != "system"]
    if which > len(places):
        return list(messages)
    at = places[-which]
    if new is not None:
        return [*messages[:at], replace(messages[at], content=new), *messages[at + 1 :]]
    rest = put_right([*messages[:at], *messages[at + 1 :]])
    if rest and not refuse_conversation(rest) and rest[-1].role in ("user", "tool"):
        return list(rest)
    return with_message(messages, which, NOT_ARRIVED)


def message_at(messages: Sequence[Message], which: int) -> Message | None:
    """Give the message `which` from the end, instructions not counted."""
    said = [one for one in messages if one.role != "system"]
    return said[-which] if which <= len(said) else None


def instructions_of(messages: Sequence[Message]) -> str:
    """Give the instructions of a conversation; empty where it has none."""
    return next((one.content for one in messages if one.role == "system"), "")


def with_instructions(messages: Sequence[Message], new: str | None) -> list[Message]:
    """Give a conversation with other instructions, or with none."""
    rest = [one for one in messages if one.role != "system"]
    return [Message("system", new), *rest] if new else rest


def shape_kept(value: object, arguments: Mapping[str, object]) -> Mapping[str, object]:
    """Give spoilt arguments of a tool, which stay an object."""
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else arguments
