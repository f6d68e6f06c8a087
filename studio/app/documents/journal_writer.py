"""The threads that write what was edited, so that no edit waits for a disk.

What is written is safe from the end of the process at once, and from a power cut a second later: a disk that
takes long to say that it has something makes nothing else wait.
"""

from collections.abc import Callable
from contextlib import suppress
from threading import Condition, Thread

DELAY = 0.03
"""Seconds in which edits are gathered before they are written; with the writing, less than 250 ms."""
SYNC_DELAY = 1.0
"""Seconds in which what was written is gathered before the disk is to have it."""


class Worker:
    """Does jobs one after another, a moment after they were asked for; one that waits is not done twice."""

    def __init__(self, delay: float) -> None:
        self._delay = delay
        self._change = Condition()
        self._waiting: dict[int, Callable[[], None]] = {}
        self._is_urgent = self._is_busy = self._is_closed = False
        self._thread: Thread | None = None

    def ask(self, key: int, job: Callable[[], None]) -> None:
        """Have a job done soon; another of the same `key` that waits is replaced. What it raises is lost."""
        with self._change:
            if self._is_closed:
                return
            self._waiting[key] = job
            if self._thread is None:
                self._thread = Thread(target=self._work, name="journal", daemon=True)
                self._thread.start()
            self._change.notify_all()

    def flush(self) -> None:
        """Wait until all is done."""
        with self._change:
            self._is_urgent = True
            self._change.notify_all()
            self._change.wait_for(lambda: not self._waiting and not self._is_busy)
            self._is_urgent = False

    def close(self) -> None:
        """Do what waits, and end."""
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
                with suppress(Exception):  # whoever flushes must not wait for ever, nor the others go without
                    job()
            with self._change:
                self._is_busy = False
                self._change.notify_all()


class JournalWriter:
    """One thread that writes the journals of all open flows, and one that has the disk keep them."""

    def __init__(self, delay: float = DELAY, sync_delay: float = SYNC_DELAY) -> None:
        self._writing = Worker(delay)
        self._syncing = Worker(sync_delay)

    def ask(self, key: int, write: Callable[[], None], sync: Callable[[], None]) -> None:
        """Have `write` done soon, and `sync` some time after it."""

        def act() -> None:
            write()
            self._syncing.ask(key, sync)

        self._writing.ask(key, act)

    def flush(self) -> None:
        """Wait until all is written, so that nothing is lost if the process ends."""
        self._writing.flush()

    def close(self) -> None:
        """Write what waits, have the disk keep it, and end."""
        self._writing.close()
        self._syncing.close()
