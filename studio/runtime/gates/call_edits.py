"""What a person may put in the place of what a call asks or says, and whether it fits."""

import json
from collections.abc import Mapping, Sequence
from typing import Final, cast

from studio.bounds.schemas import mismatch
from studio.errors import ValueTypeError
from studio.flow.ports import PortType
from studio.flow.records import Json
from studio.llm.client import Message
from studio.llm.conversation import put_right
from studio.runtime.gates.step_ref import Phase
from studio.sdk.values import from_plain

_TYPES: Final[Mapping[tuple[str, Phase], Mapping[str, PortType]]] = {
    ("chat", "before"): {"messages": PortType("messages"), "answer": PortType("message")},
    ("chat", "after"): {"answer": PortType("message")},
    ("embed", "before"): {"texts": PortType("text", 1), "answer": PortType("json")},
    ("embed", "after"): {"answer": PortType("json")},
    ("tool", "before"): {"arguments": PortType("json"), "answer": PortType("text")},
    ("tool", "after"): {"answer": PortType("text")},
}

_VECTORS: Final[Mapping[str, Json]] = {
    "type": "array",
    "items": {"type": "array", "items": {"type": "number"}, "minItems": 1},
}


def call_ports(call: str, phase: Phase) -> Mapping[str, PortType]:
    """What can be edited at a call such as `chat.1`; an answer before it means that it is not made."""
    return _TYPES.get((call.partition(".")[0], phase), {})


def read_call_edit(call: str, port: str, phase: Phase, plain: Json, schema: Json = None) -> object:
    """Read an edited value of a call; raises `ValueTypeError` for one that cannot be asked or said.

    `schema` is the JSON Schema of the arguments that a tool takes.
    """
    kind = call_ports(call, phase).get(port)
    if kind is None:
        raise ValueTypeError(f"There is no `{port}` to edit {phase} `{call}`.")
    value = from_plain(plain, kind)
    problem = ""
    if port == "messages":
        messages = cast("Sequence[Message]", value)
        problem = refuse_conversation(messages)
        value = list(put_right(messages))  # whose turn it is, is no matter for a person
        problem = problem or _refuse_end(value)
    elif port == "answer" and isinstance(value, Message):
        problem = _refuse_answer(value)
    elif port == "texts":
        problem = _refuse_texts(cast("Sequence[str]", value))
    elif port == "answer" and call.startswith("embed"):
        problem = mismatch(value, _VECTORS, "the answer")
    elif port == "arguments":
        known: Mapping[str, Json] = schema if isinstance(schema, dict) else {}
        problem = mismatch(value, {"type": "object", **known}, "the arguments")
    if problem:
        raise ValueTypeError(problem)
    return value


def refuse_conversation(messages: Sequence[Message]) -> str:
    """Say in what way no endpoint would take these messages, however put right; empty where one may.

    Each call of a tool is answered once, by messages that follow it directly, and nothing else is.
    """
    if not messages:
        return "A conversation needs at least one message."
    open_calls: list[str] = []
    for number, message in enumerate(messages, start=1):
        if message.role == "tool":
            if message.tool_call_id not in open_calls:
                return f"Message {number} answers no call of the messages before it."
            open_calls.remove(message.tool_call_id)
            continue
        if open_calls:
            return f"Message {number} stands before the call `{open_calls[0]}` is answered."
        problem = _refuse_calls(message)
        if problem:
            return f"Message {number}: {problem}"
        open_calls = [call.id for call in message.tool_calls]
    return f"The call `{open_calls[0]}` is not answered." if open_calls else ""


def _refuse_end(messages: Sequence[Message]) -> str:
    roles = [message.role for message in messages]
    if roles.count("system") > 1:
        return "Only one message may contain instructions."
    return "" if roles[-1:] in (["user"], ["tool"]) else "The last message must be from the user or a tool."


def _refuse_texts(texts: Sequence[str]) -> str:
    is_said = bool(texts) and all(text.strip() for text in texts)
    return "" if is_said else "Models have no embedding for an empty text."


def _refuse_answer(message: Message) -> str:
    if message.role != "assistant":
        return f"An answer has the role `assistant`, not `{message.role}`."
    return _refuse_calls(message)


def _refuse_calls(message: Message) -> str:
    if message.tool_calls and message.role != "assistant":
        return f"Only `assistant` calls tools, not `{message.role}`."
    ids = [call.id for call in message.tool_calls]
    if len(set(ids)) < len(ids):
        return "Two of its calls have the same id."
    for call in message.tool_calls:
        try:
            arguments = json.loads(call.arguments)
        except ValueError:
            arguments = None
        if not isinstance(arguments, dict):
            return f"The arguments of the call of `{call.name}` are no JSON object."
    return ""
