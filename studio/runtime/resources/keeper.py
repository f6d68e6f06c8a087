"""What is opened for a run and stays open: each thing is opened and closed by one task of its own.

Whoever asks for it first may be over long before the run is, and task groups, time limits and cancel scopes
have to be left by the task that entered them.
"""

import asyncio
from contextlib import AbstractAsyncContextManager
from typing import Final, Self, TypeVar

T = TypeVar("T")

PATIENCE: Final = 0.1
"""Seconds for which whoever is cancelled while something opens waits for it to clean up."""


class Keeper:
    """Opens things for whoever asks, and closes all at its own end, the last first."""

    def __init__(self) -> None:
        self._kept: list[tuple[asyncio.Task[None], asyncio.Event]] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *reason: object) -> None:
        await self.close()

    async def open(self, thing: AbstractAsyncContextManager[T]) -> T:
        """Open it, in a task that keeps it; raises what opening it raises."""
        opened: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        closing = asyncio.Event()
        task = asyncio.create_task(_keep(thing, opened, closing))
        try:
            await asyncio.wait((task, opened), return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.wait((task,), timeout=PATIENCE)
            self._kept.append((task, closing))
            raise
        if not opened.done():
            await task
            message = "What was opened was never there."
            raise RuntimeError(message)
        self._kept.append((task, closing))  # after what it opened itself, which it needs to the end
        return opened.result()

    async def close(self) -> None:
        """Close all, the last first, though one fails; the first error is raised in the end."""
        failed: BaseException | None = None
        while self._kept:
            task, closing = self._kept.pop()
            closing.set()
            try:
                await asyncio.wait((task,))
            except asyncio.CancelledError as error:
                task.cancel()
                await asyncio.wait((task,), timeout=PATIENCE)
                failed = failed or error
                continue
            if not task.cancelled():
                failed = failed or task.exception()
        if failed is not None:
            raise failed


async def _keep(
    thing: AbstractAsyncContextManager[T], opened: "asyncio.Future[T]", closing: asyncio.Event
) -> None:
    async with thing as there:
        opened.set_result(there)
        await closing.wait()
