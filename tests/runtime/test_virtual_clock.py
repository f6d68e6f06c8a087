"""On a clock that jumps, waiting takes no time, and work is waited for."""

import asyncio
import threading
import time
from collections.abc import Coroutine
from typing import Any

import pytest

from studio.runtime.steps.threads import on_a_thread
from studio.runtime.virtual_clock import VirtualLoop


def run(work: Coroutine[Any, Any, Any]) -> tuple[Any, float, float]:
    """What it gives, the seconds that would have passed, and those that did."""
    began = time.monotonic()

    async def timed() -> tuple[Any, float]:
        return await work, asyncio.get_running_loop().time()

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        result, seconds = runner.run(timed())
    return result, seconds, time.monotonic() - began


async def napping() -> str:
    """A day and an hour beside one another, then a minute."""
    await asyncio.gather(asyncio.sleep(86_400), asyncio.sleep(3600))
    await asyncio.sleep(60)
    return "awake"


def test_waiting_is_counted_and_not_waited() -> None:
    result, seconds, passed = run(napping())
    assert (result, seconds) == ("awake", pytest.approx(86_460))
    assert passed < 5


@pytest.mark.parametrize("on", [asyncio.to_thread, on_a_thread])
def test_no_timer_overtakes_what_works_on_a_thread(on: Any) -> None:
    begun = threading.Event()

    async def work() -> str:
        async with asyncio.timeout(1000):
            return await on(lambda: (begun.set(), time.sleep(0.02), "done")[-1])

    result, seconds, _ = run(work())
    assert begun.is_set()
    assert (result, seconds) == ("done", 0)


def test_a_limit_is_reached_on_time() -> None:
    async def late() -> str:
        try:
            async with asyncio.timeout(5):
                await asyncio.sleep(6)
        except TimeoutError:
            return "cut"
        return "slept"

    assert run(late())[:2] == ("cut", pytest.approx(5))


def test_a_thread_that_has_done_its_work_does_not_hold_the_clock() -> None:
    async def work() -> None:
        for _ in range(50):
            await on_a_thread(lambda: None)
            await asyncio.sleep(100)

    _, seconds, passed = run(work())
    assert seconds == pytest.approx(5000)
    assert passed < 20


def test_what_works_for_another_loop_does_not_hold_the_clock() -> None:
    may_end, other = threading.Event(), asyncio.new_event_loop()

    async def begin() -> "asyncio.Task[bool]":
        work = asyncio.create_task(on_a_thread(may_end.wait))
        await asyncio.sleep(0)
        return work

    work = other.run_until_complete(begin())
    _, seconds, passed = run(asyncio.sleep(20))
    may_end.set()
    assert other.run_until_complete(work)
    other.close()
    assert seconds == pytest.approx(20)
    assert passed < 5


def test_equal_waits_take_equal_time_to_the_last_bit_wherever_the_clock_was() -> None:
    async def taken(loop: VirtualLoop) -> float:
        loop.rewind()
        began = loop.time()
        for seconds in (0.1, 0.27, 1.3):
            await asyncio.sleep(seconds)
        return loop.time() - began

    async def twice() -> tuple[float, float]:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        first = await taken(loop)
        await asyncio.sleep(12345.6789)
        return first, await taken(loop)

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        first, second = runner.run(twice())
    assert first.hex() == second.hex()
