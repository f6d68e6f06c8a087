"""Scripted replies in the wire format of the Responses API, and its requests as those of Chat Completions."""

from collections.abc import Iterator, Mapping
from typing import cast

from studio.llm.scripted_answers.chances import TOKEN, chances_json, chances_of
from studio.llm.scripted_answers.completion_format import (
    ARGUMENTS_PIECE,
    JSON_HEADERS,
    STREAM_HEADERS,
    encoded,
    event,
    token_seconds,
)
from studio.llm.scripted_answers.response_parts import Pause, Piece, Served
from studio.llm.scripted_answers.script_book import ScriptedReply

Plain = Mapping[str, object]
STATUS = {"stop": "completed", "tool_calls": "completed"}


def as_chat_body(body: Plain) -> dict[str, object]:
    """Give the Chat Completions request that asks the same; raises `ValueError` for none."""
    given = body.get("input")
    items: list[object] = [{"role": "user", "content": given}] if isinstance(given, str) else _list(given)
    if not items:
        reason = "`input` is missing or empty"
        raise ValueError(reason)
    messages = [_message(_mapping(item)) for item in items]
    if isinstance(instructions := body.get("instructions"), str):
        messages.insert(0, {"role": "system", "content": instructions})
    chat: dict[str, object] = {"model": body.get("model"), "messages": messages}
    if tools := _list(body.get("tools")):
        chat["tools"] = [{"type": "function", "function": tool} for tool in tools]
        if "tool_choice" in body:
            chat["tool_choice"] = body["tool_choice"]
    if effort := _mapping(body.get("reasoning")).get("effort"):
        chat["reasoning_effort"] = effort
    if "message.output_text.logprobs" in _list(body.get("include")):
        chat |= {"logprobs": True, "top_logprobs": body.get("top_logprobs", 0)}
    form = _mapping(_mapping(body.get("text")).get("format"))
    if form.get("type") == "json_schema":
        chat["response_format"] = {"type": "json_schema", "json_schema": form}
    return chat


def _message(item: Plain) -> dict[str, object]:
    match item.get("type", "message"):
        case "function_call":
            function = {"name": item.get("name"), "arguments": item.get("arguments")}
            return {"role": "assistant", "tool_calls": [{"id": item.get("call_id"), "function": function}]}
        case "function_call_output":
            return {"role": "tool", "tool_call_id": item.get("call_id"), "content": item.get("output")}
        case "message":
            return {"role": item.get("role"), "content": item.get("content")}
        case other:
            reason = f"`input` has an item of the type `{other}`"
            raise ValueError(reason)


def whole_reply(reply: ScriptedReply, *, alternatives: int | None = None) -> Served:
    """Give the reply as one JSON object, as `whole_response` does."""
    pause = Pause(reply.delay + token_seconds(reply) * reply.usage.output_tokens, paced=True)
    return Served(200, [pause, encoded(_response(reply, alternatives))], JSON_HEADERS)


def streamed_reply(reply: ScriptedReply, *, alternatives: int | None = None) -> Served:
    """Give the reply as events, a word to each, as `streamed_response` does."""
    return Served(200, _numbered(reply, alternatives), STREAM_HEADERS)


def _numbered(reply: ScriptedReply, alternatives: int | None) -> Iterator[Piece]:
    for number, piece in enumerate(_events(reply, alternatives)):
        yield event({**piece, "sequence_number": number}) if isinstance(piece, Mapping) else piece


def _events(reply: ScriptedReply, alternatives: int | None) -> Iterator[Plain | Pause]:
    pause = Pause(token_seconds(reply), paced=True)
    if reply.delay:
        yield Pause(reply.delay, paced=True)
    begun: dict[str, object] = {
        **_response(reply, alternatives),
        "status": "in_progress",
        "output": [],
        "usage": None,
    }
    yield {"type": "response.created", "response": begun}
    for place, item in enumerate(_output(reply, alternatives)):
        where = {"item_id": item["id"], "output_index": place}
        empty: dict[str, object] = {"arguments": ""} if item["type"] == "function_call" else {"content": ()}
        yield {"type": "response.output_item.added", "output_index": place, "item": {**item, **empty}}
        if item["type"] == "function_call":
            text = str(item["arguments"])
            pieces = [text[at : at + ARGUMENTS_PIECE] for at in range(0, len(text), ARGUMENTS_PIECE)]
            kind = "response.function_call_arguments.delta"
        else:
            pieces, kind = TOKEN.findall(reply.text), "response.output_text.delta"
            where["content_index"] = 0
        told = _chances(reply, alternatives) if item["type"] == "message" else []
        for number, piece in enumerate(pieces):
            yield pause
            chances = {"logprobs": told[number : number + 1]} if item["type"] == "message" else {}
            yield {"type": kind, **where, "delta": piece, **chances}
        yield {"type": "response.output_item.done", "output_index": place, "item": item}
    if reply.finish_reason is not None:
        response = _response(reply, alternatives)
        yield {"type": f"response.{response['status']}", "response": response}


def _response(reply: ScriptedReply, alternatives: int | None) -> dict[str, object]:
    status = "in_progress" if reply.finish_reason is None else STATUS.get(reply.finish_reason, "incomplete")
    return {
        "id": f"resp_{reply.id}",
        "object": "response",
        "created_at": 0,
        "model": reply.llm,
        "status": status,
        "error": None,
        "incomplete_details": {"reason": "max_output_tokens"} if status == "incomplete" else None,
        "output": _output(reply, alternatives),
        "usage": {
            "input_tokens": reply.usage.input_tokens,
            "input_tokens_details": {"cached_tokens": reply.usage.cached_tokens},
            "output_tokens": reply.usage.output_tokens,
            "output_tokens_details": {"reasoning_tokens": reply.usage.reasoning_tokens},
            "total_tokens": reply.usage.total,
        },
    }


def _chances(reply: ScriptedReply, alternatives: int | None) -> list[object]:
    return [] if alternatives is None else chances_json(chances_of(reply, alternatives))


def _output(reply: ScriptedReply, alternatives: int | None) -> list[dict[str, object]]:
    items: list[dict[str, object]] = []
    if reply.text:
        part: dict[str, object] = {"type": "output_text", "text": reply.text, "annotations": []}
        if alternatives is not None:
            part["logprobs"] = _chances(reply, alternatives)
        items.append(
            {
                "id": f"msg_{reply.id}",
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "content": [part],
            }
        )
    for number, call in enumerate(reply.tool_calls):
        items.append(
            {
                "id": f"fc_{reply.id}_{number}",
                "type": "function_call",
                "status": "completed",
                "call_id": call.id,
                "name": call.name,
                "arguments": call.arguments,
            }
        )
    return items


def _mapping(value: object) -> Plain:
    return cast("Plain", value) if isinstance(value, Mapping) else {}


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []
