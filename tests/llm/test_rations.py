"""What a profile bears is shared by all processes, and an endpoint that wants a pause gets it from all."""

import asyncio
import os
import sqlite3
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from studio.errors import ChatRefusedError
from studio.llm.client import Caller, ChatAnswer, ChatProfile, ChatRequest, Message
from studio.llm.rate_limits.lines import Priority
from studio.llm.rate_limits.queue import ChatQueue, ChatQueues, QueuedClient, QueueLimits
from studio.llm.rate_limits.rates import MINUTE, Spent
from studio.llm.rate_limits.shared_rations import LONGEST_CALL, LOOK, SharedRation
from tests.runtime.virtual_time import VirtualLoop

ASKED = ChatRequest((Message("user", "?"),))


def in_no_time(work: Coroutine[Any, Any, None]) -> None:
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(work)


def process(path: Path, limits: QueueLimits, profile: str = "local") -> ChatQueue:
    """The queue of a profile as another process would have it, on the clock of the loop."""
    clock = asyncio.get_running_loop().time
    return ChatQueue(limits, SharedRation(path, profile, limits, clock=lambda: 1_000.0 + clock()))


def test_processes_together_have_no_more_calls_under_way_than_the_profile_bears(tmp_path: Path) -> None:
    async def go() -> None:
        queues = [process(tmp_path / "turns", QueueLimits(at_once=2)) for _ in range(3)]
        working, most, done = 0, 0, 0

        async def call(queue: ChatQueue) -> None:
            nonlocal working, most, done
            async with queue.turn("run"):
                working += 1
                most = max(most, working)
                await asyncio.sleep(1)
                working -= 1
                done += 1

        async with asyncio.TaskGroup() as group:
            for number in range(12):
                group.create_task(call(queues[number % 3]))
        assert (most, done) == (2, 12)

    in_no_time(go())


def test_processes_take_turns_however_many_calls_each_has(tmp_path: Path) -> None:
    async def go() -> None:
        busy, small = (process(tmp_path / "turns", QueueLimits(at_once=1)) for _ in range(2))
        begun: list[str] = []

        async def call(queue: ChatQueue, name: str) -> None:
            async with queue.turn("run"):
                begun.append(name)
                await asyncio.sleep(1)

        async with asyncio.TaskGroup() as group:
            for _ in range(4):
                group.create_task(call(busy, "busy"))
            await asyncio.sleep(0.5)
            for _ in range(2):
                group.create_task(call(small, "small"))
        assert begun == ["busy", "small", "busy", "small", "busy", "busy"]

    in_no_time(go())


def test_a_watched_run_goes_before_a_batch_in_another_process(tmp_path: Path) -> None:
    async def go() -> None:
        batch, watched = (process(tmp_path / "turns", QueueLimits(at_once=1)) for _ in range(2))
        begun: list[str] = []

        async def call(queue: ChatQueue, name: str, priority: Priority) -> None:
            async with queue.turn("run", rank=lambda: priority):
                begun.append(name)
                await asyncio.sleep(1)

        async with asyncio.TaskGroup() as group:
            for _ in range(3):
                group.create_task(call(batch, "batch", Priority.BATCH))
            await asyncio.sleep(0.5)
            for _ in range(2):
                group.create_task(call(watched, "watched", Priority.INTERACTIVE))
        assert begun == ["batch", "watched", "watched", "batch", "batch"]

    in_no_time(go())


def test_processes_share_the_calls_and_tokens_of_a_minute(tmp_path: Path) -> None:
    async def go() -> None:
        loop, times = asyncio.get_running_loop(), list[float]()
        limits = QueueLimits(requests_per_minute=3, tokens_per_minute=1_000)
        queues = [process(tmp_path / "turns", limits) for _ in range(2)]

        async def call(queue: ChatQueue, tokens: int) -> None:
            async with queue.turn("run", tokens) as spent:
                times.append(loop.time())
                spent.tokens = tokens

        await call(queues[0], 900)
        await call(queues[1], 90)
        await call(queues[1], 90)  # too many tokens for this minute
        assert MINUTE <= times[2] <= MINUTE + 2 * LOOK
        assert times[:2] == [0.0, 0.0]

    in_no_time(go())


def test_a_process_that_died_keeps_nobody_waiting(tmp_path: Path) -> None:
    path, limits = tmp_path / "turns", QueueLimits(at_once=1)
    dead = SharedRation(path, "local", limits, clock=lambda: 1.0)
    assert not isinstance(dead.begin(0.0, 0, 0), float)
    alive = SharedRation(path, "local", limits, clock=lambda: 2.5, is_alive=lambda pid: pid != os.getpid())
    assert not isinstance(alive.begin(0.0, 0, 0), float)
    third = SharedRation(path, "local", limits, clock=lambda: 2.5, is_alive=lambda _: True)
    assert third.begin(0.0, 0, 0) == LOOK
    later = SharedRation(path, "local", limits, clock=lambda: 2.5 + LONGEST_CALL, is_alive=lambda _: True)
    assert not isinstance(later.begin(0.0, 0, 0), float)
    assert not isinstance(SharedRation(path, "other", limits, clock=lambda: 2.5).begin(0.0, 0, 0), float)


def test_without_its_file_a_process_counts_its_own(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    (tmp_path / "broken").write_text("no database, and long enough to be seen as none" * 20)
    for path in (tmp_path / "file" / "turns", tmp_path / "broken"):
        ration = SharedRation(path, "local", QueueLimits(at_once=1))
        given = ration.begin(0.0, 5, 0)
        assert isinstance(given, Spent)
        assert ration.begin(0.0, 5, 0) == float("inf")
        ration.end(given)
        assert not isinstance(ration.begin(0.0, 5, 0), float)


def test_while_others_write_a_call_waits_and_one_that_ends_is_written_down_later(tmp_path: Path) -> None:
    path, limits = tmp_path / "turns", QueueLimits(at_once=1)
    one, two = (SharedRation(path, "local", limits, clock=lambda: 1.0) for _ in range(2))
    given = one.begin(0.0, 0, 0)
    assert isinstance(given, Spent)
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("begin immediate")
    assert two.begin(0.0, 0, 0) == LOOK
    one.end(given)
    writer.execute("rollback")
    writer.close()
    assert two.begin(0.0, 0, 0) == LOOK  # nobody has told yet
    one.rest()
    assert isinstance(two.begin(0.0, 0, 0), Spent)


async def test_what_could_not_be_written_down_is_tried_again_by_itself(tmp_path: Path) -> None:
    path, limits = tmp_path / "turns", QueueLimits(at_once=1)
    one, two = (SharedRation(path, "local", limits) for _ in range(2))
    given = one.begin(0.0, 0, 0)
    assert isinstance(given, Spent)
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("begin immediate")
    one.end(given)
    writer.execute("rollback")
    writer.close()
    async with asyncio.timeout(5):
        async with ChatQueue(limits, two).turn("run"):
            pass


class Refusing:
    """A chat client that is asked too much until it was left alone for long enough."""

    def __init__(self, wait: float) -> None:
        self.until = asyncio.get_running_loop().time() + wait
        self.asked: list[float] = []

    async def answer(
        self,
        request: ChatRequest,
        *,
        on_text: Callable[[str], None] | None = None,
        caller: Caller | None = None,
    ) -> ChatAnswer:
        del request, on_text, caller
        now = asyncio.get_running_loop().time()
        self.asked.append(now)
        if now < self.until:
            raise ChatRefusedError("slowly", 429, retry_after=self.until - now)
        return ChatAnswer(Message("assistant", "ok"))

    async def close(self) -> None: ...


@pytest.mark.parametrize("is_shared", [False, True])
def test_where_an_endpoint_says_when_to_come_back_the_whole_profile_waits(
    tmp_path: Path, *, is_shared: bool
) -> None:
    async def go() -> None:
        chat, limits = Refusing(20), QueueLimits(requests_per_minute=100)
        first = process(tmp_path / "turns", limits) if is_shared else ChatQueue(limits)
        second = process(tmp_path / "turns", limits) if is_shared else first
        with pytest.raises(ChatRefusedError):
            await QueuedClient(chat, first, "one").answer(ASKED)
        answers = [QueuedClient(chat, queue, "two").answer(ASKED) for queue in (first, second, second)]
        assert {one.message.content for one in await asyncio.gather(*answers)} == {"ok"}
        assert chat.asked[0] == 0
        assert all(20 <= at <= 20 + 2 * LOOK for at in chat.asked[1:])

    in_no_time(go())


def test_a_day_is_not_waited_but_told() -> None:
    async def go() -> None:
        chat, queue = Refusing(86_400), ChatQueue(QueueLimits())
        for _ in range(2):
            with pytest.raises(ChatRefusedError):
                await QueuedClient(chat, queue, "run").answer(ASKED)
        assert chat.asked == [0, 60]

    in_no_time(go())


def test_an_answer_that_says_that_the_minute_is_used_up_is_believed() -> None:
    async def go() -> None:
        queue, loop = ChatQueue(QueueLimits()), asyncio.get_running_loop()
        queue.see({"x-ratelimit-remaining-requests": "5", "x-ratelimit-reset-requests": "9s"})
        async with queue.turn("run"):
            assert loop.time() == 0
        queue.see({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "9s"})
        async with queue.turn("run"):
            assert loop.time() == 9

    in_no_time(go())


async def test_scripts_of_a_run_of_its_own_are_shared_with_nobody(tmp_path: Path) -> None:
    queues = ChatQueues(tmp_path / "turns")
    async with queues.of(ChatProfile("own", "scripted", at_once=1)).turn("run"):
        assert not (tmp_path / "turns").exists()
    async with queues.of(ChatProfile("far", base_url="http://127.0.0.1:1/v1", at_once=1)).turn("run"):
        assert (tmp_path / "turns").exists()
