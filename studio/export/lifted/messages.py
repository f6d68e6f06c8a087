"""Messages as exported scripts send them through `openai`, and read what comes back; lifted into them."""

import json
from collections.abc import Iterator

from openai.types.chat.chat_completion import Choice

from studio.errors import ChatIncompleteError
from studio.llm.client import Message, ToolCall
from studio.llm.images import data_url
from studio.llm.wire_names import sendable_id, sendable_name


def message_of(choice: Choice) -> Message:
    """Read one of the answers."""
    if choice.message.tool_calls:  # only with: tools
        return Message("assistant", text_of(choice), tuple(calls_in(choice)))
    return Message("assistant", text_of(choice))


def text_of(choice: Choice) -> str:
    """Give what an answer says, halves of surrogate pairs replaced: nothing could write them."""
    said = choice.message.content or ""
    return said.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def calls_in(choice: Choice) -> Iterator[ToolCall]:
    """Read the tools that an answer calls; their arguments are whole, or it is refused."""
    for call in choice.message.tool_calls or ():
        if call.type != "function":
            continue
        name, arguments = call.function.name, call.function.arguments
        if choice.finish_reason == "length" or not is_object(arguments):
            raise ChatIncompleteError(
                f"The arguments for the tool `{name}` are not complete; it was not called."
            )
        yield ToolCall(call.id, name, arguments)


def as_openai(message: Message) -> dict[str, object]:
    """Write a message as the Chat Completions protocol wants it."""
    if message.images:  # only with: images
        text: list[dict[str, object]] = [{"type": "text", "text": message.content}] if message.content else []
        pictures = [{"type": "image_url", "image_url": {"url": data_url(one)}} for one in message.images]
        return {"role": message.role, "content": [*text, *pictures]}
    if message.role == "tool":  # only with: tools
        answered = sendable_id(message.tool_call_id)
        return {"role": "tool", "tool_call_id": answered, "content": message.content}
    if message.tool_calls:  # only with: tools
        calls = [
            {
                "id": sendable_id(call.id),
                "type": "function",
                "function": {"name": sendable_name(call.name), "arguments": call.arguments},
            }
            for call in message.tool_calls
        ]
        return {"role": message.role, "content": message.content or None, "tool_calls": calls}
    return {"role": message.role, "content": message.content}


def is_object(text: str) -> bool:
    """Tell whether a text is a whole JSON object."""
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
