"""Scripted replies in the wire format of the Chat Completions protocol, streamed or whole."""

import json
from collections.abc import Iterator, Mapping, Sequence

from studio.llm.client import ToolCall, Usage
from studio.llm.scripted_answers.chances import TOKEN, chances_json, chances_of
from studio.llm.scripted_answers.response_parts import Pause, Piece, Served
from studio.llm.scripted_answers.script_book import ScriptedReply

ARGUMENTS_PIECE = 16
"""Characters of tool arguments in one chunk."""

JSON_HEADERS = {"content-type": "application/json"}
STREAM_HEADERS = {"content-type": "text/event-stream", "cache-control": "no-cache"}
DONE = b"data: [DONE]\n\n"


def error_response(status: int, message: str, *, code: str | None = None) -> Served:
    """Give an error in the form that OpenAI's endpoints use."""
    kind = "server_error" if status >= 500 else "invalid_request_error"
    error = {"error": {"message": message, "type": kind, "param": None, "code": code}}
    return Served(status, [encoded(error)], JSON_HEADERS)


def whole_response(reply: ScriptedReply, *, alternatives: int | None = None) -> Served:
    """Give the reply as one JSON object, after the time that speaking it takes.

    With a number of `alternatives` it tells how likely its words were.
    """
    choices = [_whole_choice(index, one, alternatives) for index, one in enumerate((reply, *reply.others))]
    answer = {**_frame(reply, "chat.completion"), "choices": choices, "usage": usage_json(reply.usage)}
    pauses = [Pause(reply.delay + token_seconds(reply) * reply.usage.output_tokens, paced=True)]
    return Served(200, [*pauses, encoded(answer)], JSON_HEADERS)


def _whole_choice(index: int, reply: ScriptedReply, alternatives: int | None) -> dict[str, object]:
    message: dict[str, object] = {"role": "assistant", "content": reply.text or None}
    if reply.tool_calls:
        message["tool_calls"] = [_call(call) for call in reply.tool_calls]
    told = None if alternatives is None else {"content": chances_json(chances_of(reply, alternatives))}
    return {"index": index, "message": message, "finish_reason": reply.finish_reason, "logprobs": told}


def streamed_response(
    reply: ScriptedReply, *, include_usage: bool, alternatives: int | None = None
) -> Served:
    """Give the reply as server-sent events, a word to a chunk; of several samples, a word of each in turn.

    With a number of `alternatives` each tells how likely its word was.
    """
    return Served(200, _stream(reply, alternatives, include_usage=include_usage), STREAM_HEADERS)


def _stream(reply: ScriptedReply, alternatives: int | None, *, include_usage: bool) -> Iterator[Piece]:
    pause = Pause(token_seconds(reply), paced=True)
    if reply.delay:
        yield Pause(reply.delay, paced=True)
    speaking = {index: _chunks(one, alternatives) for index, one in enumerate((reply, *reply.others))}
    while speaking:
        for index, chunks in list(speaking.items()):
            found = next(chunks, None)
            if found is None:
                del speaking[index]
                continue
            delta, finish_reason, told = found
            if delta and "role" not in delta:
                yield pause
            yield chunk(reply, delta, finish_reason, index, told)
    if include_usage:
        yield event({**_frame(reply), "choices": [], "usage": usage_json(reply.usage)})
    yield DONE


def _chunks(
    reply: ScriptedReply, alternatives: int | None
) -> Iterator[tuple[Mapping[str, object], str | None, object]]:
    """Give what each chunk of a sample holds, why it ended in the last, and how likely its words are."""
    yield {"role": "assistant", "content": ""}, None, None
    chances = None if alternatives is None else chances_json(chances_of(reply, alternatives))
    for place, word in enumerate(TOKEN.findall(reply.text)):
        yield {"content": word}, None, None if chances is None else {"content": [chances[place]]}
    for delta in _call_deltas(reply):
        yield delta, None, None
    if reply.finish_reason is not None:
        yield {}, reply.finish_reason, None


def _call_deltas(reply: ScriptedReply) -> Iterator[Mapping[str, object]]:
    for index, call in enumerate(reply.tool_calls):
        head = {"name": call.name, "arguments": ""}
        yield {"tool_calls": [{"index": index, "id": call.id, "type": "function", "function": head}]}
        for start in range(0, len(call.arguments), ARGUMENTS_PIECE):
            part = {"arguments": call.arguments[start : start + ARGUMENTS_PIECE]}
            yield {"tool_calls": [{"index": index, "function": part}]}


def chunk(
    reply: ScriptedReply,
    delta: Mapping[str, object],
    finish_reason: str | None = None,
    index: int = 0,
    chances: object = None,
) -> bytes:
    """Give one chunk of the stream, as an event; `chances` are its `logprobs`."""
    choice = {"index": index, "delta": delta, "finish_reason": finish_reason, "logprobs": chances}
    return event({**_frame(reply), "choices": [choice]})


def event(plain: Mapping[str, object]) -> bytes:
    """Give a server-sent event that carries JSON."""
    return b"data: " + encoded(plain) + b"\n\n"


def encoded(plain: Mapping[str, object] | Sequence[object]) -> bytes:
    """Give JSON in UTF-8; lone surrogates, which UTF-8 can't carry, are escaped."""
    try:
        return json.dumps(plain, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(plain).encode()


def usage_json(usage: Usage) -> dict[str, object]:
    """Give usage as the protocol names it."""
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.total,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
    }


def token_seconds(reply: ScriptedReply) -> float:
    """Give the seconds that one token takes at the reply's pace."""
    return 1 / reply.tokens_per_second if reply.tokens_per_second else 0.0


def _call(call: ToolCall) -> dict[str, object]:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}


def _frame(reply: ScriptedReply, kind: str = "chat.completion.chunk") -> dict[str, object]:
    # No clock: the same request gets the same bytes.
    return {"id": f"chatcmpl-{reply.id}", "object": kind, "created": 0, "model": reply.llm}
