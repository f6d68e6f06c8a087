"""Time limits of loops and maps: of all that happens inside them, less the time in which steps were held."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from studio.errors import TimeLimitError

NEXT_LOOK = 0.02
"""Seconds between two looks at the clock at least, while held time puts the end off."""


def never_held() -> float:
    """For how long steps have been held, where none can be."""
    return 0.0


@asynccontextmanager
async def limited(
    seconds: float | None,
    held_seconds: Callable[[], float],
    tell: Callable[[], None] = lambda: None,
    arrange: Callable[[Callable[[], None]], bool] = lambda _: False,
) -> AsyncGenerator[None]:
    """Cancel what is inside, and raise `TimeLimitError`, once it has taken longer than `seconds`.

    `held_seconds` tells for how long steps of the run have been held so far, `tell` is called when time is
    up. With `arrange` somebody else may see to it that time is up when it should be.
    """
    if seconds is None:
        yield
        return
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds - held_seconds()
    timer = asyncio.timeout(None)

    def expire() -> None:
        nonlocal is_over
        if not is_over:
            is_over = True
            tell()
            timer.reschedule(loop.time())

    def look() -> None:
        nonlocal handle
        left = end + held_seconds() - loop.time()
        if left <= 0:
            expire()
        else:
            handle = loop.call_later(max(left, NEXT_LOOK), look)

    is_over = False
    handle: asyncio.TimerHandle | None = None
    try:
        async with timer:
            if not arrange(expire):
                handle = loop.call_later(seconds, look)
            yield
    except TimeoutError as error:
        if not timer.expired():
            raise
        message = f"It took longer than its time limit of {seconds:g} s."
        raise TimeLimitError(message, hint="Raise the limit in the run settings.") from error
    finally:
        is_over = True
        if handle is not None:
            handle.cancel()
