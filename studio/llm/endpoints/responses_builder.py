"""The events of the Responses API, told as the chunks of Chat Completions, so that both are held to the same.

See https://platform.openai.com/docs/api-reference/responses-streaming for the events.
"""

from collections.abc import Mapping, Sequence
from typing import cast

from studio.llm.endpoints.answer_builder import AnswerBuilder, Plain

REASONS = {"max_output_tokens": "length", "content_filter": "content_filter"}
NOTHING: Plain = {}


class ResponsesBuilder(AnswerBuilder):
    """Takes events of the Responses API, or a whole response; gives what `AnswerBuilder` gives."""

    def __init__(self, llm: str, id_prefix: str) -> None:
        super().__init__(llm, id_prefix)
        self._begun: set[object] = set()
        """The places of calls that were announced."""
        self._written: set[object] = set()
        """The places of calls whose arguments have come."""

    def add(self, chunk: Plain) -> str | None:
        """Take one event; see `AnswerBuilder.add`."""
        return super().add(self._as_chunk(chunk))

    def _as_chunk(self, event: Plain) -> Plain:
        kind = str(event.get("type"))
        if event.get("object") == "response":
            return self._whole(event)
        if kind == "error" or event.get("error"):
            return {"error": event.get("error") or event}
        match kind:
            case "response.output_text.delta":
                return _delta({"content": event.get("delta")}, event.get("logprobs"))
            case "response.refusal.delta":
                return _delta({"refusal": event.get("delta")})
            case "response.output_item.added" | "response.output_item.done":
                return self._item(event.get("output_index"), _mapping(event.get("item")), kind)
            case "response.function_call_arguments.delta":
                return self._arguments(event.get("output_index"), event.get("delta"))
            case "response.completed" | "response.incomplete" | "response.failed":
                return self._end(_mapping(event.get("response")))
            case _ if kind.startswith("response.reasoning") and kind.endswith(".delta"):
                return _delta({"reasoning": event.get("delta")})
            case _:
                return NOTHING

    def _item(self, place: object, item: Plain, kind: str) -> Plain:
        """Announce a call; one that comes whole and without deltas is taken when it is done."""
        if item.get("type") != "function_call":
            return NOTHING
        head: dict[str, object] = {}
        if place not in self._begun:
            self._begun.add(place)
            head = {"name": item.get("name")}
        if kind.endswith(".done") and place not in self._written:
            self._written.add(place)
            head["arguments"] = item.get("arguments")
        return _delta({"tool_calls": [{"index": place, "id": item.get("call_id"), "function": head}]})

    def _arguments(self, place: object, text: object) -> Plain:
        self._written.add(place)
        return _delta({"tool_calls": [{"index": place, "function": {"arguments": text}}]})

    def _end(self, response: Plain) -> Plain:
        if error := response.get("error"):
            return {"error": error}
        has_calls = bool(self._begun)
        choice: Plain = {"delta": NOTHING, "finish_reason": _reason(response, has_calls)}
        return {**_frame(response), "choices": [choice]}

    def _whole(self, response: Plain) -> Plain:
        if error := response.get("error"):
            return {"error": error}
        texts: list[str] = []
        refusals: list[str] = []
        chances: list[object] = []
        calls: list[object] = []
        for item in map(_mapping, _list(response.get("output"))):
            if item.get("type") == "function_call":
                function = {"name": item.get("name"), "arguments": item.get("arguments")}
                calls.append({"id": item.get("call_id"), "function": function})
            for part in map(_mapping, _list(item.get("content")) if item.get("type") == "message" else ()):
                texts.append(str(part.get("text") or ""))
                refusals.append(str(part.get("refusal") or ""))
                chances.extend(_list(part.get("logprobs")))
        message = {"content": "".join(texts), "refusal": "".join(refusals), "tool_calls": calls}
        reason = _reason(response, bool(calls))
        choice = {"message": message, "finish_reason": reason, "logprobs": {"content": chances}}
        return {**_frame(response), "choices": [choice]}


def _reason(response: Plain, has_calls: bool) -> str | None:  # noqa: FBT001  # one of two plain facts
    """Say in Chat Completions' words how a response ended; None where it did not."""
    if response.get("status") == "incomplete":
        reason = str(_mapping(response.get("incomplete_details")).get("reason"))
        return REASONS.get(reason, "error")
    if response.get("status") != "completed":
        return None
    return "tool_calls" if has_calls else "stop"


def _frame(response: Plain) -> dict[str, object]:
    frame: dict[str, object] = {"model": response.get("model")}
    if response.get("usage") is not None:
        usage = _mapping(response["usage"])
        frame["usage"] = {
            "prompt_tokens": usage.get("input_tokens"),
            "completion_tokens": usage.get("output_tokens"),
            "prompt_tokens_details": usage.get("input_tokens_details"),
            "completion_tokens_details": usage.get("output_tokens_details"),
        }
    return frame


def _delta(delta: Plain, chances: object = None) -> Plain:
    return {"choices": [{"delta": delta, "logprobs": {"content": chances} if chances else None}]}


def _mapping(value: object) -> Plain:
    return cast("Plain", value) if isinstance(value, Mapping) else {}


def _list(value: object) -> Sequence[object]:
    return cast("list[object]", value) if isinstance(value, list) else ()
