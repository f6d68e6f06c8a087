"""An event loop in which waiting takes no time: its clock jumps when nobody works, threads included."""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from typing import Any, TypeVar

R = TypeVar("R")


class VirtualLoop(asyncio.SelectorEventLoop):
    """Its seconds are nobody's; threads that it has started are waited for in real ones."""

    def __init__(self) -> None:
        self.now = 0.0
        self.working = 0
        super().__init__(_Jumping(self))

    def time(self) -> float:
        return self.now

    def run_in_executor(
        self, executor: Executor | None, func: Callable[..., Any], *args: Any
    ) -> "asyncio.Future[Any]":
        self.working += 1
        future = super().run_in_executor(executor, func, *args)
        future.add_done_callback(self._come_back)
        return future

    def _come_back(self, _future: "asyncio.Future[Any]") -> None:
        self.working -= 1


class _Jumping(selectors.DefaultSelector):
    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> Any:
        if timeout is None or (timeout > 0 and self._loop.working):
            return super().select(5)
        self._loop.now += max(0.0, timeout)
        return super().select(0)


def run_virtually(work: Coroutine[Any, Any, R]) -> R:
    """Run to the end, as `asyncio.run` would, in no time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)
