"""The real client against the scripted endpoint in process."""

import asyncio
import json
import socket
import time
from collections.abc import AsyncIterator
from typing import Literal

import httpx2
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from studio.errors import (
    ChatIncompleteError,
    ChatRefusedError,
    ChatUnreachableError,
    ScriptedAnswerMissingError,
)
from studio.llm.clean_text import normalise
from studio.llm.client import Caller, ChatRequest, Message, ToolCall
from studio.llm.endpoints.openai_client import OpenAIClient
from studio.llm.endpoints.refusals import NO_KEY, Endpoint
from studio.llm.images import image_of
from studio.llm.limits import ByteLimits, TimeLimits
from studio.llm.prices import Prices
from studio.llm.scripted_answers.server import serve
from tests.llm.builders import ECHO, ONCE, SEARCH, TOOLS, ask, book_of, client_of

ANY_TEXT = st.text(st.characters(exclude_categories=()))
"""Surrogates included, which hypothesis leaves out by itself."""


async def test_text_arrives_in_pieces_that_make_up_the_answer() -> None:
    pieces: list[str] = []
    answer = await client_of(ECHO).answer(ask("one two  three\n"), on_text=pieces.append)
    assert answer.message == Message("assistant", "one two  three\n")
    assert pieces == ["one ", "two  ", "three\n"]
    assert answer.finish_reason == "stop"


async def test_an_answer_that_is_not_streamed_is_the_same() -> None:
    client = client_of(TOOLS)
    streamed = await client.answer(ask("moss", tools=[SEARCH]))
    pieces: list[str] = []
    whole = await client.answer(ask("moss", tools=[SEARCH], stream=False), on_text=pieces.append)
    assert whole.message.content == streamed.message.content == pieces[0]
    assert [c.arguments for c in whole.message.tool_calls] == [
        c.arguments for c in streamed.message.tool_calls
    ]


@given(text=ANY_TEXT, stream=st.booleans())
@example(text="\ud83d\ude00 pair, \ud83d lone", stream=True)
async def test_any_text_makes_the_round_trip(text: str, stream: bool) -> None:  # noqa: FBT001  # hypothesis gives it
    answer = await client_of(ECHO).answer(ask(text, stream=stream))
    assert answer.message.content == normalise(text)
    answer.message.content.encode()


async def test_usage_and_cost_are_told() -> None:
    prices = Prices.load('[[price]]\nllm = "scripted"\ninput = 100000\noutput = 200000')
    answer = await client_of(ECHO, prices=prices).answer(ask("one two three"))
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (4, 4)
    assert answer.cost == pytest.approx(1.2)
    assert answer.llm == "scripted"


async def test_a_tool_is_called_and_its_answer_is_quoted() -> None:
    client = client_of(TOOLS)
    question = Message("user", "moss on the wall")
    first = (await client.answer(ChatRequest((question,), tools=(SEARCH,)))).message
    (call,) = first.tool_calls
    assert (call.name, call.arguments) == ("search", '{"query": "moss on the wall", "limit": 3}')
    found = Message("tool", "three kinds of moss", tool_call_id=call.id)
    second = await client.answer(ChatRequest((question, first, found), tools=(SEARCH,)))
    assert second.message.content == "Found three kinds of moss"
    assert second.finish_reason == "stop"


async def test_the_schema_of_the_answer_is_sent() -> None:
    script = 'rules: [{when: {schema: true}, reply: {accept: true, why: "{{ last }}"}}, {reply: none}]'
    schema = {"type": "object", "properties": {"accept": {"type": "boolean"}}}
    answer = await client_of(script).answer(ChatRequest((Message("user", 'a "b"'),), response_schema=schema))
    assert answer.message.content == '{"accept": true, "why": "a \\"b\\""}'


async def test_a_missing_rule_names_the_node_and_the_remedy() -> None:
    with pytest.raises(ScriptedAnswerMissingError, match=r"`rounds\.2/critic`") as caught:
        await client_of("rules: [{when: {node: writer}, reply: hi}]").answer(
            ask("x"), caller=Caller("critic", "rounds.2")
        )
    assert "{node: critic}" in caught.value.hint


@pytest.fixture
async def odd_server() -> AsyncIterator[list[bytes]]:
    """Serve one empty answer; gives the port, then what was sent to it."""
    log: list[bytes] = []

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        log.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\nhi")
        writer.close()

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    log.append(str(server.sockets[0].getsockname()[1]).encode())
    yield log
    server.close()
    await server.wait_closed()


async def test_a_provider_is_not_told_who_calls(odd_server: list[bytes]) -> None:
    port = int(odd_server[0])
    client = OpenAIClient(f"http://127.0.0.1:{port}/v1", "sk-key", "m", retries=ONCE)
    with pytest.raises(ChatIncompleteError, match="did not send a chat answer"):
        await client.answer(ask("x"), caller=Caller("critic", "rounds.2"))
    await client.close()
    head = odd_server[1].lower()
    assert b"authorization: bearer sk-key" in head
    assert b"x-stepwire" not in head


async def test_an_endpoint_that_does_not_run_is_named_with_a_remedy() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
    client = OpenAIClient(
        f"http://user:pass@127.0.0.1:{port}/v1?token=abc", "sk-very-secret", "m", retries=ONCE
    )
    with pytest.raises(ChatUnreachableError) as caught:
        await client.answer(ask("x"))
    await client.close()
    text = str(caught.value)
    assert f"http://127.0.0.1:{port}/v1 could not be reached" in text
    assert "Check the base URL" in text
    assert not any(secret in text for secret in ("pass", "token", "secret"))


async def test_a_refusal_has_the_providers_words_without_the_key() -> None:
    script = (
        "rules: [{error: {status: 401, message: 'Incorrect key: sk-secret-of-the-test (sk-proj-12***89)'}}]"
    )
    client = client_of(script)
    with pytest.raises(ChatRefusedError, match=r"HTTP 401\): Incorrect key: \[key\] \(\[key\]") as caught:
        await client.answer(ask("x"))
    assert caught.value.status == 401
    assert "Check the key" in caught.value.hint
    assert "secret" not in repr(client) + str(caught.value)


def test_a_key_of_any_form_is_cut_out_of_messages() -> None:
    endpoint = Endpoint("https://example.org/v1", "my own pass phrase")
    assert (
        endpoint.without_key("`my own pass phrase` or sk-abcdef123 is wrong") == "`[key]` or [key] is wrong"
    )
    assert "phrase" not in repr(endpoint)
    assert Endpoint("http://127.0.0.1/v1", NO_KEY).without_key("There are none.") == "There are none."


@pytest.mark.parametrize("stream", [True, False])
async def test_an_answer_that_is_too_large_is_refused(*, stream: bool) -> None:
    script = "rules: [{reply: \"{{ 'word ' * 20000 }}\"}]"
    client = client_of(script, byte_limits=ByteLimits(answer=50_000))
    with pytest.raises(ChatIncompleteError, match="more than 50,000 bytes"):
        await client.answer(ask("x", stream=stream))


async def test_an_answer_that_never_ends_is_ended_by_the_total_clock() -> None:
    times = TimeLimits(first_token=5, idle=5, total=0.2)
    with pytest.raises(ChatIncompleteError, match=r"more than 0\.2 s for the whole answer"):
        await client_of(ECHO, faults=["endless-stream"], times=times).answer(ask("a b"))


@pytest.mark.parametrize("fault", ["hang", "keep-alive-only", "drip"])
async def test_cancelling_takes_effect_at_once_and_hangs_up(fault: str) -> None:
    async with await serve(book_of(ECHO), faults=[fault]) as server:
        client = OpenAIClient(server.base_url, "key", "m", retries=ONCE)
        task = asyncio.create_task(client.answer(ask("x")))
        async with asyncio.timeout(5):
            await server.wait_busy()
        before = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - before < 0.2
        async with asyncio.timeout(5):
            await server.wait_idle()
        await client.close()


async def test_text_is_shown_before_the_answer_is_whole() -> None:
    shown = asyncio.Event()
    client = client_of(ECHO, faults=["endless-stream"])
    task = asyncio.create_task(client.answer(ask("a b"), on_text=lambda _text: shown.set()))
    async with asyncio.timeout(5):
        await shown.wait()
    assert not task.done()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_the_clocks_do_not_count_against_an_answer_that_keeps_coming() -> None:
    script = "rules: [{tokens_per_second: 25, reply: '" + "word " * 12 + "'}]"
    times = TimeLimits(first_token=0.3, idle=0.3, total=30)
    answer = await client_of(script, pace=1.0, times=times).answer(ask("x"))
    assert answer.message.content.count("word") == 12


async def test_a_conversation_with_tool_calls_reaches_the_endpoint_as_it_was() -> None:
    script = 'rules: [{reply: "{{ messages | tojson }} {{ tool_results | tojson }}"}]'
    call = ToolCall("c1", "add", '{"a": 1}')
    messages = (
        Message("system", "Be brief."),
        Message("user", "1+1"),
        Message("assistant", "", (call,)),
        Message("tool", '{"sum": 2}', tool_call_id="c1"),
    )
    text = (await client_of(script).answer(ChatRequest(messages))).message.content
    assert '{"role": "system", "content": "Be brief."}' in text
    assert '[{"name": "add", "arguments": {"a": 1}, "text": "{\\"sum\\": 2}", "json": {"sum": 2}}]' in text


@pytest.mark.parametrize("api", ["chat", "responses"])
async def test_what_is_sent_is_the_body_itself(api: Literal["chat", "responses"]) -> None:
    sent: list[object] = []

    def taken(request: httpx2.Request) -> httpx2.Response:
        sent.append(json.loads(request.content))
        return httpx2.Response(400, json={})

    client = OpenAIClient(
        "http://scripted.invalid/v1",
        "k",
        "m",
        http_client=lambda: httpx2.AsyncClient(transport=httpx2.MockTransport(taken)),
        api=api,
    )
    call = ToolCall("c1", "search", '{"query": "moss"}')
    messages = (
        Message("system", "Be brief."),
        Message("user", "What is this?", images=(image_of("moss.gif", b"GIF89a"),)),
        Message("assistant", "", (call,)),
        Message("tool", "moss", tool_call_id="c1"),
    )
    form = {"type": "object", "properties": {"name": {"type": "string"}}}
    request = ChatRequest(messages, tools=(SEARCH,), temperature=0.5, max_tokens=90, response_schema=form)
    body = {**client.body_of(request), "a field that the library does not know": [None]}
    with pytest.raises(ChatRefusedError):
        await client.send(body)
    assert sent == [body]
