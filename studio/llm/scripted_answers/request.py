"""A request to the scripted endpoint, seen as its rules and templates see it."""

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from studio.llm.client import Caller
from studio.llm.images import media_type_of

Plain = Mapping[str, object]

MOST_SAMPLES = 128
"""How many answers one request may have, as at OpenAI."""

DATA_URL = re.compile(r"data:(image/[a-z]+);base64,([A-Za-z0-9+/]+=*)\Z")

NUMBERED = re.compile(r"([^/.]+)\.(\d+)")


@dataclass(frozen=True, slots=True)
class ScriptMessage:
    """One message with its text flattened; `calls` has id, name and arguments of the tool calls."""

    role: str
    text: str
    calls: tuple[tuple[str, str, str], ...] = ()
    tool_call_id: str = ""
    images: tuple[str, ...] = ()
    """What kinds of picture it has: `image/png`, …"""


class ScriptRequest:
    """What was asked and by whom; raises `ValueError` for a body that is no chat request."""

    def __init__(self, body: Plain, caller: Caller, sample: int = 0) -> None:
        """Read it; `sample` is which of several answers is wanted, the first where it is 0."""
        messages = body.get("messages")
        if not isinstance(messages, list) or not messages:
            reason = "`messages` is missing or empty"
            raise ValueError(reason)
        self.messages = [_message(plain) for plain in cast("list[object]", messages)]
        self.prefix = ""
        """How the answer is to begin, where the assistant has the last word."""
        if len(self.messages) > 1 and self.messages[-1].role == "assistant" and not self.messages[-1].calls:
            self.prefix = self.messages.pop().text
        self.effort = str(body.get("reasoning_effort") or "")
        self.caller = caller
        self.sample = sample or caller.call
        wanted = body.get("n", 1)
        if not isinstance(wanted, int) or not 1 <= wanted <= MOST_SAMPLES:
            reason = f"`n` is not a number from 1 to {MOST_SAMPLES}"
            raise ValueError(reason)
        self.samples = wanted
        offered = _list(body, "tools") if body.get("tool_choice") != "none" else ()
        self.tools = [str(_mapping(_mapping(tool).get("function")).get("name", "")) for tool in offered]
        form = _mapping(body.get("response_format"))
        self.form = str(form.get("type", ""))
        self.wants_schema = self.form in {"json_schema", "json_object"}

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
    def images(self) -> tuple[str, ...]:
        """The kinds of the pictures of the last message that has any."""
        return next((m.images for m in reversed(self.messages) if m.images), ())

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
            "images": list(self.images),
            "messages": [{"role": m.role, "content": m.text} for m in self.messages],
            "tools": list(self.tools),
            "tool_results": self.tool_results,
            "turn": self.turn,
            "round": self.round,
            "sample": self.sample,
            "rounds": self.rounds,
            "node": self.caller.node,
            "scope": self.caller.scope,
            "effort": self.effort,
            "prefix": self.prefix,
        }


def _message(plain: object) -> ScriptMessage:
    message = _mapping(plain)
    calls: list[tuple[str, str, str]] = []
    for call in _list(message, "tool_calls"):
        function = _mapping(_mapping(call).get("function"))
        entry = (_mapping(call).get("id", ""), function.get("name", ""), function.get("arguments", ""))
        calls.append((str(entry[0]), str(entry[1]), str(entry[2])))
    role, call_id = str(message.get("role", "")), str(message.get("tool_call_id", ""))
    content = message.get("content")
    return ScriptMessage(role, _text(content), tuple(calls), call_id, tuple(_images(content)))


def _text(content: object) -> str:
    """Flatten content, which is text or a list of parts; parts that are not text are left out."""
    if isinstance(content, list):
        parts = (_mapping(part).get("text", "") for part in cast("list[object]", content))
        return "".join(str(part) for part in parts)
    return content if isinstance(content, str) else ""


def _images(content: object) -> Iterator[str]:
    """Tell the kinds of the pictures in content; raises `ValueError` for one that is not what it says."""
    for part in map(_mapping, cast("list[object]", content) if isinstance(content, list) else ()):
        if part.get("type") in {"image_url", "input_image"}:
            place = part.get("image_url")
            url = str(place if isinstance(place, str) else _mapping(place).get("url"))
            found = DATA_URL.match(url)
            if found is None:
                yield "image/*"
            elif media_type_of(base64.b64decode(found[2], validate=True)) == found[1]:
                yield found[1]
            else:
                reason = f"a picture is no `{found[1]}`"
                raise ValueError(reason)


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
