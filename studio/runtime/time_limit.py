"""Time limits of loops and maps: of all that happens inside them, less the time in which steps were held."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from studio.errors import TimeLimitError

NEXT_LOOK = 0.02
"""Seconds between two looks at the clock at least, while held time puts the end off."""


@asynccontextmanager
async def limited(seconds: float | None, held_seconds: Callable[[], float]) -> AsyncGenerator[None]:
    """Cancel what is inside, and raise `TimeLimitError`, once it has taken longer than `seconds`.

    `held_seconds` tells for how long steps of the run have been held so far.
    """
    if seconds is None:
        yield
        return
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds - held_seconds()
    timer = asyncio.timeout(None)

    def look() -> None:
        nonlocal handle
        left = end + held_seconds() - loop.time()
        if left <= 0:
            timer.reschedule(loop.time())
        else:
            handle = loop.call_later(max(left, NEXT_LOOK), look)

    handle = loop.call_later(seconds, look)
    try:
        async with timer:
            yield
    except TimeoutError as error:
        if not timer.expired():
            raise
        message = f"It took longer than its time limit of {seconds:g} s."
        raise TimeLimitError(message, hint="Raise the limit in the run settings.") from error
    finally:
        handle.cancel()
