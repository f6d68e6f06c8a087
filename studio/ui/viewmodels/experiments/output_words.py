"""What a trial gave, as a text that people read: conversations line by line, all else as JSON."""

import json
from typing import Any, cast


def output_words(value: object, *, is_blind: bool = False) -> str:
    """Write an output; `is_blind` leaves out the instructions of a conversation, which tell the variant."""
    if isinstance(value, str):
        return value
    messages = _messages_in(value)
    if messages is None:
        return json.dumps(value, ensure_ascii=False, indent=2)
    shown = [one for one in messages if not (is_blind and one["role"] == "system")]
    return "\n".join(line for one in shown for line in _lines(one))


def _messages_in(value: object) -> list[dict[str, Any]] | None:
    """The messages of a conversation; None where the value is none."""
    if not isinstance(value, list) or not value:
        return None
    found = cast("list[dict[str, Any]]", value)
    are_messages = all(
        isinstance(one, dict) and "role" in one and {"content", "tool_calls"} & one.keys()  # pyright: ignore[reportUnnecessaryIsInstance]
        for one in found
    )
    return found if are_messages else None


def _lines(message: dict[str, Any]) -> list[str]:
    role, content = str(message["role"]), message.get("content")
    said = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    found = [f"{role}: {said}"] if content else []
    for call in message.get("tool_calls") or ():
        asked = call.get("function", call)
        arguments = asked.get("arguments", "")
        told = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        found.append(f"{role} calls {asked.get('name', '')}: {told}")
    return found
