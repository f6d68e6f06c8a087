"""Many chats that begin together leave the event loop time for whoever stops them."""

import asyncio

from studio.llm.endpoints.few_at_once import PORTION, FewAtOnce

MANY = 10 * PORTION


async def test_of_many_that_are_ready_a_few_begin_with_each_round_of_the_loop() -> None:
    turns, begun = FewAtOnce(), list[int]()

    async def work(number: int) -> None:
        await turns.turn()
        begun.append(number)

    tasks = [asyncio.create_task(work(number)) for number in range(MANY)]
    before = 0
    while len(begun) < MANY:
        await asyncio.sleep(0)
        assert len(begun) - before <= PORTION
        before = len(begun)
    assert begun == list(range(MANY))
    await asyncio.gather(*tasks)


async def test_who_is_stopped_while_waiting_keeps_nobody_else_from_a_turn() -> None:
    turns, begun = FewAtOnce(), list[int]()

    async def work(number: int) -> None:
        await turns.turn()
        begun.append(number)

    tasks = [asyncio.create_task(work(number)) for number in range(MANY)]
    await asyncio.sleep(0)
    for task in tasks[1:-1]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert begun == [0, MANY - 1]
    await asyncio.wait_for(turns.turn(), 10)
