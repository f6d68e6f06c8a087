"""What stays open for a run is opened and closed by one task."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from studio.runtime.resources.keeper import Keeper


@asynccontextmanager
async def grouped(told: list[str], name: str, *, breaks: bool = False) -> AsyncGenerator[str]:
    async with asyncio.timeout(600), asyncio.TaskGroup() as group:
        work = group.create_task(asyncio.Event().wait())
        yield name
        work.cancel()
    told.append(name)
    if breaks:
        raise ValueError(name)


async def test_a_task_group_may_be_opened_by_one_task_and_closed_by_another() -> None:
    told: list[str] = []
    async with Keeper() as keeper:
        assert await asyncio.create_task(keeper.open(grouped(told, "a"))) == "a"
        assert await asyncio.create_task(keeper.open(grouped(told, "b"))) == "b"
    assert told == ["b", "a"]


async def test_one_that_fails_to_close_leaves_none_open() -> None:
    told: list[str] = []
    keeper = Keeper()
    for name in "abc":
        await keeper.open(grouped(told, name, breaks=name != "a"))
    with pytest.raises(ValueError, match="c"):
        await keeper.close()
    assert told == ["c", "b", "a"]


@asynccontextmanager
async def stuck(began: asyncio.Event, ended: asyncio.Event) -> AsyncGenerator[None]:
    try:
        began.set()
        await asyncio.Event().wait()
        yield
    finally:
        ended.set()


async def test_whoever_is_cancelled_while_something_opens_stops_that_too() -> None:
    began, ended = asyncio.Event(), asyncio.Event()
    async with Keeper() as keeper:
        asking = asyncio.create_task(keeper.open(stuck(began, ended)))
        await began.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert ended.is_set()


@asynccontextmanager
async def broken() -> AsyncGenerator[None]:
    if True:
        raise LookupError("no such thing")
    yield


async def test_what_cannot_be_opened_is_told_to_whoever_asked() -> None:
    async with Keeper() as keeper:
        with pytest.raises(LookupError, match="no such thing"):
            await keeper.open(broken())
