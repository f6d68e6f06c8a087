"""A request to the scripted endpoint, seen as its rules and templates see it."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from studio.llm.client import Caller

Plain = Mapping[str, object]

MOST_SAMPLES = 128
"""How many answers one request may have, as at OpenAI."""

NUMBERED = re.compile(r"([^/.]+)\.(\d+)")


@dataclass(frozen=True, slots=True)
class ScriptMessage:
    """One message with its text flattened; `calls` has id, name and arguments of the tool calls."""

    role: str
    text: str
    calls: tuple[tuple[str, str, str], ...] = ()
    tool_call_id: str = ""


class ScriptRequest:
    """What was asked and by whom; raises `ValueError` for a body that is no chat request."""

    def __init__(self, body: Plain, caller: Caller, sample: int = 0) -> None:
        """Read it; `sample` is which of several answers is wanted, the first where it is 0."""
        messages = body.get("messages")
        if not isinstance(messages, list) or not messages:
            reason = "`messages` is missing or empty"
            raise ValueError(reason)
        self.messages = [_message(plain) for plain in cast("list[object]", messages)]
        self.caller = caller
        self.sample = sample or caller.call
        wanted = body.get("n", 1)
        if not isinstance(wanted, int) or not 1 <= wanted <= MOST_SAMPLES:
            reason = f"`n` is not a number from 1 to {MOST_SAMPLES}"
            raise ValueError(reason)
        self.samples = wanted
        self.tools = [
            str(_mapping(_mapping(tool).get("function")).get("name", "")) for tool in _list(body, "tools")
        ]
        form = _mapping(body.get("response_format")).get("type")
        self.wants_schema = form in {"json_schema", "json_object"}

    @property
    def system(self) -> str:
        """The text of the system messages."""
        return "\n".join(m.text for m in self.messages if m.role in {"system", "developer"})

    @property
    def last(self) -> str:
        """The text of the last message."""
        return self.messages[-1].text

    @property
    def question(self) -> str:
        """The text of the last message of the user; empty when there is none."""
        return next((m.text for m in reversed(self.messages) if m.role == "user"), "")

    @property
    def turn(self) -> int:
        """How many messages of the assistant follow the last one of the user."""
        count = 0
        for message in reversed(self.messages):
            if message.role == "user":
                break
            count += message.role == "assistant"
        return count

    @property
    def rounds(self) -> dict[str, int]:
        """Round or item by the id of each loop and map that the caller stands in, outermost first."""
        return {node: int(number) for node, number in NUMBERED.findall(self.caller.scope)}

    @property
    def round(self) -> int:
        """The number of the innermost of `rounds`; 0 at the root, and when the caller does not tell."""
        return next(reversed(self.rounds.values()), 0)

    @property
    def after_tool(self) -> str:
        """The name of the tool whose answer is the last message; empty when it is no tool's."""
        return self.tool_results[-1]["name"] if self.messages[-1].role == "tool" else ""  # pyright: ignore[reportReturnType]

    @property
    def tool_results(self) -> list[dict[str, object]]:
        """The answers of tools in this conversation: name, arguments, text, and json (None if it is none)."""
        calls = {call[0]: call for message in self.messages for call in message.calls}
        results: list[dict[str, object]] = []
        for message in self.messages:
            if message.role == "tool":
                _, name, arguments = calls.get(message.tool_call_id, ("", "", ""))
                found = {"arguments": _parsed(arguments), "text": message.text, "json": _parsed(message.text)}
                results.append({"name": name, **found})
        return results

    def variables(self) -> dict[str, object]:
        """Give what templates may name, `match` aside."""
        return {
            "last": self.last,
            "question": self.question,
            "system": self.system,
            "messages": [{"role": m.role, "content": m.text} for m in self.messages],
            "tools": list(self.tools),
            "tool_results": self.tool_results,
            "turn": self.turn,
            "round": self.round,
            "sample": self.sample,
            "rounds": self.rounds,
            "node": self.caller.node,
            "scope": self.caller.scope,
        }


def _message(plain: object) -> ScriptMessage:
    message = _mapping(plain)
    calls: list[tuple[str, str, str]] = []
    for call in _list(message, "tool_calls"):
        function = _mapping(_mapping(call).get("function"))
        entry = (_mapping(call).get("id", ""), function.get("name", ""), function.get("arguments", ""))
        calls.append((str(entry[0]), str(entry[1]), str(entry[2])))
    role, call_id = str(message.get("role", "")), str(message.get("tool_call_id", ""))
    return ScriptMessage(role, _text(message.get("content")), tuple(calls), call_id)


def _text(content: object) -> str:
    """Flatten content, which is text or a list of parts; parts that are not text are left out."""
    if isinstance(content, list):
        parts = (_mapping(part).get("text", "") for part in cast("list[object]", content))
        return "".join(str(part) for part in parts)
    return content if isinstance(content, str) else ""


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _mapping(value: object) -> Plain:
    return cast("Plain", value) if isinstance(value, Mapping) else {}


def _list(fields: Plain, key: str) -> Sequence[object]:
    value = fields.get(key)
    return cast("list[object]", value) if isinstance(value, list) else ()
