"""Time that passes only when everybody waits: a minute's wait takes none, and the order stays as it was."""

import asyncio
import selectors
from collections.abc import Callable
from typing import Any


class PlayedLoop(asyncio.SelectorEventLoop):
    """An event loop of its own time; when all wait for what never comes, `on_stuck` is told."""

    def __init__(self, on_stuck: Callable[[], None]) -> None:
        self.threads = 0
        self.passed = 0.0
        self._told = on_stuck
        super().__init__(_Selector(self))

    def time(self) -> float:
        """Seconds since the beginning."""
        return self.passed

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> Any:
        """Note that something goes on that is waited for in earnest."""
        self.threads += 1
        waited = super().run_in_executor(executor, func, *args)
        waited.add_done_callback(self._returned)
        return waited

    def wait(self, timeout: float | None) -> None:
        """Let time pass until the next that is due."""
        if timeout is None:
            self._told()
        else:
            self.passed += timeout

    def _returned(self, _: object) -> None:
        self.threads -= 1


class _Selector(selectors.DefaultSelector):
    def __init__(self, loop: PlayedLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> Any:
        found = super().select(0)
        if found or timeout == 0:
            return found
        if self._loop.threads:
            return super().select(0.05)
        self._loop.wait(timeout)
        return super().select(0)


class PlayedPolicy(asyncio.DefaultEventLoopPolicy):
    """Gives such loops to whoever asks for one."""

    def __init__(self, on_stuck: Callable[[], None]) -> None:
        super().__init__()
        self._told = on_stuck

    def new_event_loop(self) -> asyncio.AbstractEventLoop:
        """Make one."""
        return PlayedLoop(self._told)
