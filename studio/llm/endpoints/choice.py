"""One of the answers in the chunks of a stream, put together and refused when it is not whole."""

import json
from collections.abc import Mapping
from typing import Literal, cast

from studio.errors import ChatIncompleteError
from studio.llm.clean_text import TextStream, normalise, normalise_json
from studio.llm.client import FinishReason, Message, ToolCall
from studio.llm.log_probabilities import TokenChance, read_tokens

Plain = Mapping[str, object]

ASK_AGAIN = "Nothing of the answer was used; try again."


class Choice:
    """An answer under construction; its pieces are joined once, at the end."""

    def __init__(self) -> None:
        self.finish_reason = ""
        self._text: list[str] = []
        self._refusal: list[str] = []
        self._stream = TextStream()
        self._calls: list[_CallParts] = []
        self.tokens: list[TokenChance] = []
        """How likely its tokens were, where that is told."""

    @property
    def refusal(self) -> str:
        """Why the language model would not answer; empty where it did."""
        return "" if self._text else normalise("".join(self._refusal))

    def add(self, plain: Plain) -> str | None:
        """Take what a chunk has of it; gives its text (perhaps empty), or None when that has no content."""
        finish_reason = plain.get("finish_reason")
        if isinstance(finish_reason, str):
            self.finish_reason = finish_reason
        if chances := plain.get("logprobs"):
            self.tokens.extend(read_tokens(as_mapping(chances).get("content")))
        whole = plain.get("message")
        # A whole answer has the same shape as a chunk, but its calls need no index.
        return self._add_delta(as_mapping(whole or plain.get("delta")), is_whole=whole is not None)

    def _add_delta(self, delta: Plain, *, is_whole: bool) -> str | None:
        text: str | None = None
        content = delta.get("content")
        if isinstance(content, str) and content:
            text = self._stream.feed(content)
            if text:
                self._text.append(text)
        if calls := delta.get("tool_calls"):
            text = text or ""
            for place, call in enumerate(cast("list[object]", calls) if isinstance(calls, list) else ()):
                piece = as_mapping(call)
                self._add_call(piece, place if is_whole else piece.get("index"))
        if isinstance(refusal := delta.get("refusal"), str) and refusal:
            self._refusal.append(refusal)
            text = text or ""
        # Reasoning is not shown, but it is a sign of life.
        if text is None and (delta.get("reasoning_content") or delta.get("reasoning")):
            text = ""
        return text

    def _add_call(self, piece: Plain, index: object) -> None:
        function = as_mapping(piece.get("function"))
        call_id = piece.get("id")
        call = self._find_call(index, call_id if isinstance(call_id, str) else "")
        if isinstance(name := function.get("name"), str) and name and not call.name:
            call.name = name
        if isinstance(arguments := function.get("arguments"), str):
            call.arguments.append(arguments)

    def _find_call(self, index: object, call_id: str) -> "_CallParts":
        """Find the call that a piece belongs to; some endpoints leave out the index, some the id."""
        if isinstance(index, int):
            for call in self._calls:
                if call.index == index:
                    return call
        elif self._calls and (not call_id or self._calls[-1].id == call_id):
            return self._calls[-1]
        call = _CallParts(index if isinstance(index, int) else None, call_id)
        self._calls.append(call)
        return call

    def require_end(self) -> None:
        """Raise `ChatIncompleteError` where nothing said that it is over."""
        if not self.finish_reason:
            message = "The answer ended before it was complete."
            raise ChatIncompleteError(message, hint=ASK_AGAIN)

    def finish(self, id_prefix: str) -> tuple[Message, FinishReason]:
        """Give the whole message, and how it ended; raises `ChatIncompleteError` when it is not whole.

        Calls without an id get one that begins with `id_prefix`.
        """
        self.require_end()
        if rest := self._stream.finish():
            self._text.append(rest)
        reason = _finish_reason(self.finish_reason, calls=bool(self._calls))
        if self._calls and reason != "tool_calls":
            tool = self._calls[-1].name
            message = f"The answer was cut off (`{self.finish_reason}`) while it called `{tool}`."
            hint = "The tool was not called; allow more tokens, or try again."
            raise ChatIncompleteError(message, hint=hint)
        return Message("assistant", "".join(self._text), self._whole_calls(id_prefix)), reason

    def _whole_calls(self, id_prefix: str) -> tuple[ToolCall, ...]:
        calls: list[ToolCall] = []
        taken: set[str] = set()
        for number, parts in enumerate(self._calls, 1):
            call_id = normalise(parts.id)
            if not call_id or call_id in taken:
                # Two calls of one name could not be answered apart.
                call_id = f"{call_id or id_prefix}_{number}"
            taken.add(call_id)
            calls.append(ToolCall(call_id, normalise(parts.name), whole_arguments(parts)))
        return tuple(calls)


class _CallParts:
    """A tool call under construction."""

    __slots__ = ("arguments", "id", "index", "name")

    def __init__(self, index: int | None, call_id: str) -> None:
        self.index = index
        self.id = call_id
        self.name = ""
        self.arguments: list[str] = []


def whole_arguments(call: _CallParts) -> str:
    """Give the arguments as valid JSON text of an object; raises `ChatIncompleteError` naming the tool."""
    text = "".join(call.arguments)
    try:
        value: object = json.loads(text, parse_constant=_refuse_constant)
        clean = normalise_json(value)
    except (ValueError, RecursionError) as error:
        message = f"The arguments for the tool `{call.name}` are not complete, valid JSON."
        raise ChatIncompleteError(message, hint="The tool was not called; try again.") from error
    if not isinstance(clean, dict) or not call.name:
        message = f"The arguments for the tool `{call.name}` are not a JSON object."
        raise ChatIncompleteError(message, hint="The tool was not called; try again.")
    return text if clean == value else json.dumps(clean, ensure_ascii=False)


def _finish_reason(reason: str, *, calls: bool) -> FinishReason:
    """Map what endpoints say to the protocol's words; raises `ChatIncompleteError` for an error."""
    known: dict[str, FinishReason | Literal["error"]] = {
        "length": "length",
        "content_filter": "content_filter",
        "tool_calls": "tool_calls",
        "error": "error",
    }
    mapped = known.get(reason, "stop")
    if mapped == "error" or (mapped == "tool_calls" and not calls):
        message = "The endpoint ended the answer with an error, or announced tool calls and sent none."
        raise ChatIncompleteError(message, hint=ASK_AGAIN)
    return "tool_calls" if mapped == "stop" and calls else mapped


def _refuse_constant(name: str) -> object:
    reason = f"{name} is not JSON"
    raise ValueError(reason)


def as_mapping(value: object) -> Plain:
    """Give a JSON object as it is, and an empty one for anything else."""
    return cast("Plain", value) if isinstance(value, Mapping) else {}
