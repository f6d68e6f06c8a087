"""The scripted endpoint over HTTP, as any program meets it."""

import asyncio
import json
import math
from collections.abc import AsyncIterator

import httpx2
import openai
import pytest
from openai.types.chat import ChatCompletionMessageFunctionToolCall

from studio.errors import UsageError
from studio.llm.client import Caller, ChatProfile
from studio.llm.profiles import open_client
from studio.llm.scripted_answers.server import Server, serve
from tests.llm.builders import ECHO, SEARCH, TOOLS, ask, book_of

CHAT = {"model": "any", "messages": [{"role": "user", "content": "x"}]}


def official(server: Server) -> openai.AsyncOpenAI:
    """Give the official client, used as an exported script uses it."""
    return openai.AsyncOpenAI(base_url=server.base_url, api_key="none", max_retries=0)


def plain(server: Server) -> httpx2.AsyncClient:
    """Give an HTTP client that knows nothing of the protocol."""
    return httpx2.AsyncClient(base_url=server.base_url, trust_env=False)


async def test_the_official_client_streams_from_it() -> None:
    async with await serve(book_of(ECHO)) as server, official(server) as client:
        stream = await client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "a b é 😀"}], stream=True
        )
        texts = [chunk.choices[0].delta.content or "" async for chunk in stream]
    assert "".join(texts) == "a b é 😀"
    assert texts.count("b ") == 1


async def test_the_official_client_reads_tool_calls_from_it() -> None:
    async with await serve(book_of(TOOLS)) as server, official(server) as client:
        tool = {"type": "function", "function": {"name": "search", "parameters": dict(SEARCH.parameters)}}
        answer = await client.chat.completions.create(
            model="m",
            messages=[{"role": "user", "content": "moss"}],
            tools=[tool],  # pyright: ignore[reportArgumentType]  # the library's type names every kind of tool
        )
    (call,) = answer.choices[0].message.tool_calls or []
    assert isinstance(call, ChatCompletionMessageFunctionToolCall)
    assert json.loads(call.function.arguments) == {"query": "moss", "limit": 3}
    assert answer.usage is not None
    assert answer.usage.total_tokens > 0


async def test_embeddings_are_near_for_texts_that_share_words() -> None:
    async with await serve(book_of(ECHO)) as server, official(server) as client:
        texts = ["moss grows on walls", "walls with moss", "the price of tea"]
        packed = await client.embeddings.create(model="m", input=texts)
        plain = await client.embeddings.create(model="m", input=texts, encoding_format="float")
    vectors = [entry.embedding for entry in plain.data]
    assert packed.data[0].embedding == pytest.approx(vectors[0], abs=1e-6)
    assert math.hypot(*vectors[0]) == pytest.approx(1)
    near, far = (sum(a * b for a, b in zip(vectors[0], other, strict=True)) for other in vectors[1:])
    assert near > far


async def test_the_models_are_listed() -> None:
    async with await serve(book_of(ECHO)) as server, official(server) as client:
        assert [entry.id async for entry in client.models.list()] == ["scripted"]


async def test_a_scripted_profile_with_its_url_says_who_calls() -> None:
    script = "rules: [{when: {node: critic, round: 2}, reply: accepted}]"
    async with await serve(book_of(script)) as server:
        profile = ChatProfile("here", "scripted", base_url=server.base_url)
        client = open_client(profile, environ={}, book=None, offline=True)
        answer = await client.answer(ask("x"), caller=Caller("critic", "rounds.2"))
        await client.close()
    assert answer.message.content == "accepted"


async def test_errors_come_in_the_form_of_openai() -> None:
    script = "rules: [{when: {last: nope}, reply: a}]"
    async with await serve(book_of(script)) as server, plain(server) as http:
        missing = await http.post("/chat/completions", json=CHAT)
        broken = await http.post("/chat/completions", content=b"{")
        empty = await http.post("/chat/completions", json={"messages": []})
        elsewhere = await http.get("/nothing")
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "scripted_answer_missing")
    assert [answer.status_code for answer in (broken, empty, elsewhere)] == [400, 400, 404]
    assert all("message" in answer.json()["error"] for answer in (broken, empty, elsewhere))


async def test_one_connection_serves_many_requests() -> None:
    ports: set[object] = set()
    async with await serve(book_of(ECHO)) as server, plain(server) as http:
        for stream in (True, False, True):
            answer = await http.post("/chat/completions", json={**CHAT, "stream": stream})
            ports.add(answer.extensions["network_stream"].get_extra_info("client_addr"))
    assert len(ports) == 1


async def test_closing_ends_answers_under_way() -> None:
    server = await serve(book_of(ECHO), faults=["keep-alive-only"])
    async with plain(server) as http, http.stream("POST", "/chat/completions", json=CHAT) as answer:
        received = answer.aiter_bytes()
        await anext(received)
        await server.close()
        with pytest.raises(httpx2.HTTPError):
            await _read_all(received)
    assert server.connections == 0


async def test_a_caller_that_leaves_ends_its_answer() -> None:
    server = await serve(book_of(ECHO), faults=["keep-alive-only"])
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    body = json.dumps(CHAT).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    await reader.readuntil(b"keep-alive")
    writer.close()
    await writer.wait_closed()
    await asyncio.wait_for(server.wait_idle(), 5)
    assert server.connections == 0
    await server.close()


@pytest.mark.parametrize("fault", ["reset-before-head", "reset-mid-stream", "close-mid-stream"])
async def test_a_reset_is_a_reset_and_a_close_is_a_close(fault: str) -> None:
    async with await serve(book_of(ECHO), faults=[fault]) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        body = json.dumps({**CHAT, "stream": True}).encode()
        head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        if fault == "close-mid-stream":
            assert b"[DONE]" not in await reader.read()
        else:
            with pytest.raises(ConnectionResetError):
                await reader.read()
        writer.close()


async def _read_all(received: AsyncIterator[bytes]) -> None:
    async for _ in received:
        pass


async def test_a_port_that_is_taken_is_refused_with_a_remedy() -> None:
    async with await serve(book_of(ECHO)) as server:
        with pytest.raises(UsageError, match=f"Port {server.port} on 127.0.0.1 can't be used"):
            await serve(book_of(ECHO), port=server.port)


async def test_an_unknown_fault_is_refused_before_anything_listens() -> None:
    with pytest.raises(UsageError, match="no fault `typo`"):
        await serve(book_of(ECHO), faults=["typo"])
