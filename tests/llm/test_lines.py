"""Who is called next: the urgent before the others, runs in turn, and like beside like within bounds."""

import asyncio
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from studio.llm.client import ChatRequest, Message, ToolSpec
from studio.llm.endpoints.openai_client import OpenAIClient
from studio.llm.rate_limits.lines import MOST_PASSED, Lines, Place, Priority
from studio.llm.rate_limits.prefixes import BLOCK, Prefix
from studio.llm.rate_limits.queue import ChatQueue, QueuedClient, QueueLimits
from studio.llm.scripted_answers.endpoint import ScriptedEndpoint
from studio.llm.scripted_answers.transport import scripted_http_client
from tests.llm.builders import ECHO, book_of
from tests.llm.test_queue import Patient, ask, finish, turns

A, B = "a " * 2_000, "b " * 2_000


def request(instructions: str, text: str = "x") -> ChatRequest:
    return ChatRequest((Message("system", instructions), Message("user", text)), stream=False)


async def order(waiting: Sequence[tuple[str, str]]) -> list[str]:
    """Calls (line, instructions) by line and number, as they come to their turn, one at a time."""
    queue, begun = ChatQueue(QueueLimits(1)), list[str]()

    async def call(number: int, line: str, instructions: str) -> None:
        async with queue.turn(line, prefix=Prefix(request(instructions, str(number)))):
            begun.append(f"{line}{number}")

    async with asyncio.TaskGroup() as group, queue.turn("before", prefix=Prefix(request(A))):
        for number, (line, instructions) in enumerate(waiting):
            group.create_task(call(number, line, instructions))
        await turns()
    return begun


async def test_calls_that_begin_with_the_same_long_text_go_next_to_each_other() -> None:
    assert await order([("r", A), ("r", B), ("r", A), ("r", B), ("r", A)]) == ["r0", "r2", "r4", "r1", "r3"]


async def test_they_do_so_across_runs_and_each_run_has_its_turn() -> None:
    assert await order([("r", B), ("s", A), ("r", B), ("s", A)]) == ["s1", "s3", "r0", "r2"]


async def test_what_is_short_is_no_reason_to_overtake() -> None:
    assert await order([("r", "b"), ("r", "a"), ("r", "b")]) == ["r0", "r1", "r2"]


async def test_nobody_is_passed_over_more_often_than_that() -> None:
    begun = await order([("r", B), *[("r", A)] * 10])
    assert begun.index("r0") == MOST_PASSED


async def test_the_call_that_shares_most_goes_first() -> None:
    talk = A + "and so on " * 200
    queue, begun = ChatQueue(QueueLimits(1)), list[str]()

    async def call(name: str, instructions: str) -> None:
        async with queue.turn("run", prefix=Prefix(request(instructions, name))):
            begun.append(name)

    async with asyncio.TaskGroup() as group, queue.turn("run", prefix=Prefix(request(talk))):
        for name, text in (("short", A), ("whole", talk)):
            group.create_task(call(name, text))
        await turns()
    assert begun == ["whole", "short"]


places = st.lists(st.tuples(st.sampled_from("rst"), st.sampled_from([A, B, "c"])), max_size=20)


@given(places)
def test_whoever_would_be_next_is_passed_over_so_often_at_most(waiting: list[tuple[str, str]]) -> None:
    async def go() -> None:
        lines, loop = Lines(), asyncio.get_running_loop()
        for line, text in waiting:
            lines.join(
                Place(line, loop.create_future(), 0, Prefix(request(text))), lambda: Priority.INTERACTIVE
            )
        before, taken = None, list[Place]()
        while (place := lines.next(before)) is not None:
            assert place.passed <= MOST_PASSED
            lines.take(place)
            taken.append(place)
            before = place.prefix
        assert len(taken) == len(waiting)
        assert all(place.passed <= MOST_PASSED for place in taken)

    asyncio.run(go())


async def test_calls_of_a_run_that_somebody_watches_go_before_those_of_others() -> None:
    chat, queue = Patient(), ChatQueue(QueueLimits(1))
    batch = QueuedClient(chat, queue, "batch", lambda: Priority.BATCH)
    watched = QueuedClient(chat, queue, "watched")
    tasks = [ask(batch, f"batch {number}") for number in range(3)]
    await turns()
    tasks += [ask(watched, f"watched {number}") for number in range(2)]
    await turns()
    while chat.under_way:
        await finish(chat, *chat.under_way)
    await asyncio.gather(*tasks)
    assert chat.begun == ["batch 0", "watched 0", "watched 1", "batch 1", "batch 2"]


async def test_a_run_that_is_watched_from_now_on_overtakes_while_it_waits() -> None:
    chat, queue, ranks = Patient(), ChatQueue(QueueLimits(1)), {"b": Priority.BATCH}
    clients = {
        name: QueuedClient(chat, queue, name, lambda name=name: ranks.get(name, Priority.INTERACTIVE))
        for name in "ab"
    }
    tasks = [ask(clients[name], f"{name}{number}") for number in range(2) for name in "ab"]
    await turns()
    ranks.update(a=Priority.BATCH, b=Priority.INTERACTIVE)
    while chat.under_way:
        await finish(chat, *chat.under_way)
    await asyncio.gather(*tasks)
    assert chat.begun == ["a0", "b0", "b1", "a1"]


async def test_who_gives_up_as_another_call_ends_is_passed_over() -> None:
    chat, queue = Patient(), ChatQueue(QueueLimits(1))
    client = QueuedClient(chat, queue, "run")
    first, waiting, last = ask(client, "first"), ask(client, "waiting"), ask(client, "last")
    await turns()
    chat.under_way["first"].set()
    await asyncio.sleep(0)
    waiting.cancel()
    await turns()
    await finish(chat, "last")
    assert [(await one).message.content for one in (first, last)] == ["first", "last"]
    assert (waiting.cancelled(), queue.working, queue.waiting) == (True, 0, 0)


async def test_like_beside_like_finds_more_in_the_cache_of_the_endpoint() -> None:
    """Eight agents of two kinds at an endpoint that keeps the last request, as llama.cpp with one slot."""

    async def cached(*, knows_prefixes: bool) -> int:
        endpoint = ScriptedEndpoint(book_of(ECHO), pace=0, cache=1)
        client = OpenAIClient(
            "http://scripted.invalid/v1",
            "k",
            "m",
            http_client=lambda: scripted_http_client(endpoint),
        )
        queue, total = ChatQueue(QueueLimits(1)), 0

        async def call(number: int) -> None:
            nonlocal total
            asked = request((A, B)[number % 2], str(number))
            async with queue.turn("run", prefix=Prefix(asked) if knows_prefixes else None):
                total += (await client.answer(asked)).usage.cached_tokens

        async with asyncio.TaskGroup() as group:
            for number in range(8):
                group.create_task(call(number))
        await client.close()
        return total

    whole = 8 * 4 * len(A.split()) // 3
    assert await cached(knows_prefixes=False) < 0.1 * whole
    assert await cached(knows_prefixes=True) > 0.7 * whole


def test_tools_count_as_what_a_request_begins_with() -> None:
    tools = (ToolSpec("search", "Looks things up. " * 100, {"type": "object"}),)
    one, two = (Prefix(ChatRequest((Message("user", text),), tools)) for text in ("1", "2"))
    assert one.shared(two) >= 2 * BLOCK
    assert one.shared(Prefix(ChatRequest((Message("user", "1"),)))) == 0
    assert one.shared(None) == 0
