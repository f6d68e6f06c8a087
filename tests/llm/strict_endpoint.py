"""The order of messages as the strictest endpoints want it, and an endpoint that refuses any other.

Each rule is one by which some endpoint refuses requests: OpenAI (every call is answered directly, ids are
known and short), Mistral and the chat templates of open language models (one system message, first; roles in
turn; the last word is the user's or a tool's; nobody says nothing), Anthropic behind a proxy (tools are
offered wherever messages speak of them).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from studio.llm.client import ChatRequest
from studio.llm.endpoints.request_body import request_body
from studio.llm.scripted_answers.completion_format import error_response
from studio.llm.scripted_answers.endpoint import ScriptedEndpoint
from studio.llm.scripted_answers.response_parts import Served
from studio.llm.scripted_answers.responses_format import as_chat_body
from tests.llm.published_schemas import departure

LONGEST_ID = 40
Plain = Mapping[str, Any]


def complaint(body: Plain) -> str:
    """Say what a strict endpoint does not like about a request; empty for nothing."""
    if "schema" in (body.get("response_format") or {}):  # as llama.cpp takes it, and nobody has published
        body = {name: one for name, one in body.items() if name != "response_format"}
    wrong = departure(body)
    if wrong or not {"messages", "stream"} & set(body):  # texts for vectors have no order
        return wrong
    chat = body if "messages" in body else {**as_chat_body(body), "tools": body.get("tools")}
    messages: Sequence[Plain] = list(_joined(chat["messages"]))
    return next(_complaints(messages, offers_tools=bool(chat.get("tools"))), "")


def _joined(messages: Sequence[Plain]) -> Iterator[Plain]:
    """Join what the Responses API tells item by item: what the assistant says, and each of its calls."""
    last: dict[str, Any] = {}
    for message in messages:
        if message["role"] == "assistant" and last.get("role") == "assistant" and message.get("tool_calls"):
            last["tool_calls"] = [*last.get("tool_calls", ()), *message["tool_calls"]]
            continue
        if last:
            yield last
        last = dict(message)
    if last:
        yield last


def _complaints(messages: Sequence[Plain], *, offers_tools: bool) -> Iterator[str]:
    talk = messages[1:] if messages[0]["role"] == "system" else messages
    if any(message["role"] == "system" for message in talk):
        yield "a system message stands in the middle"
    if not talk or talk[0]["role"] != "user":
        yield "the conversation does not begin with the user"
    if messages[-1]["role"] not in {"user", "tool"}:
        yield "the last word is neither the user's nor a tool's"
    yield from _unanswered(talk)
    yield from _out_of_turn([message["role"] for message in talk])
    known: set[str] = set()
    for message in talk:
        if message["role"] == "assistant":
            yield from _spoken(message, known, offers_tools=offers_tools)
        elif message["role"] == "user" and not message["content"]:
            yield "the user says nothing"


def _unanswered(talk: Sequence[Plain]) -> Iterator[str]:
    waiting: list[str] = []
    for message in talk:
        if message["role"] != "tool":
            if waiting:
                yield f"the calls {waiting} are not answered directly"
            waiting = [call["id"] for call in message.get("tool_calls") or ()]
        elif message["tool_call_id"] in waiting:
            waiting.remove(message["tool_call_id"])
        else:
            yield f"`{message['tool_call_id']}` is not called directly before, or is answered twice"
    if waiting:
        yield f"the calls {waiting} are not answered"


def _out_of_turn(roles: Sequence[str]) -> Iterator[str]:
    for before, role in pairwise(roles):
        if role == before != "tool":
            yield f"two messages of the {role} follow one another"
        if (before, role) == ("tool", "user"):
            yield "the user speaks before the assistant has seen what the tools said"


def _spoken(message: Plain, known: set[str], *, offers_tools: bool) -> Iterator[str]:
    calls = message.get("tool_calls") or ()
    if calls and not offers_tools:
        yield "the assistant called tools, and none are offered"
    if not calls and not message.get("content"):
        yield "the assistant says nothing"
    names = [call["id"] for call in calls]
    if len(set(names)) != len(names) or known & set(names):
        yield "an id of a call comes twice"
    known |= set(names)
    if any(len(name) > LONGEST_ID for name in names):
        yield "an id of a call is too long"
    for call in calls:
        if not isinstance(json.loads(call["function"]["arguments"]), dict):
            yield "the arguments of a call are no object"


class StrictEndpoint(ScriptedEndpoint):
    """A scripted endpoint that refuses what a strict one does; `refused` has each complaint."""

    refused: list[str]

    def handle(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Served:
        """Answer, unless there is something to complain about."""
        self.refused = getattr(self, "refused", [])
        if method == "POST" and (wrong := complaint(json.loads(body))):
            self.refused.append(wrong)
            return error_response(400, wrong)
        return super().handle(method, path, headers, body)


def refusals(requests: Sequence[ChatRequest]) -> list[str]:
    """Say for each request why a strict endpoint would refuse it; empty where none would be."""
    return [wrong for request in requests if (wrong := complaint(request_body(request, "m")))]
