"""Every fault that a provider can have ends in a defined state, in time."""

import time

import pytest

from studio.errors import (
    ChatError,
    ChatIncompleteError,
    ChatRefusedError,
    ChatUnreachableError,
    UsageError,
)
from studio.llm.client import ChatAnswer, ChatClient
from studio.llm.endpoints.openai_client import OpenAIClient
from studio.llm.limits import ByteLimits, TimeLimits
from studio.llm.scripted_answers.faults import FAULTS, find_fault
from studio.llm.scripted_answers.server import serve
from tests.llm.builders import ECHO, ONCE, SEARCH, SHORT, TOOLS, ask, book_of, client_of

WORDS = "five words and an é"

INCOMPLETE = {
    "reset-mid-stream",
    "close-mid-stream",
    "no-finish-reason",
    "malformed-chunk",
    "truncated-tool-arguments",
    "invalid-tool-arguments",
    "drip",
    "keep-alive-only",
    "endless-stream",
    "endless-line",
    "slow-first-token",
    "hang",
}
REFUSED = {"429": 429, "429-retry-after": 429, "500": 500, "502-html": 502, "error-in-stream": 0}
WHOLE = {
    "none",
    "no-done",
    "bad-utf8",
    "lone-surrogate",
    "unknown-tool",
    "duplicate-call-id",
    "usage-only-chunk",
    "empty-choices",
}
SLOW = {"drip", "keep-alive-only", "slow-first-token", "hang"}
CAPS = ByteLimits(line=50_000, answer=100_000)


def limits_for(name: str) -> TimeLimits:
    """Give tight clocks to the faults that only a clock can end."""
    return SHORT if name in SLOW else TimeLimits()


def test_every_fault_has_an_expected_end() -> None:
    assert {*INCOMPLETE, *REFUSED, *WHOLE, "reset-before-head"} == set(FAULTS)


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("stream", [True, False])
async def test_a_fault_ends_as_it_should_in_process(name: str, *, stream: bool) -> None:
    await _check(
        client_of(ECHO, faults=[name], times=limits_for(name), byte_limits=CAPS), name, stream=stream
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("stream", [True, False])
async def test_a_fault_ends_as_it_should_over_http(name: str, *, stream: bool) -> None:
    async with await serve(book_of(ECHO), faults=[name], pace=0.0) as server:
        times = limits_for(name)
        client = OpenAIClient(server.base_url, "key", "m", time_limits=times, byte_limits=CAPS, retries=ONCE)
        await _check(client, name, stream=stream)
        await client.close()


async def _check(client: ChatClient, name: str, *, stream: bool) -> None:
    before = time.monotonic()
    outcome: ChatAnswer | ChatError
    try:
        outcome = await client.answer(ask(WORDS, stream=stream))
    except ChatError as error:
        outcome = error
    assert time.monotonic() - before < 5
    if name in WHOLE:
        assert isinstance(outcome, ChatAnswer)
        outcome.message.content.encode()
        assert "words" in outcome.message.content or name == "unknown-tool"
    elif name == "reset-before-head":
        assert isinstance(outcome, ChatUnreachableError)
    elif name in REFUSED:
        assert isinstance(outcome, ChatRefusedError)
        assert outcome.status == REFUSED[name]
    else:
        assert type(outcome) is ChatIncompleteError


@pytest.mark.parametrize("name", ["truncated-tool-arguments", "invalid-tool-arguments"])
async def test_incomplete_arguments_are_refused_naming_the_tool(name: str) -> None:
    with pytest.raises(ChatIncompleteError, match="`search`"):
        await client_of(TOOLS, faults=[name]).answer(ask("x", tools=[SEARCH]))


@pytest.mark.parametrize("name", ["reset-mid-stream", "close-mid-stream", "no-finish-reason"])
async def test_tool_calls_of_an_answer_without_end_are_discarded(name: str) -> None:
    with pytest.raises(ChatIncompleteError):
        await client_of(TOOLS, faults=[name]).answer(ask("x", tools=[SEARCH]))


async def test_two_calls_with_one_id_can_be_answered_apart() -> None:
    answer = await client_of(TOOLS, faults=["duplicate-call-id"]).answer(ask("x", tools=[SEARCH]))
    first, second = answer.message.tool_calls
    assert first.id != second.id
    assert first.name == second.name == "search"


async def test_faults_are_served_in_turn() -> None:
    client = client_of(ECHO, faults=["500", "none"])
    for _ in range(2):
        with pytest.raises(ChatRefusedError):
            await client.answer(ask("x"))
        assert (await client.answer(ask("x"))).message.content == "x"


async def test_an_html_page_is_reported_by_its_title() -> None:
    with pytest.raises(ChatRefusedError, match="an HTML page, “502 Bad Gateway”"):
        await client_of(ECHO, faults=["502-html"]).answer(ask("x"))


def test_an_unknown_fault_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"`drop`.*reset-mid-stream, close-mid-stream"):
        find_fault("drop")
