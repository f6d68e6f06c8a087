"""An event loop on which hours pass at once: time jumps whenever nobody has anything to do."""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

R = TypeVar("R")


class NothingWillEverHappenError(Exception):
    """Everybody waits, and nothing is going to wake anybody."""


class VirtualLoop(asyncio.SelectorEventLoop):
    """Its time has nothing to do with ours."""

    def __init__(self) -> None:
        self.now = 0.0
        super().__init__(_Jumping(self))

    def time(self) -> float:
        return self.now

    def run_in_executor(self, executor: Any, func: Callable[..., R], *args: Any) -> "asyncio.Future[R]":
        """Do it here: a thread takes time of ours."""
        assert executor is None
        done: asyncio.Future[R] = self.create_future()
        done.set_result(func(*args))
        return done


class _Jumping(selectors.DefaultSelector):
    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> Any:
        if timeout is None:
            raise NothingWillEverHappenError
        self._loop.now += max(0.0, timeout)
        return super().select(0)


def run_virtually(work: Coroutine[Any, Any, R]) -> R:
    """Run to the end, as `asyncio.run` would, in no time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)
