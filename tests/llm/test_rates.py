"""No more calls and tokens begin in any minute than a profile bears, and none wait for nothing."""

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from studio.llm.client import ChatAnswer, ChatProfile, ChatRequest, Message, ToolSpec, Usage
from studio.llm.images import Image
from studio.llm.rate_limits.queue import ChatQueue, ChatQueues, QueuedClient, QueueLimits
from studio.llm.rate_limits.rates import LEAST, MINUTE, MOST, Guesses, Rates, guess_tokens
from tests.llm.test_queue import turns
from tests.runtime.virtual_time import VirtualLoop


def in_no_time(work: Coroutine[Any, Any, None]) -> None:
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(work)


calls = st.lists(
    st.tuples(st.sampled_from("abc"), st.integers(1, 150), st.floats(0, 40), st.integers(0, 200)), max_size=12
)


@given(calls, st.integers(0, 3), st.integers(0, 120), st.integers(0, 2))
def test_no_minute_has_more_than_the_profile_bears(
    given_calls: list[tuple[str, int, float, int]], requests: int, tokens: int, at_once: int
) -> None:
    begun: list[tuple[float, int]] = []

    async def call(queue: ChatQueue, line: str, guess: int, seconds: float) -> None:
        async with queue.turn(line, guess):
            begun.append((asyncio.get_running_loop().time(), guess))
            await asyncio.sleep(seconds)

    async def run() -> None:
        queue = ChatQueue(QueueLimits(at_once, requests, tokens))
        async with asyncio.TaskGroup() as group:
            for line, guess, seconds, after in given_calls:
                group.create_task(call(queue, line, guess, seconds))
                await asyncio.sleep(after / 10)
        assert (queue.working, queue.waiting) == (0, 0)

    in_no_time(run())
    assert len(begun) == len(given_calls)
    for start, _ in begun:
        minute = [guess for at, guess in begun if start <= at < start + MINUTE - 1e-6]
        assert not requests or len(minute) <= requests
        assert not tokens or sum(minute) <= tokens or len(minute) == 1


def test_whoever_waits_for_the_minute_goes_as_soon_as_it_is_over() -> None:
    async def run() -> None:
        loop = asyncio.get_running_loop()
        queue = ChatQueue(QueueLimits(requests_per_minute=2))
        times: list[float] = []

        async def call() -> None:
            async with queue.turn("run"):
                times.append(loop.time())

        async with asyncio.TaskGroup() as group:
            for _ in range(5):
                group.create_task(call())
        assert [round(at) for at in times] == [0, 0, 60, 60, 120]

    in_no_time(run())


def test_what_a_call_really_took_counts_once_it_is_known() -> None:
    rates = Rates(tokens=100)
    first = rates.begin(0.0, 10)
    assert rates.wait(1.0, 50) == 0
    first.tokens = 90
    assert rates.wait(1.0, 50) == 59
    first.tokens = 20
    assert rates.wait(1.0, 50) == 0


def test_runs_take_turns_at_a_minute_too() -> None:
    async def run() -> None:
        queue = ChatQueue(QueueLimits(requests_per_minute=1))
        order: list[str] = []

        async def call(line: str) -> None:
            async with queue.turn(line):
                order.append(line)

        async with asyncio.TaskGroup() as group:
            for line in ("many", "many", "many", "many", "single"):
                group.create_task(call(line))
        assert order == ["many", "many", "single", "many", "many"]

    in_no_time(run())


def test_a_call_that_gives_up_waiting_leaves_the_others_their_time() -> None:
    async def run() -> None:
        loop = asyncio.get_running_loop()
        queue = ChatQueue(QueueLimits(tokens_per_minute=100))
        times: list[float] = []

        async def call(tokens: int) -> None:
            async with queue.turn("run", tokens):
                times.append(loop.time())

        await call(60)
        large, small = asyncio.ensure_future(call(100)), asyncio.ensure_future(call(30))
        await turns()
        assert times == [0.0]  # nobody overtakes
        large.cancel()
        await small
        assert times == [0.0, 0.0]
        waits = asyncio.ensure_future(call(100))
        await turns()
        waits.cancel()
        await turns()
        assert queue.waiting == 0

    in_no_time(run())


def test_profiles_with_other_limits_have_queues_of_their_own() -> None:
    queues = ChatQueues()
    one = ChatProfile("a", requests_per_minute=3)
    assert queues.of(one) is queues.of(ChatProfile("a", requests_per_minute=3))
    assert queues.of(one) is not queues.of(ChatProfile("a", requests_per_minute=4))


def test_a_request_is_guessed_by_all_that_it_says() -> None:
    short = ChatRequest((Message("user", "x" * 400),))
    assert guess_tokens(short) == 100
    assert guess_tokens(ChatRequest(short.messages, (ToolSpec("t", "d" * 80, {}),))) > 119


def test_guesses_come_near_to_what_the_endpoint_counts() -> None:
    guesses = Guesses()
    assert guesses.of(100) == 100
    for _ in range(20):
        guesses.learn(100, 240)
    assert 235 <= guesses.of(100) <= 240
    guesses.learn(0, 50)
    guesses.learn(100, 0)  # nobody counted
    assert 235 <= guesses.of(100) <= 240


@given(st.lists(st.tuples(st.integers(0, 1_000), st.integers(0, 10**9))))
def test_no_answer_makes_a_guess_absurd(taken: list[tuple[int, int]]) -> None:
    guesses = Guesses()
    for guessed, counted in taken:
        guesses.learn(guessed, counted)
    assert 100 * LEAST <= guesses.of(100) <= 100 * MOST


async def test_a_profile_learns_what_its_calls_take_and_begins_no_more_than_it_bears() -> None:
    class Counting:
        async def answer(self, request: ChatRequest, **_: object) -> ChatAnswer:
            assert request.messages
            return ChatAnswer(Message("assistant", "ok"), usage=Usage(300, 100))

        async def close(self) -> None: ...

    queue = ChatQueue(QueueLimits())
    client = QueuedClient(Counting(), queue, "run")
    request = ChatRequest((Message("user", "x" * 400),))
    for _ in range(20):
        await client.answer(request)
    assert 390 <= queue.guesses.of(guess_tokens(request)) <= 400


def test_a_picture_and_a_schema_count_too() -> None:
    picture = Image("a.png", "image/png", "0" * 64)
    plain = ChatRequest((Message("user", "x"),))
    assert guess_tokens(ChatRequest((Message("user", "x", images=(picture,)),))) > guess_tokens(plain) + 100
    assert guess_tokens(replace(plain, response_schema={"type": "object" * 50})) > guess_tokens(plain) + 50
