"""Ctrl+C and SIGTERM cancel what runs, and become the exit codes 130 and 143."""

import asyncio
import signal
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

R = TypeVar("R")

EXIT_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
"""128 and the signal's number, as shells count."""


@dataclass(frozen=True, slots=True)
class Ended(Generic[R]):
    """How the work ended: with a result, or by a signal (`code` then is not 0)."""

    result: R | None = None
    code: int = 0


def run_until_signal(work: Coroutine[Any, Any, R]) -> Ended[R]:
    """Run `work` to its end; the first signal cancels it and waits, a second one ends the process."""
    return asyncio.run(_watched(work))


async def _watched(work: Coroutine[Any, Any, R]) -> Ended[R]:
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(work)
    caught: list[int] = []

    def stop(number: signal.Signals) -> None:
        caught.append(EXIT_CODES[number])
        task.cancel()
        restore()

    def restore() -> None:
        for number in EXIT_CODES:
            loop.remove_signal_handler(number)

    for number in EXIT_CODES:
        loop.add_signal_handler(number, stop, number)
    try:
        return Ended(await task)
    except asyncio.CancelledError:
        if not caught:
            raise
        return Ended(code=caught[0])
    finally:
        restore()
