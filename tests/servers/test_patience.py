"""How long an answer may take, less the time in which a person is asked; in virtual time."""

import asyncio

import pytest

from studio.servers.patience import Patience
from tests.runtime.virtual_time import run_virtually


async def waits(patience: Patience, seconds: float) -> None:
    async with patience.limit():
        await asyncio.sleep(seconds)


async def asks(patience: Patience, after: float, seconds: float) -> None:
    await asyncio.sleep(after)
    with patience.asking():
        await asyncio.sleep(seconds)


def test_an_answer_has_its_seconds_and_no_more() -> None:
    run_virtually(waits(Patience(10), 9))
    with pytest.raises(TimeoutError):
        run_virtually(waits(Patience(10), 11))


@pytest.mark.parametrize(("work", "is_over"), [(109, False), (111, True)])
def test_while_a_person_is_asked_the_clock_stands_still_and_then_goes_on(
    work: float, *, is_over: bool
) -> None:
    async def both() -> None:
        patience = Patience(10)
        await asyncio.gather(waits(patience, work), asks(patience, 5, 100))

    if is_over:
        with pytest.raises(TimeoutError):
            run_virtually(both())
    else:
        run_virtually(both())


@pytest.mark.parametrize(("work", "is_over"), [(209, False), (211, True)])
def test_two_questions_at_once_end_with_the_later(work: float, *, is_over: bool) -> None:
    async def all_of_it() -> None:
        patience = Patience(10)
        await asyncio.gather(waits(patience, work), asks(patience, 5, 100), asks(patience, 55, 150))

    if is_over:
        with pytest.raises(TimeoutError):
            run_virtually(all_of_it())
    else:
        run_virtually(all_of_it())


def test_what_begins_while_a_person_is_asked_has_all_its_time_afterwards() -> None:
    async def late(patience: Patience) -> None:
        await asyncio.sleep(50)
        await waits(patience, 59)

    async def both() -> None:
        patience = Patience(10)
        await asyncio.gather(late(patience), asks(patience, 0, 100))

    run_virtually(both())
