"""At most the limit at once, first come first served; no turn is lost when one that waits is stopped."""

import asyncio
import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

import studio.runtime.run
from studio.runtime.turns import Turns
from tests.runtime.bench import flow_of, run
from tests.runtime.called import OUT, UPPER, calls


async def worker(turns: Turns, number: int, working: set[int], seen: list[int]) -> None:
    if not turns.take():
        await turns.wait()
    try:
        working.add(number)
        seen.append(len(working))
        await asyncio.sleep(0)
    finally:
        working.discard(number)
        turns.give_back()


@given(
    limit=st.integers(1, 4),
    count=st.integers(1, 12),
    stopped=st.sets(st.integers(0, 11)),
    after=st.integers(0, 4),
)
def test_no_turn_is_given_twice_and_none_is_lost(
    limit: int, count: int, stopped: set[int], after: int
) -> None:
    async def go() -> None:
        turns, working, seen = Turns(limit), set[int](), list[int]()
        tasks = [asyncio.create_task(worker(turns, number, working, seen)) for number in range(count)]
        for _ in range(after):
            await asyncio.sleep(0)
        for number in stopped:
            if number < count:
                tasks[number].cancel()
        for task in tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await task
        assert max(seen, default=0) <= limit
        # All are free again: as many as the limit can be taken without waiting, or by those who would wait.
        for _ in range(limit):
            if not turns.take():
                await asyncio.wait_for(turns.wait(), 1)
        assert not turns.take()

    asyncio.run(go())


async def test_who_waits_longest_comes_first() -> None:
    turns, order = Turns(1), list[int]()

    async def one(number: int) -> None:
        if not turns.take():
            await turns.wait()
        order.append(number)
        await asyncio.sleep(0)
        turns.give_back()

    async with asyncio.TaskGroup() as group:
        for number in range(5):
            group.create_task(one(number))
    assert order == list(range(5))


async def test_a_step_that_calls_a_flow_takes_no_turn_from_the_steps_of_that_flow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(studio.runtime.run, "STEPS_AT_ONCE", 1)
    flow = flow_of({"call": calls("loud.json", {"text": "owl"}), "out": OUT}, ["call.loud -> out.value"])
    async with asyncio.timeout(10):
        ran = await run(flow, flows={"loud.json": UPPER})
    assert ran.outputs == {"out": "owl!"}
