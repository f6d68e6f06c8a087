"""What an endpoint can do is found out by asking it, over HTTP on this machine."""

import asyncio
import re
from collections.abc import Sequence

import pytest

from studio.llm.client import ChatProfile
from studio.llm.endpoints.body_options import BodyOptions
from studio.llm.endpoints.openai_client import OpenAIClient
from studio.llm.endpoints.probes import TRIES, Capability, Finding, Verdict, probe
from studio.llm.limits import TimeLimits
from studio.llm.profiles import open_client
from studio.llm.scripted_answers.server import serve
from tests.llm.builders import ONCE, book_of

ABLE = """
rules:
  - when: {has_tool: note}
    tool_calls: [{name: note, arguments: {number: 7}}]
  - when: {schema: json_schema}
    reply: {number: 7}
  - when: {schema: json_object}
    reply: {kestrel: 7}
  - when: {asked: colour}
    reply: Red.
  - when: {asked: Count from one to five in words}
    reply: one, two, three, four, five
  - reply: ok
"""
PLAIN = "rules: [{reply: ok}]"
PICKY = """
rules:
  - when: {has_tool: note}
    error: {status: 400, message: "tools are not supported"}
  - when: {schema: true}
    error: {status: 400, message: "response_format is not supported"}
  - reply: ok
"""


async def found(script: str, *, faults: Sequence[str] = (), total: float = 5.0) -> dict[Capability, Finding]:
    """Ask a server that answers from `script`."""
    async with await serve(book_of(script), faults=faults, pace=0) as server:
        limits = {"connect": 1.0, "first_token": total, "idle": total, "total": total}
        profile = ChatProfile("local", base_url=server.base_url, llm="m", time_limits=limits)
        client = open_client(profile, environ={}, book=None, retries=ONCE)
        findings = {finding.capability: finding async for finding in probe(client)}
        await client.close()
    assert list(findings) == list(Capability)
    return findings


def verdicts(findings: dict[Capability, Finding]) -> list[Verdict]:
    return [finding.verdict for finding in findings.values()]


async def test_an_endpoint_that_can_everything_is_found_to() -> None:
    findings = await found(ABLE)
    assert verdicts(findings) == [Verdict.YES] * 9
    assert findings[Capability.EMBEDDINGS].words == "Vectors have 256 numbers."


async def test_one_that_takes_everything_and_does_little_is_not_believed() -> None:
    findings = await found(PLAIN)
    unclear = Verdict.UNCLEAR
    no = Verdict.NO
    assert verdicts(findings) == [
        Verdict.YES,
        Verdict.YES,
        unclear,
        no,
        no,
        unclear,
        *[Verdict.YES, no, Verdict.YES],
    ]


LLAMA = """
rules:
  - when: {schema: json_schema}
    error: {status: 500, message: "Input should be 'text' or 'json_object': response_format.type"}
  - when: {schema: json_object}
    reply: {kestrel: 7}
  - reply: ok
"""
"""As the server of llama-cpp-python answers."""


async def test_an_endpoint_that_takes_a_schema_in_another_way_is_found_to() -> None:
    findings = await found(LLAMA)
    assert findings[Capability.JSON_SCHEMA].verdict is Verdict.NO
    assert findings[Capability.JSON_OBJECT].verdict is Verdict.YES


async def test_json_that_only_looks_as_if_it_were_held_is_no_proof() -> None:
    findings = await found("rules: [{when: {schema: true}, reply: {number: 7}}, {reply: ok}]")
    assert findings[Capability.JSON_SCHEMA].verdict is Verdict.YES
    assert findings[Capability.JSON_OBJECT].verdict is Verdict.NO


async def test_what_an_endpoint_refuses_it_can_not_and_its_words_are_told() -> None:
    findings = await found(PICKY)
    assert findings[Capability.TOOLS].verdict is Verdict.NO
    assert "tools are not supported" in findings[Capability.TOOLS].words
    assert findings[Capability.JSON_SCHEMA].verdict is Verdict.NO


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("500", "HTTP 500"),
        ("502-html", "502 Bad Gateway"),
        ("429", "Rate limit reached"),
        ("reset-before-head", "could not be reached"),
        ("hang", r"took more than 0\.2 s"),
    ],
)
async def test_where_an_endpoint_cannot_be_asked_the_rest_is_not_tried(fault: str, words: str) -> None:
    async with asyncio.timeout(5):
        findings = await found(ABLE, faults=[fault], total=0.2)
    assert verdicts(findings) == [Verdict.NO, *[Verdict.UNTRIED] * (len(Capability) - 1)]
    assert re.search(words, findings[Capability.ANSWERS].words)


async def test_a_fault_in_the_middle_leaves_the_rest_to_be_tried() -> None:
    findings = await found(ABLE, faults=["none", "no-finish-reason", "none", "429", "none"])
    assert findings[Capability.STREAMING].verdict is Verdict.UNCLEAR
    assert findings[Capability.TOOLS].verdict is Verdict.YES
    assert findings[Capability.JSON_SCHEMA].verdict is Verdict.UNCLEAR
    assert findings[Capability.IMAGES].verdict is Verdict.YES


async def test_nobody_there_is_said_with_what_to_look_at() -> None:
    client = OpenAIClient(
        "http://127.0.0.1:9/v1", "none", "m", retries=ONCE, time_limits=TimeLimits(connect=1)
    )
    findings = [finding async for finding in probe(client)]
    assert [one.verdict for one in findings] == [Verdict.NO, *[Verdict.UNTRIED] * (len(Capability) - 1)]
    assert "could not be reached" in findings[0].words
    assert "Check the base URL" in findings[0].hint
    await client.close()


async def test_a_test_that_hangs_is_given_up_at_once_when_cancelled() -> None:
    async with await serve(book_of(ABLE), faults=["hang"]) as server:
        profile = ChatProfile("local", base_url=server.base_url, llm="m")
        client = open_client(profile, environ={}, book=None, retries=ONCE)

        async def go() -> None:
            async for _ in probe(client):
                pass

        task = asyncio.ensure_future(go())
        await server.wait_busy()
        task.cancel()
        async with asyncio.timeout(1):
            with pytest.raises(asyncio.CancelledError):
                await task
        await client.close()


async def test_where_a_reply_cannot_be_begun_that_is_told_without_asking() -> None:
    options = BodyOptions(continues="no")
    client = OpenAIClient("http://127.0.0.1:9/v1", "none", "m", retries=ONCE, options=options)
    finding = await TRIES[Capability.CONTINUES](client)
    assert finding.verdict is Verdict.NO
    assert "does not continue an answer that is begun" in finding.words
