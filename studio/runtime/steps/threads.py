"""Node functions that work for long without waiting: on threads, so that all others can go on meanwhile."""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from threading import Thread
from typing import Any, TypeVar, cast

from studio.errors import StepError
from studio.runtime.calls.context import StepContext
from studio.runtime.failures import named
from studio.sdk.context import Folder

R = TypeVar("R")

HEAVY = "heavy step"
"""The name of the threads on which functions work."""


async def called_in_thread(
    function: Callable[..., Any], arguments: Mapping[str, Any], context_name: str, context: StepContext | None
) -> Any:
    """Call a function on a thread; when its step is stopped, nobody waits for it, and its context ends."""
    if context is None:
        return await on_a_thread(partial(function, **arguments))
    lent = ThreadContext(context)
    try:
        return await on_a_thread(partial(function, **{**arguments, context_name: lent}))
    finally:
        lent.is_over = True


async def on_a_thread(call: Callable[[], R]) -> R:
    """Make a call on a thread of its own, which nobody waits for once the step is stopped.

    So one that never returns keeps no other call waiting for a thread, nor the process from ending.
    """
    loop = asyncio.get_running_loop()
    returned: asyncio.Future[R] = loop.create_future()

    def settle(result: R | None, error: BaseException | None) -> None:
        if returned.done():
            return
        if error is None:
            returned.set_result(cast("R", result))
        else:
            # A future cannot carry this one, which would be taken for the end of a generator.
            is_end = isinstance(error, StopIteration)
            returned.set_exception(StepError(named(error)) if is_end else error)

    def work() -> None:
        result, failed = None, None
        try:
            result = call()
        except BaseException as error:  # noqa: BLE001  # it is raised where the call is awaited
            failed = error
        with suppress(RuntimeError):  # the loop is closed, so nobody waits any more
            loop.call_soon_threadsafe(settle, result, failed)

    Thread(target=work, name=HEAVY, daemon=True).start()
    return await returned


class ThreadContext:
    """What a function on a thread may use of its context: each call is made where the run is."""

    def __init__(self, context: StepContext) -> None:
        self._context = context
        self._loop = asyncio.get_running_loop()
        self.is_over = False

    def folder(self, path: str = "") -> Folder:
        """Open a folder; what it is asked then works on the thread."""
        return self._there(lambda: self._context.folder(path))

    def progress(self, done: float, total: float, note: str = "") -> None:
        """As `StepContext.progress`."""
        self._there(lambda: self._context.progress(done, total, note))

    def log(self, text: str) -> None:
        """As `StepContext.log`."""
        self._there(lambda: self._context.log(text))

    def _there(self, call: Callable[[], R]) -> R:
        done: Future[R] = Future()

        def go() -> None:
            if self.is_over:
                done.cancel()
                return
            try:
                done.set_result(call())
            except BaseException as error:  # noqa: BLE001  # it is raised on the thread
                done.set_exception(error)

        self._loop.call_soon_threadsafe(go)
        return done.result()
