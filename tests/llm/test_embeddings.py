"""Texts as vectors, from the real client against the scripted endpoint in process and odd answers."""

import asyncio
import json
import struct
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.errors import ChatIncompleteError, ChatRefusedError
from studio.llm.embeddings import Embedder, EmbedRequest, as_vector
from studio.llm.endpoints.openai_client import OpenAIClient
from studio.llm.prices import Prices
from studio.llm.scripted_answers.embeddings import embed
from tests.llm.builders import ECHO, ONCE, SHORT, client_of


def answering(status: int, body: bytes) -> OpenAIClient:
    """A client whose endpoint gives this, whatever it is asked."""

    def respond(request: httpx2.Request) -> httpx2.Response:
        assert json.loads(request.content)["encoding_format"] == "float"
        return httpx2.Response(status, content=body, headers={"content-type": "application/json"})

    transport = httpx2.MockTransport(respond)
    return OpenAIClient(
        "http://odd.invalid/v1",
        "sk-odd",
        "odd",
        retries=ONCE,
        http_client=lambda: httpx2.AsyncClient(transport=transport),
    )


async def test_each_text_gets_its_vector_and_what_it_cost_is_told() -> None:
    client = client_of(ECHO, prices=Prices.load('[[price]]\nllm = "scripted"\ninput = 100000\noutput = 0'))
    assert isinstance(client, Embedder)
    answer = await client.embed(EmbedRequest(("moss", "a wren sang", "moss"), 8))
    assert answer.vectors == [as_vector(embed(text, 8)) for text in ("moss", "a wren sang", "moss")]
    assert (answer.usage.input_tokens, answer.usage.output_tokens, answer.llm) == (8, 0, "scripted")
    assert answer.cost == pytest.approx(0.8)


ROWS: list[Any] = [
    {"data": [{"index": 0, "embedding": [1]}]},
    {"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [2]}]},
    {"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1, 2]}]},
    {"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": ["2"]}]},
    {"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [float("inf")]}]},
    {"data": [{"index": 0, "embedding": []}, {"index": 1, "embedding": []}]},
    {"data": None},
    {},
]


@pytest.mark.parametrize("plain", ROWS, ids=str)
async def test_what_is_not_one_vector_for_each_text_is_not_used(plain: Any) -> None:
    client = answering(200, json.dumps(plain).encode())
    with pytest.raises(ChatIncompleteError, match="no vectors"):
        await client.embed(EmbedRequest(("a", "b")))


async def test_vectors_are_put_into_the_order_of_the_texts() -> None:
    rows = [{"index": 1, "embedding": [2, 0]}, {"index": 0, "embedding": [1.00000000001, 0]}]
    answer = await answering(200, json.dumps({"data": rows}).encode()).embed(EmbedRequest(("a", "b")))
    assert answer.vectors == [[1.0, 0.0], [2.0, 0.0]]
    assert (answer.llm, answer.usage.total, answer.cost) == ("odd", 0, None)


async def test_a_refusal_and_a_broken_answer_are_told_as_those_of_chats_are() -> None:
    with pytest.raises(ChatRefusedError, match="too long"):
        await answering(400, b'{"error": {"message": "too long"}}').embed(EmbedRequest(("a",)))
    with pytest.raises(ChatRefusedError, match="overloaded"):
        await answering(200, b'{"error": {"message": "overloaded"}}').embed(EmbedRequest(("a",)))
    with pytest.raises(ChatIncompleteError, match="not valid JSON"):
        await answering(200, b'{"data": [').embed(EmbedRequest(("a",)))


async def test_an_endpoint_that_never_answers_is_not_waited_for() -> None:
    class Silent(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield b"{"
            await asyncio.Event().wait()

    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, stream=Silent()))
    client = OpenAIClient(
        "http://odd.invalid/v1",
        "sk-odd",
        "odd",
        retries=ONCE,
        time_limits=SHORT,
        http_client=lambda: httpx2.AsyncClient(transport=transport),
    )
    with pytest.raises(ChatIncompleteError, match="no vectors within"):
        await client.embed(EmbedRequest(("a",)))


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_nothing_of_a_32_bit_number_is_lost(number: float) -> None:
    (kept,) = as_vector([number])
    assert struct.pack("<f", kept) == struct.pack("<f", number)
    assert len(repr(abs(kept))) <= len(repr(abs(number)))
