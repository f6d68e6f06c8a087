"""Which clock ends an answer, and what is said then."""

import asyncio
import time

import pytest

from studio.llm.endpoints.clocks import Clocks
from studio.llm.limits import TimeLimits

LONG = 20.0


@pytest.mark.parametrize("finished", [True, False])
async def test_silence_after_content_is_ended_by_the_idle_clock(*, finished: bool) -> None:
    clocks = Clocks(TimeLimits(first_token=LONG, idle=0.05, total=LONG), streamed=True)
    before = time.monotonic()
    with pytest.raises(TimeoutError):
        await _talk_once(clocks, finished=finished)
    assert time.monotonic() - before < 5
    assert "raise `idle`" in clocks.error("it").hint


async def test_silence_from_the_start_is_ended_by_the_first_token_clock() -> None:
    clocks = Clocks(TimeLimits(first_token=0.05, idle=LONG, total=LONG), streamed=True)
    with pytest.raises(TimeoutError):
        async with clocks:
            await asyncio.Event().wait()
    assert "the first token did not come" in str(clocks.error("it"))


async def test_a_whole_answer_has_only_the_total_clock() -> None:
    clocks = Clocks(TimeLimits(first_token=0.01, idle=0.01, total=0.1), streamed=False)
    with pytest.raises(TimeoutError):
        async with clocks:
            await asyncio.Event().wait()
    assert "0.1 s for the whole answer" in str(clocks.error("it"))


async def _talk_once(clocks: Clocks, *, finished: bool) -> None:
    async with clocks:
        clocks.content_came(finished=finished)
        await asyncio.Event().wait()
