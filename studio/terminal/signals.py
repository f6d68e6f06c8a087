"""Ctrl+C and SIGTERM cancel what runs, and become the exit codes 130 and 143.

A signal that is ignored when the command begins stays ignored: a shell so keeps what it starts in the
background from the Ctrl+C that is meant for the program in front. SIGTERM and `stepwire runs cancel` end it.
"""

import asyncio
import signal
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

R = TypeVar("R")

EXIT_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
"""128 and the signal's number, as shells count."""


@dataclass(frozen=True, slots=True)
class Ended(Generic[R]):
    """How the work ended: with a result, or by a signal (`code` then is not 0)."""

    result: R | None = field(default=None, repr=False)
    """Not in its text, which may be huge: `asyncio.run` has that made when it asks for a signal's handler."""
    code: int = 0


def run_until_signal(work: Coroutine[Any, Any, R], *, is_supervised: bool = False) -> Ended[R]:
    """Run `work` to its end; the first signal cancels it and waits, a second one ends the process.

    Where a process is above this one, that sees to the second; the first may come from it and a terminal.
    """
    return asyncio.run(_watched(work, is_supervised=is_supervised))


async def _watched(work: Coroutine[Any, Any, R], *, is_supervised: bool) -> Ended[R]:
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(work)
    caught: list[int] = []
    handlers = {number: signal.getsignal(number) for number in EXIT_CODES}
    before = {number: handler for number, handler in handlers.items() if handler is not signal.SIG_IGN}

    def stop(number: int, _: object) -> None:
        # Not a handler of the loop's: a step that blocks the loop would keep a second signal from working.
        for each in before:
            signal.signal(each, _ignore if is_supervised else signal.SIG_DFL)
        caught.append(EXIT_CODES[signal.Signals(number)])
        loop.call_soon_threadsafe(task.cancel)

    for number in before:
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


def _ignore(_number: int, _frame: object) -> None:
    """Do nothing; what this process starts has its own handlers, and does not inherit this."""
