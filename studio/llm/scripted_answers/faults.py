"""The faults of real providers, served on purpose: a table of small functions.

A fault replaces the whole response, or changes the reply before it is written, or the pieces afterwards.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import repeat

from studio.errors import UsageError
from studio.llm.client import ToolCall
from studio.llm.scripted_answers.completion_format import DONE, JSON_HEADERS, error_response, event
from studio.llm.scripted_answers.response_parts import Cut, Pause, Piece, Served
from studio.llm.scripted_answers.script_book import ScriptedReply

FOREVER = Pause(86_400)
SLOW = Pause(30)
DRIP = Pause(0.5)
KEEP_ALIVE = b": keep-alive\n\n"


@dataclass(frozen=True, slots=True)
class Fault:
    """One way in which an endpoint misbehaves; at most one of the three is set."""

    says: str
    response: Callable[[], Served] | None = None
    reply: Callable[[ScriptedReply], ScriptedReply] | None = None
    pieces: Callable[[Iterable[Piece]], Iterable[Piece]] | None = None


def find_fault(name: str) -> Fault:
    """Look a fault up; raises `UsageError` listing those there are."""
    if name in FAULTS:
        return FAULTS[name]
    message = f"There is no fault `{name}`."
    raise UsageError(message, hint=f"There are {', '.join(FAULTS)}.")


def _too_many(headers: dict[str, str]) -> Served:
    served = error_response(429, "Rate limit reached.", code="rate_limit_exceeded")
    return Served(429, served.pieces, {**JSON_HEADERS, **headers})


def _bad_gateway() -> Served:
    page = b"<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>"
    return Served(502, [page], {"content-type": "text/html"})


def _with_call(reply: ScriptedReply) -> ScriptedReply:
    """Make sure that there is a tool call to spoil."""
    if reply.tool_calls:
        return reply
    call = ToolCall(f"call_{reply.id}_1", "lookup", '{"query": "anything at all"}')
    return replace(reply, tool_calls=(call,), finish_reason="tool_calls")


def _spoiled(change: Callable[[str], str]) -> Callable[[ScriptedReply], ScriptedReply]:
    def spoil(reply: ScriptedReply) -> ScriptedReply:
        reply = _with_call(reply)
        *others, last = reply.tool_calls
        return replace(reply, tool_calls=(*others, replace(last, arguments=change(last.arguments))))

    return spoil


def _unknown_tool(reply: ScriptedReply) -> ScriptedReply:
    call = ToolCall(f"call_{reply.id}_1", "no_such_tool", "{}")
    return replace(reply, tool_calls=(call,), finish_reason="tool_calls")


def _duplicate_id(reply: ScriptedReply) -> ScriptedReply:
    reply = _with_call(reply)
    return replace(reply, tool_calls=(*reply.tool_calls, reply.tool_calls[-1]))


def _first_half(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Give about half of what there is; a body of one piece is cut in the middle."""
    whole = list(pieces)
    if len([piece for piece in whole if isinstance(piece, bytes)]) > 1:
        yield from whole[: len(whole) // 2]
        return
    for piece in whole:
        yield piece[: len(piece) // 2] if isinstance(piece, bytes) else piece


def _before_end(inserted: bytes, pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Insert bytes in the middle; into a body of one piece, at its start."""
    whole = list(pieces)
    yield from whole[: len(whole) // 2]
    yield inserted
    yield from whole[len(whole) // 2 :]


def _reset_mid_stream(pieces: Iterable[Piece]) -> Iterator[Piece]:
    yield from _first_half(pieces)
    yield Cut.RESET


def _close_mid_stream(pieces: Iterable[Piece]) -> Iterator[Piece]:
    yield from _first_half(pieces)
    yield Cut.CLOSE


def _no_done(pieces: Iterable[Piece]) -> Iterator[Piece]:
    return (piece for piece in pieces if piece != DONE)


def _malformed(pieces: Iterable[Piece]) -> Iterator[Piece]:
    return _before_end(b'data: {"choices": [{"delta": \n\n', pieces)


def _bad_utf8(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Put bytes that are no UTF-8 at the start of each content; the JSON stays whole."""
    for piece in pieces:
        if isinstance(piece, bytes) and b'"content": "' in piece:
            head, mark, tail = piece.partition(b'"content": "')
            yield head + mark + b"\xff\xc3(" + tail
        else:
            yield piece


def _usage_only(pieces: Iterable[Piece]) -> Iterator[Piece]:
    usage = {"prompt_tokens": 1, "completion_tokens": 0, "total_tokens": 1}
    return _before_stream(event({"choices": None, "usage": usage}), pieces)


def _empty_choices(pieces: Iterable[Piece]) -> Iterator[Piece]:
    return _before_stream(event({"choices": []}), pieces)


def _before_stream(inserted: bytes, pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Insert an event before each event of a stream; a body that is no stream stays as it is."""
    for piece in pieces:
        if isinstance(piece, bytes) and piece.startswith(b"data:"):
            yield inserted
        yield piece


def _error_in_stream(pieces: Iterable[Piece]) -> Iterator[Piece]:
    whole = list(pieces)
    error = {"error": {"message": "The server had an error.", "type": "server_error", "code": None}}
    if not any(isinstance(piece, bytes) and piece.startswith(b"data:") for piece in whole):
        return iter([event(error)[len(b"data: ") :]])
    return iter([*whole[: len(whole) // 2], event(error), DONE])


def _drip(pieces: Iterable[Piece]) -> Iterator[Piece]:
    for piece in pieces:
        for byte in piece if isinstance(piece, bytes) else ():
            yield DRIP
            yield bytes((byte,))


def _keep_alive_only(_pieces: Iterable[Piece]) -> Iterator[Piece]:
    while True:
        yield KEEP_ALIVE
        yield DRIP


def _endless_stream(pieces: Iterable[Piece]) -> Iterator[Piece]:
    bodies = [piece for piece in pieces if isinstance(piece, bytes)]
    # The first chunk has the role, the second the first word; a whole answer is one piece.
    yield from repeat(bodies[min(1, len(bodies) - 1)])


def _endless_line(_pieces: Iterable[Piece]) -> Iterator[Piece]:
    yield b'data: {"choices": [{"index": 0, "delta": {"content": "'
    yield from repeat(b"word " * 800)


def _slow_first_token(pieces: Iterable[Piece]) -> Iterator[Piece]:
    yield KEEP_ALIVE.replace(b": keep-alive", b"")
    yield SLOW
    yield from pieces


def _hang(_pieces: Iterable[Piece]) -> Iterator[Piece]:
    yield FOREVER


NO_FAULT = Fault("nothing is wrong")

FAULTS = {
    "none": NO_FAULT,
    "429": Fault("too many requests", response=lambda: _too_many({})),
    "429-retry-after": Fault(
        "too many requests, come back in 1 s", response=lambda: _too_many({"retry-after": "1"})
    ),
    "500": Fault("an internal error", response=lambda: error_response(500, "The server had an error.")),
    "502-html": Fault("a proxy's HTML page", response=_bad_gateway),
    "reset-before-head": Fault("reset without an answer", response=lambda: Served(200, [Cut.RESET])),
    "reset-mid-stream": Fault("reset in the middle", pieces=_reset_mid_stream),
    "close-mid-stream": Fault("closed in the middle", pieces=_close_mid_stream),
    "no-finish-reason": Fault("no finish reason", reply=lambda reply: replace(reply, finish_reason=None)),
    "no-done": Fault("no `[DONE]`", pieces=_no_done),
    "malformed-chunk": Fault("a chunk that is not JSON", pieces=_malformed),
    "bad-utf8": Fault("bytes that are not UTF-8", pieces=_bad_utf8),
    "lone-surrogate": Fault(
        "half a surrogate pair", reply=lambda reply: replace(reply, text=reply.text + "\ud83d")
    ),
    "truncated-tool-arguments": Fault(
        "tool arguments cut off", reply=_spoiled(lambda text: text[: len(text) // 2])
    ),
    "invalid-tool-arguments": Fault(
        "tool arguments that are no object", reply=_spoiled(lambda _text: "query=all")
    ),
    "unknown-tool": Fault("a call of a tool that was not offered", reply=_unknown_tool),
    "duplicate-call-id": Fault("two calls with one id", reply=_duplicate_id),
    "usage-only-chunk": Fault("chunks with usage alone", pieces=_usage_only),
    "empty-choices": Fault("chunks without choices", pieces=_empty_choices),
    "error-in-stream": Fault("an error as a chunk", pieces=_error_in_stream),
    "drip": Fault("one byte every half second", pieces=_drip),
    "keep-alive-only": Fault("comments without end", pieces=_keep_alive_only),
    "endless-stream": Fault("a word without end", pieces=_endless_stream),
    "endless-line": Fault("a line without end", pieces=_endless_line),
    "slow-first-token": Fault("the first token after 30 s", pieces=_slow_first_token),
    "hang": Fault("a connection on which nothing comes", pieces=_hang),
}
"""Every fault by its name on the command line."""
