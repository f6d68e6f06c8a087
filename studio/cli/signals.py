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
    before = {number: signal.getsignal(number) for number in EXIT_CODES}

    def stop(number: int, _: object) -> None:
        # Not a handler of the loop's: a step that blocks the loop would keep a second signal from working.
        for each in EXIT_CODES:
            signal.signal(each, signal.SIG_DFL)
        caught.append(EXIT_CODES[signal.Signals(number)])
        loop.call_soon_threadsafe(task.cancel)

    for number in EXIT_CODES:
        signal.signal(number, stop)
    try:
        return Ended(await task)
    except asyncio.CancelledError:
        if not caught:
            raise
        return Ended(code=caught[0])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
