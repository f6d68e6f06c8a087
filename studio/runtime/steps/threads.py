"""Node functions that work for long without waiting: on threads, so that all others can go on meanwhile."""

import asyncio
import os
import threading
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from contextvars import Context
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeVar, cast

from studio.errors import StepError
from studio.runtime.calls.context import StepContext
from studio.runtime.failures import named
from studio.sdk.context import Folder

R = TypeVar("R")

MOST_IDLE = 4
"""Threads that wait for the next call, so that many short ones do not each begin one."""

_idle: "deque[_Worker]" = deque()
os.register_at_fork(after_in_child=_idle.clear)


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
        lent.end()


async def on_a_thread(call: Callable[[], R]) -> R:
    """Make a call on a thread that has no other one, and that nobody waits for once the step is stopped.

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

    try:
        worker = _idle.pop()
    except IndexError:
        worker = _Worker()
    worker.give(work, loop)
    return await returned


def is_at_work_for(loop: asyncio.AbstractEventLoop) -> bool:
    """Whether a call that was made on this loop goes on, also one for which nobody waits any more."""
    return any(isinstance(one, _Worker) and one.loop is loop for one in threading.enumerate())


class _Worker(threading.Thread):
    """Makes one call after the other, each in a context of its own, until enough others are idle."""

    def __init__(self) -> None:
        super().__init__(name="heavy step", daemon=True)
        self.loop: asyncio.AbstractEventLoop | None = None
        """That for which it works."""
        self._calls = SimpleQueue[Callable[[], None]]()
        self.start()

    def give(self, work: Callable[[], None], loop: asyncio.AbstractEventLoop) -> None:
        """Have it work for a loop."""
        self.loop = loop
        self._calls.put(work)

    def run(self) -> None:
        """As a thread does."""
        while True:
            Context().run(self._calls.get())
            self.loop = None
            if len(_idle) >= MOST_IDLE:
                return
            _idle.append(self)


class ThreadContext:
    """What a function on a thread may use of its context: each call is made where the run is."""

    def __init__(self, context: StepContext) -> None:
        self._context = context
        self._loop = asyncio.get_running_loop()
        self._asked: set[Future[Any]] = set()
        self._is_over = False

    def end(self) -> None:
        """Answer nothing from now on; whoever waits for an answer is cancelled."""
        self._is_over = True
        for one in tuple(self._asked):
            one.cancel()

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
            if done.cancelled():
                return
            try:
                done.set_result(call())
            except BaseException as error:  # noqa: BLE001  # it is raised on the thread
                done.set_exception(error)

        self._asked.add(done)
        try:
            if self._is_over:  # asked after it is known, or `end` finds it: the loop may not turn again
                done.cancel()
            else:
                self._loop.call_soon_threadsafe(go)
            return done.result()
        finally:
            self._asked.discard(done)
