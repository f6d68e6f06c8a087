"""The one thread that writes all runs of a process, and the one clock by which it gathers batches."""

import threading
import time
from enum import IntEnum
from typing import NamedTuple, Protocol

GATHER = 0.016
"""Seconds for which entries that nobody waits for are gathered: one frame of the window."""

IDLE = 2.0
"""Seconds without an entry after which journals are shortened."""


class Need(IntEnum):
    """How soon a run wants to be committed."""

    LATER = 0
    SOON = 1
    DURABLE = 2


class Written(Protocol):
    """A run that is being written; both methods are called on the committer's thread."""

    def commit(self, *, is_durable: bool) -> None:
        """Write and publish what waits; raises nothing."""
        ...

    def rest(self) -> None:
        """Use the pause to shorten the journal; raises nothing."""
        ...


class _Wait(NamedTuple):
    """How soon a run has to be committed, and when at the latest, by the monotonic clock."""

    need: Need
    due: float


class Committer:
    """Starts its thread with the first entry; `close` ends it.

    `lock` guards what runs have waiting. The thread holds it only to take a batch, never while it writes.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._changed = threading.Condition(self.lock)
        self._waiting: dict[Written, _Wait] = {}
        self._resting: dict[Written, None] = {}
        self._busy: Written | None = None
        self._need = Need.LATER
        self._is_closed = False
        self._thread: threading.Thread | None = None

    def add(self, run: Written, need: Need) -> None:
        """Note that the run has something to commit; the caller holds `lock`."""
        known = self._waiting.get(run)
        if known is not None and known.need >= need:
            return
        if not self._waiting:
            self._changed.notify_all()
        # Each run gathers for as long, however many others there are.
        self._waiting[run] = _Wait(need, known.due if known else time.monotonic() + GATHER)
        if need > self._need:
            self._need = need
            self._changed.notify_all()
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="store writer", daemon=True)
            self._thread.start()

    def drain(self, run: Written) -> None:
        """Wait until the run has nothing waiting, and forget it."""
        with self.lock:
            if not self.is_here():
                while run in self._waiting or self._busy is run:
                    self._changed.wait()
            self._resting.pop(run, None)

    def is_here(self) -> bool:
        """Tell whether the caller is the writing thread."""
        return threading.current_thread() is self._thread

    def close(self) -> None:
        """Commit what waits, and end the thread."""
        with self.lock:
            self._is_closed = True
            self._changed.notify_all()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _work(self) -> None:
        while True:
            with self.lock:
                work = self._next()
            if work is None:
                return
            run, is_durable = work
            if is_durable is None:
                run.rest()
            else:
                run.commit(is_durable=is_durable)
            with self.lock:
                self._busy = None
                self._changed.notify_all()

    def _next(self) -> tuple[Written, bool | None] | None:
        """Wait for something to do: a run to commit, durably or not, or one that may rest (None)."""
        while True:
            if self._waiting:
                oldest = next(iter(self._waiting.values()))
                left = 0.0 if self._need or self._is_closed else oldest.due - time.monotonic()
                if left <= 0:
                    return self._take()
                self._changed.wait(left)
            elif self._is_closed:
                self._thread = None
                return None
            elif (
                not self._changed.wait(IDLE if self._resting else None)
                and self._resting
                and not self._waiting
            ):
                run, _ = self._resting.popitem()
                self._busy = run
                return run, None

    def _take(self) -> tuple[Written, bool]:
        run, (need, _) = next(one for one in self._waiting.items() if one[1].need >= self._need)
        del self._waiting[run]
        self._need = max((one.need for one in self._waiting.values()), default=Need.LATER)
        self._busy = run
        self._resting[run] = None
        return run, need is Need.DURABLE
