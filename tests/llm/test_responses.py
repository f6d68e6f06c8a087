"""The Responses API gives the same answers as Chat Completions, and is held to the same."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Literal

import pytest

from studio.errors import ChatError, ChatIncompleteError, ChatRefusedError
from studio.llm.client import ChatAnswer, ChatProfile, ChatRequest, Message, ToolCall, Usage
from studio.llm.endpoints.probes import Verdict, probe
from studio.llm.endpoints.responses_body import responses_body
from studio.llm.endpoints.responses_builder import ResponsesBuilder
from studio.llm.profiles import OPENAI_URL, open_client
from studio.llm.scripted_answers.faults import FAULTS
from studio.llm.scripted_answers.server import serve
from tests.llm.builders import ECHO, ONCE, SEARCH, SHORT, TOOLS, ask, book_of, client_of

SCHEMA = {"type": "object", "properties": {"number": {"type": "integer"}}}
BOTH = ("chat", "responses")


async def answer(
    script: str, request: ChatRequest, api: Literal["chat", "responses"], faults: Sequence[str] = ()
) -> ChatAnswer:
    # Clocks that are short run out on a busy machine; only what ends by them is given them.
    client = client_of(script, api=api, faults=faults, times=None if WHOLE.issuperset(faults) else SHORT)
    try:
        return await client.answer(request)
    finally:
        await client.close()


@pytest.fixture(scope="module", autouse=True)
def warm() -> None:
    """Let the library read its types, which takes longer than the clocks of these tests allow."""
    client = client_of(ECHO, api="responses")
    asyncio.run(client.answer(ask("x")))


def without_ids(answered: ChatAnswer) -> object:
    calls = [(call.name, call.arguments) for call in answered.message.tool_calls]
    return answered.message.content, calls, answered.finish_reason, answered.llm


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    ("script", "request_"),
    [
        (ECHO, ask("hello there")),
        (TOOLS, ask("owls", tools=[SEARCH])),
        (
            "rules: [{when: {schema: true}, reply: {number: 7}}]",
            ChatRequest((Message("user", "x"),), response_schema=SCHEMA),
        ),
    ],
)
async def test_both_interfaces_give_the_same_answer(
    script: str, request_: ChatRequest, *, stream: bool
) -> None:
    request = replace(request_, stream=stream)
    said = [without_ids(await answer(script, request, api)) for api in BOTH]
    assert said[0] == said[1]


async def test_text_comes_piece_by_piece_and_usage_with_what_was_cached() -> None:
    pieces: list[str] = []
    client = client_of(ECHO, api="responses")
    answered = await client.answer(ask("one two three"), on_text=pieces.append)
    await client.close()
    assert pieces == ["one ", "two ", "three"]
    assert answered.usage == Usage(4, 4)


async def test_a_conversation_with_tools_is_told_item_by_item() -> None:
    call = ToolCall("call_1", "search", '{"query": "owls"}')
    asked = (
        Message("system", "Be brief."),
        Message("user", "owls?"),
        Message("assistant", "", (call,)),
        Message("tool", "two owls", tool_call_id="call_1"),
    )
    body = responses_body(ChatRequest(asked, tools=(SEARCH,), max_tokens=90), "m")
    assert body["input"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "owls?"},
        {"type": "function_call", "call_id": "call_1", "name": "search", "arguments": '{"query": "owls"}'},
        {"type": "function_call_output", "call_id": "call_1", "output": "two owls"},
    ]
    assert (body["store"], body["max_output_tokens"]) == (False, 90)
    answered = await answer(TOOLS, ChatRequest(asked, tools=(SEARCH,)), "responses")
    assert answered.message.content == "Found two owls"


def test_a_limit_below_what_the_interface_takes_is_raised_to_it() -> None:
    body = responses_body(ChatRequest((Message("user", "x"),), max_tokens=1), "m")
    assert body["max_output_tokens"] == 16


WHOLE = {"none", "no-done", "usage-only-chunk", "empty-choices", "bad-utf8", "lone-surrogate"}
"""Faults that spoil nothing of an answer."""


@pytest.mark.parametrize("fault", [one for one in FAULTS if one not in {"slow-first-token", "hang"}])
@pytest.mark.parametrize("stream", [True, False])
async def test_no_fault_lets_half_an_answer_through(fault: str, *, stream: bool) -> None:
    request = ask("owls", tools=[SEARCH], stream=stream)
    answered = None
    with suppress(*(() if fault in WHOLE else (ChatError,))):
        answered = await answer(TOOLS, request, "responses", [fault])
    if answered is not None:
        whole = await answer(TOOLS, ask("owls", tools=[SEARCH], stream=stream), "chat")
        calls = answered.message.tool_calls
        if fault not in {"unknown-tool", "duplicate-call-id"}:
            assert [call.arguments for call in calls] == [call.arguments for call in whole.message.tool_calls]
        assert len({call.id for call in calls}) == len(calls)


def fed(*events: dict[str, object]) -> ChatAnswer:
    builder = ResponsesBuilder("m", "call")
    for event in events:
        builder.add(event)
    return builder.finish()


CALL = {"type": "function_call", "call_id": "c1", "name": "search", "arguments": '{"a": 1}'}
DONE = {"type": "response.completed", "response": {"status": "completed", "model": "m"}}


def test_a_call_that_comes_whole_is_taken_once() -> None:
    done = {"type": "response.output_item.done", "output_index": 0, "item": CALL}
    assert fed(done, DONE).message.tool_calls == (ToolCall("c1", "search", '{"a": 1}'),)
    added = {**done, "type": "response.output_item.added", "item": {**CALL, "arguments": ""}}
    delta = {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": '{"a": 1}'}
    assert fed(added, delta, done, DONE).message.tool_calls == (ToolCall("c1", "search", '{"a": 1}'),)


def test_calls_of_an_answer_that_was_cut_off_are_not_made() -> None:
    done = {"type": "response.output_item.done", "output_index": 0, "item": CALL}
    cut = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    with pytest.raises(ChatIncompleteError, match="cut off"):
        fed(done, {"type": "response.incomplete", "response": cut})
    with pytest.raises(ChatIncompleteError):
        fed(done)


def test_a_response_that_failed_is_refused_in_its_own_words() -> None:
    failed = {"status": "failed", "error": {"code": "server_error", "message": "It broke."}}
    with pytest.raises(ChatRefusedError, match="It broke"):
        fed({"type": "response.failed", "response": failed})
    with pytest.raises(ChatRefusedError, match="Too much"):
        fed({"type": "error", "message": "Too much", "code": None})
    with pytest.raises(ChatRefusedError, match="No, thank you"):
        fed({"type": "response.refusal.delta", "delta": "No, thank you."}, DONE)


def test_profiles_choose_the_interface_and_openai_has_both() -> None:
    environ = {"OPENAI_API_KEY": "k"}

    def api(profile: ChatProfile) -> str:
        return open_client(profile, environ=environ, book=None)._api

    assert api(ChatProfile("a", base_url=OPENAI_URL, llm="m")) == "responses"
    assert api(ChatProfile("a", base_url=OPENAI_URL, llm="m", api="chat")) == "chat"
    assert api(ChatProfile("a", base_url="http://127.0.0.1:1/v1", llm="m")) == "chat"
    assert api(ChatProfile("a", base_url="http://127.0.0.1:1/v1", llm="m", api="responses")) == "responses"


async def test_an_endpoint_is_tried_by_the_interface_of_the_profile() -> None:
    script = "rules: [{when: {asked: colour}, reply: red}, {reply: ok}]"
    async with await serve(book_of(script), pace=0) as server:
        profile = ChatProfile("a", base_url=server.base_url, llm="m", api="responses")
        client = open_client(profile, environ={}, book=None, retries=ONCE)
        verdicts = [finding.verdict async for finding in probe(client)]
        await client.close()
    yes, no, unclear = Verdict.YES, Verdict.NO, Verdict.UNCLEAR
    # A schema beside `json_object` is a way of the other interface alone.
    assert verdicts == [yes, yes, unclear, no, no, yes, yes, no, yes]
