"""Every fault × several samples, and × vectors: what is whole, or an error in time; nothing else."""

import asyncio

import pytest

from studio.errors import ChatError, ChatIncompleteError, ChatRefusedError, ChatUnreachableError
from studio.llm.client import ChatRequest, Message
from studio.llm.embeddings import EmbedAnswer, Embedder, EmbedRequest, as_vector
from studio.llm.limits import ByteLimits, TimeLimits
from studio.llm.scripted_answers.embeddings import embed
from studio.llm.scripted_answers.faults import FAULTS
from tests.llm.builders import client_of
from tests.runtime.virtual_time import VirtualLoop

LIMITS = TimeLimits(connect=5, first_token=10, idle=5, total=60)
CAPS = ByteLimits(line=20_000, answer=40_000)
SCRIPT = 'rules: [{reply: "{{ sample }}: five words and an é"}]'
TEXTS = {f"{number}: five words and an é" for number in (1, 2, 3)}


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize("name", FAULTS)
def test_of_several_samples_only_whole_ones_are_taken(name: str, *, stream: bool) -> None:
    client = client_of(SCRIPT, faults=[name], times=LIMITS, byte_limits=CAPS)
    request = ChatRequest((Message("user", "x"),), samples=3, stream=stream)
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        loop = runner.get_loop()
        try:
            answer = runner.run(client.answer(request))
        except ChatError as error:
            assert type(error) in {ChatIncompleteError, ChatRefusedError, ChatUnreachableError}  # noqa: PT017
            assert name != "none"
        else:
            said = {one.content for one in (answer.message, *answer.others)}
            assert said <= TEXTS or name in {
                "bad-utf8",
                "lone-surrogate",
                "unknown-tool",
                "duplicate-call-id",
            }
            assert len(answer.others) == 2
        assert loop.time() <= LIMITS.total


@pytest.mark.parametrize("name", FAULTS)
def test_vectors_come_whole_or_not_at_all(name: str) -> None:
    client = client_of(SCRIPT, faults=[name], times=LIMITS, byte_limits=CAPS)
    assert isinstance(client, Embedder)
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        loop = runner.get_loop()
        answer: EmbedAnswer | None = None
        try:
            answer = runner.run(client.embed(EmbedRequest(("moss", "wren"), 8)))
        except ChatError as error:
            assert type(error) in {ChatIncompleteError, ChatRefusedError, ChatUnreachableError}  # noqa: PT017
            assert name != "none"
        if answer is not None:
            assert answer.vectors == [as_vector(embed(text, 8)) for text in ("moss", "wren")]
        assert loop.time() <= LIMITS.total
