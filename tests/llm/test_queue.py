"""Never more calls of a profile than it bears, and no run keeps the others waiting."""

import asyncio
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.llm.client import Caller, ChatAnswer, ChatProfile, ChatRequest, Message
from studio.llm.rate_limits.queue import ChatQueue, ChatQueues, QueuedClient, QueueLimits


class Patient:
    """A chat client whose calls end when they are told to."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.under_way: dict[str, asyncio.Event] = {}
        self.most = 0
        self.is_closed = False

    async def answer(
        self,
        request: ChatRequest,
        *,
        on_text: Callable[[str], None] | None = None,
        caller: Caller | None = None,
    ) -> ChatAnswer:
        del on_text, caller
        name = request.messages[0].content
        self.begun.append(name)
        self.under_way[name] = asyncio.Event()
        self.most = max(self.most, len(self.under_way))
        try:
            await self.under_way[name].wait()
        finally:
            del self.under_way[name]
        if name.startswith("bad"):
            raise ValueError(name)
        return ChatAnswer(Message("assistant", name))

    async def close(self) -> None:
        self.is_closed = True


def ask(client: QueuedClient, name: str) -> "asyncio.Task[ChatAnswer]":
    return asyncio.create_task(client.answer(ChatRequest((Message("user", name),))))


async def turns(times: int = 5) -> None:
    for _ in range(times):
        await asyncio.sleep(0)


async def finish(chat: Patient, *names: str) -> None:
    for name in names:
        chat.under_way[name].set()
    await turns()


async def test_never_more_than_allowed_are_under_way() -> None:
    chat = Patient()
    client = QueuedClient(chat, ChatQueue(QueueLimits(2)), "run")
    tasks = [ask(client, str(number)) for number in range(5)]
    await turns()
    while chat.under_way:
        await finish(chat, next(iter(chat.under_way)))
    assert [(await task).message.content for task in tasks] == ["0", "1", "2", "3", "4"]
    assert chat.begun == ["0", "1", "2", "3", "4"]
    assert chat.most == 2


async def test_without_a_limit_nobody_waits() -> None:
    chat = Patient()
    client = QueuedClient(chat, ChatQueue(QueueLimits()), "run")
    tasks = [ask(client, str(number)) for number in range(50)]
    await turns()
    assert chat.most == 50
    await finish(chat, *chat.under_way)
    await asyncio.gather(*tasks)


async def test_runs_take_turns_however_many_calls_each_has() -> None:
    chat, queue = Patient(), ChatQueue(QueueLimits(1))
    busy, small = QueuedClient(chat, queue, "busy"), QueuedClient(chat, queue, "small")
    tasks = [ask(busy, f"busy {number}") for number in range(4)]
    await turns()
    tasks += [ask(small, f"small {number}") for number in range(2)]
    await turns()
    while chat.under_way:
        await finish(chat, *chat.under_way)
    await asyncio.gather(*tasks)
    assert chat.begun == ["busy 0", "busy 1", "small 0", "busy 2", "small 1", "busy 3"]


async def test_a_call_that_fails_gives_its_turn_back() -> None:
    chat = Patient()
    client = QueuedClient(chat, ChatQueue(QueueLimits(1)), "run")
    bad, good = ask(client, "bad"), ask(client, "good")
    await turns()
    await finish(chat, "bad")
    await finish(chat, "good")
    assert (await good).message.content == "good"
    with pytest.raises(ValueError, match="bad"):
        await bad


async def test_who_is_cancelled_while_waiting_frees_nothing_and_is_passed_over() -> None:
    chat, queue = Patient(), ChatQueue(QueueLimits(1))
    client = QueuedClient(chat, queue, "run")
    first, waiting, last = ask(client, "first"), ask(client, "waiting"), ask(client, "last")
    await turns()
    waiting.cancel()
    await turns()
    assert (queue.working, queue.waiting, chat.begun) == (1, 1, ["first"])
    await finish(chat, "first")
    assert chat.begun == ["first", "last"]
    await finish(chat, "last")
    await asyncio.gather(first, last)
    assert (queue.working, queue.waiting) == (0, 0)
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_who_is_cancelled_as_the_turn_comes_gives_it_to_the_next() -> None:
    chat, queue = Patient(), ChatQueue(QueueLimits(1))
    client = QueuedClient(chat, queue, "run")
    async with queue.turn("other run"):
        unlucky, following = ask(client, "unlucky"), ask(client, "following")
        await turns()
    unlucky.cancel()  # it has been given the turn, and has not woken up yet
    await turns()
    assert chat.begun == ["following"]
    await finish(chat, "following")
    await following
    assert (queue.working, queue.waiting) == (0, 0)
    with pytest.raises(asyncio.CancelledError):
        await unlucky


async def test_who_is_cancelled_at_work_makes_room() -> None:
    chat, queue = Patient(), ChatQueue(QueueLimits(1))
    client = QueuedClient(chat, queue, "run")
    first, second = ask(client, "first"), ask(client, "second")
    await turns()
    first.cancel()
    await turns()
    assert list(chat.under_way) == ["second"]
    await finish(chat, "second")
    await second


async def test_a_queued_client_closes_the_one_behind_it() -> None:
    chat = Patient()
    await QueuedClient(chat, ChatQueue(QueueLimits(1)), "run").close()
    assert chat.is_closed


def test_runs_of_the_same_profile_share_a_queue_and_others_do_not() -> None:
    queues = ChatQueues()
    profile = ChatProfile("local", base_url="http://127.0.0.1:1/v1", at_once=2)
    assert queues.of(profile) is queues.of(ChatProfile("local", base_url="http://127.0.0.1:1/v1", at_once=2))
    assert queues.of(profile) is not queues.of(
        ChatProfile("local", base_url="http://127.0.0.1:2/v1", at_once=2)
    )
    assert queues.of(profile) is not queues.of(
        ChatProfile("local", base_url="http://127.0.0.1:1/v1", at_once=3)
    )


@given(
    st.integers(1, 4), st.lists(st.tuples(st.integers(0, 2), st.sampled_from(["end", "cancel"])), max_size=24)
)
def test_whatever_ends_or_is_cancelled_all_turns_come_back(
    at_once: int, calls: list[tuple[int, str]]
) -> None:
    async def go() -> None:
        chat, queue = Patient(), ChatQueue(QueueLimits(at_once))
        clients = [QueuedClient(chat, queue, line) for line in range(3)]
        tasks = [(ask(clients[line], str(place)), how) for place, (line, how) in enumerate(calls)]
        await turns()
        assert chat.most <= at_once
        for place, (task, how) in enumerate(tasks):
            if how == "cancel":
                task.cancel()
            elif str(place) in chat.under_way:
                chat.under_way[str(place)].set()
            await turns(2)
        while chat.under_way:
            await finish(chat, *chat.under_way)
        await asyncio.gather(*(task for task, _ in tasks), return_exceptions=True)
        assert chat.most <= at_once
        assert (queue.working, queue.waiting) == (0, 0)

    asyncio.run(go())
