"""One thread that writes what was edited, so that no edit waits for a disk."""

from collections.abc import Callable
from threading import Condition, Thread

DELAY = 0.1
"""Seconds in which edits are gathered before they are written; with the writing, less than 250 ms."""


class JournalWriter:
    """Does jobs one after another, a moment after they were asked for; one that waits is not done twice."""

    def __init__(self, delay: float = DELAY) -> None:
        self._delay = delay
        self._change = Condition()
        self._waiting: dict[int, Callable[[], None]] = {}
        self._is_urgent = self._is_busy = self._is_closed = False
        self._thread: Thread | None = None

    def ask(self, key: int, job: Callable[[], None]) -> None:
        """Have a job done soon; another one of the same `key` that waits is replaced. It must not raise."""
        with self._change:
            if self._is_closed:
                return
            self._waiting[key] = job
            if self._thread is None:
                self._thread = Thread(target=self._work, name="journal", daemon=True)
                self._thread.start()
            self._change.notify_all()

    def flush(self) -> None:
        """Wait until all is written."""
        with self._change:
            self._is_urgent = True
            self._change.notify_all()
            self._change.wait_for(lambda: not self._waiting and not self._is_busy)
            self._is_urgent = False

    def close(self) -> None:
        """Write what waits, and end."""
        self.flush()
        with self._change:
            self._is_closed = True
            self._change.notify_all()
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        while True:
            with self._change:
                self._change.wait_for(lambda: self._waiting or self._is_closed)
                if not self._waiting:
                    return
                self._change.wait_for(lambda: self._is_urgent or self._is_closed, self._delay)
                jobs = list(self._waiting.values())
                self._waiting.clear()
                self._is_busy = True
            for job in jobs:
                job()
            with self._change:
                self._is_busy = False
                self._change.notify_all()
