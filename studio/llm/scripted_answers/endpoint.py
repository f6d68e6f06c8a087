"""An endpoint of the OpenAI protocol whose answers come from a script book; transports play them."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import cycle
from typing import cast
from urllib.parse import unquote

from studio.errors import ScriptedAnswerMissingError, UsageError
from studio.llm.client import Caller
from studio.llm.endpoints.refusals import ANSWER_MISSING
from studio.llm.scripted_answers.chances import alternatives_wanted
from studio.llm.scripted_answers.completion_format import (
    JSON_HEADERS,
    encoded,
    error_response,
    streamed_response,
    whole_response,
)
from studio.llm.scripted_answers.embeddings import DIMENSIONS, as_base64, embed
from studio.llm.scripted_answers.faults import NO_FAULT, Fault, find_fault
from studio.llm.scripted_answers.prefix_cache import PrefixCache
from studio.llm.scripted_answers.response_parts import Served
from studio.llm.scripted_answers.responses_format import as_chat_body, streamed_reply, whole_reply
from studio.llm.scripted_answers.script_book import SCRIPTED_LLM, AnswerBook, ScriptedReply, count_tokens

Plain = Mapping[str, object]
LARGEST_VECTOR = 4096


class ScriptedEndpoint:
    """Answers `POST` to `/v1/chat/completions`, `/v1/responses` and `/v1/embeddings`, and `GET /v1/models`.

    Each request for an answer or for vectors gets the next of `faults`, and round again after the last;
    `none` is a fault that does nothing. Raises `UsageError` for an unknown one. `pace` scales the waits of
    the scripts; 0: no waits. With `cache`, it tells how much of each request its prefix cache of so many
    slots had. `llm` is the language model that it lists, and that vectors are told to be from.
    """

    def __init__(
        self,
        book: AnswerBook,
        *,
        faults: Sequence[str] = (),
        pace: float = 1.0,
        cache: int = 0,
        llm: str = SCRIPTED_LLM,
    ) -> None:
        self._llm = llm
        self._book = book
        self._cache = PrefixCache(cache)
        self._faults = cycle([find_fault(name) for name in faults] or [NO_FAULT])
        self.pace = pace

    def handle(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Served:
        """Answer one HTTP request; the names of `headers` are in lower case."""
        route = f"{method} {path.partition('?')[0].removeprefix('/v1').rstrip('/')}"
        if route == "GET /models":
            model = {"id": self._llm, "object": "model", "created": 0, "owned_by": "stepwire"}
            return Served(200, [encoded({"object": "list", "data": [model]})], JSON_HEADERS)
        answers = {
            "POST /chat/completions": self._chat,
            "POST /responses": self._respond,
            "POST /embeddings": self._embed,
        }
        if route not in answers:
            return error_response(404, f"There is no {method} {path} here.")
        try:
            plain: object = json.loads(body)
        except (ValueError, RecursionError) as error:
            return error_response(400, f"The body is not JSON: {error}.")
        if not isinstance(plain, dict):
            return error_response(400, "The body is not a JSON object.")
        return answers[route](cast("Plain", plain), headers)

    def _respond(self, body: Plain, headers: Mapping[str, str]) -> Served:
        try:
            chat = as_chat_body(body)
        except ValueError as error:
            return error_response(400, f"The request is none of the Responses API: {error}.")
        return self._chat(chat, headers, streamed_reply if body.get("stream") else whole_reply)

    def _embed(self, body: Plain, _headers: Mapping[str, str]) -> Served:
        fault = next(self._faults)
        return (
            fault.response() if fault.response is not None else _spoilt(_embeddings(body, self._llm), fault)
        )

    def _chat(
        self, body: Plain, headers: Mapping[str, str], write: Callable[..., Served] | None = None
    ) -> Served:
        fault = next(self._faults)
        if fault.response is not None:
            return fault.response()
        caller = _caller(headers)
        try:
            alternatives = alternatives_wanted(body)
            reply = self._book.answer(body, caller)
        except ScriptedAnswerMissingError as error:
            return error_response(404, f"{error.message}\n{error.hint}", code=ANSWER_MISSING)
        except UsageError as error:
            return error_response(400, str(error), code="scripted_rule_failed")
        except ValueError as error:
            return error_response(400, f"The request is not a chat request: {error}.")
        reply = replace(reply, usage=self._cache.count(body, reply.usage))
        return _serve(reply, fault, partial(write or partial(_completion, body), alternatives=alternatives))


def _caller(headers: Mapping[str, str]) -> Caller:
    """Who asks, where the studio does."""
    call = headers.get("x-stepwire-call", "1")
    return Caller(
        unquote(headers.get("x-stepwire-node", "")),
        unquote(headers.get("x-stepwire-scope", "")),
        int(call) if call.isdecimal() else 1,
        unquote(headers.get("x-stepwire-within", "")),
    )


def _serve(reply: ScriptedReply, fault: Fault, write: Callable[[ScriptedReply], Served]) -> Served:
    if reply.error is not None:
        return error_response(reply.error.status, reply.error.message)
    if fault.reply is not None:
        reply = fault.reply(reply)
    return _spoilt(write(reply), fault)


def _spoilt(served: Served, fault: Fault) -> Served:
    if fault.pieces is None:
        return served
    return Served(served.status, fault.pieces(served.pieces), served.headers)


def _completion(body: Plain, reply: ScriptedReply, *, alternatives: int | None) -> Served:
    if not body.get("stream"):
        return whole_response(reply, alternatives=alternatives)
    options = body.get("stream_options")
    wants_usage = isinstance(options, Mapping) and bool(cast("Plain", options).get("include_usage"))
    return streamed_response(reply, include_usage=wants_usage, alternatives=alternatives)


def _embeddings(body: Plain, llm: str) -> Served:
    given = body.get("input")
    texts = [given] if isinstance(given, str) else given
    dimensions = body.get("dimensions", DIMENSIONS)
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in cast("list[object]", texts)):
        return error_response(400, "`input` is neither a text nor a list of texts.")
    if not isinstance(dimensions, int) or not 0 < dimensions <= LARGEST_VECTOR:
        return error_response(400, f"`dimensions` is not a number from 1 to {LARGEST_VECTOR}.")
    vectors = [embed(text, dimensions) for text in cast("list[str]", texts)]
    is_packed = body.get("encoding_format") == "base64"
    data = [
        {"object": "embedding", "index": index, "embedding": as_base64(vector) if is_packed else vector}
        for index, vector in enumerate(vectors)
    ]
    tokens = sum(count_tokens(text) for text in cast("list[str]", texts))
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    answer = {"object": "list", "data": data, "model": llm, "usage": usage}
    return Served(200, [encoded(answer)], JSON_HEADERS)
