"""Writing runs: entries are queued by any thread, and committed and published by one.

Everything is published in the order of its numbers, and only after it was committed. Streamed text is
published in its place and not stored. What survives the death of the process is everything published, and a
durable event (`events.DURABLE`, or put as durable) as soon as it was put: who puts it writes it, with all
that waits before it, and waits for no thread. What survives a power cut is everything up to the last durable
event that was published.

A file that can't be written (full disk, read-only folder) ends the writer: `failed` has the error, and
`committed()` raises it, so that the run fails with it. From then on nothing is stored, and only what tells
of failing or stopping is published: nothing is shown as done that is not on disk.
"""

import asyncio
import os
import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from studio.errors import StoreError
from studio.ids import RunId
from studio.store.run_files.chunks import Storable, make_columns, storable
from studio.store.run_files.committer import Committer, Need
from studio.store.run_files.owner import this_process
from studio.store.run_files.run_file import RunFile
from studio.store.run_files.shelf import Shelf
from studio.store.summary import RunSummary, Tally
from studio.trace import events
from studio.trace.events import DURABLE, Entry, TextStreamed

MOST_ENTRIES = 4096
MOST_BYTES = 16 * 1024 * 1024
"""What may wait to be committed; whoever puts more waits."""

_ENDINGS = (events.StepFailed, events.StepCancelled, events.RunFailed, events.RunCancelled)


class RunWriter:
    """Makes and writes the file of one run; raises `StoreError` when it can't be made or is there already.

    `publish` is called on the writing thread with batches of entries. Runs that share a `committer` share
    its thread; without one, the writer has its own.
    """

    def __init__(
        self,
        path: Path,
        publish: Callable[[Sequence[Entry]], None],
        *,
        committer: Committer | None = None,
        earlier: Sequence[Entry] = (),
    ) -> None:
        """Make it; `earlier` has all entries of a run that goes on in its own file."""
        self.run = RunId(path.stem)
        try:
            self._file = RunFile(path, this_process(), goes_on=bool(earlier))
            self._shelf = Shelf(self._file.known_values() if earlier else None)
        except (sqlite3.Error, OSError) as error:
            if isinstance(error, BlockingIOError) or _is_busy(error):
                raise StoreError(
                    f"The run `{self.run}` is already running in another process.",
                    hint="Wait until it ends there, or stop it.",
                ) from error
            raise StoreError(
                f"The run `{self.run}` can't be stored in `{path.parent}`: {error}.",
                hint="Make the folder writable, and check whether the disk is full.",
            ) from error
        self._publish = publish
        self._is_alone = committer is None
        self._committer = committer or Committer()
        self._room = threading.Condition(self._committer.lock)
        self._writing = threading.Lock()
        """Held by who writes the file; taken before the committer's lock, never while that is held."""
        self._waiting = _Batch([], [], [])
        self._written = _Batch([], [], [])
        """What is in the file, and neither synced nor published."""
        self._is_durable = False
        self._leaving: _Batch | None = None
        self._bytes = 0
        self._put = 0
        self._safe = 0
        self._is_closed = False
        self._failure: StoreError | None = None
        self._tally = Tally(self.run)
        self._tally.count_all(earlier)
        self._written_summary: RunSummary | None = None

    @property
    def failed(self) -> StoreError | None:
        """Why the run can't be stored any more; None while it can."""
        return self._failure

    def put(self, entry: Entry, *, durable: bool = False) -> None:
        """Take the next entry, from any thread; blocks while too much waits.

        One that is `durable`, as those of `events.DURABLE` are, outlives this process when this returns; all
        others are queued. Raises `StoreError` for a value that can't be stored, and after `close`.
        """
        event = entry.event
        durable = durable or isinstance(event, DURABLE)
        row, size = (None, 0) if type(event) is TextStreamed else storable(entry)
        with self._committer.lock:
            # Who publishes on the writing thread would wait for itself.
            while self._is_full(size) and not self._is_closed and not self._committer.is_here():
                self._wait_for_room()
            if self._is_closed:
                raise StoreError(f"The run `{self.run}` is closed; nothing can be added to it.")
            waiting = self._waiting
            waiting.entries.append(entry)
            if row is not None:
                waiting.rows.append(row)
            self._bytes += size
            self._put += 1
            count = len(waiting.entries)
            if durable:
                self._is_durable = True
            elif count == 1 or count == MOST_ENTRIES // 2:
                self._committer.add(self, Need.SOON if count > 1 else Need.LATER)
        if durable:
            self._write()
            with self._committer.lock:
                self._committer.add(self, Need.DURABLE)

    async def committed(self) -> None:
        """Wait until everything put before is on disk and published; raises `StoreError`.

        What was durable among it is then on disk for good.
        """
        loop = asyncio.get_running_loop()
        with self._committer.lock:
            if self._failure is not None:
                raise self._failure
            if self._safe == self._put:
                return
            future: asyncio.Future[None] = loop.create_future()
            if self._waiting.entries or self._written.entries or self._leaving is None:
                self._waiting.waiters.append(_Waiter(loop, future))
                self._committer.add(self, Need.SOON)
            else:
                self._leaving.waiters.append(_Waiter(loop, future))
        await future

    def close(self) -> None:
        """Commit and publish what waits, and close the file. May be called twice; raises nothing."""
        with self._committer.lock:
            if self._is_closed:
                return
            self._is_closed = True
            self._room.notify_all()
            if self._waiting.entries:
                self._committer.add(self, Need.SOON)
        self._committer.drain(self)
        if self._is_alone:
            self._committer.close()
        if self._failure is not None or not self._tally.summary.status.is_final:
            with suppress(sqlite3.Error):  # else the run is seen as interrupted when this process ends
                self._file.disown()
        with suppress(sqlite3.Error):
            self._file.close()

    def commit(self, *, is_durable: bool) -> None:
        """Write, sync where that is needed, and publish what waits. For the committer, on its thread."""
        self._write()
        with self._committer.lock:
            batch, self._written = self._written, _Batch([], [], [])
            # More may have been put since the committer decided how to write this batch.
            is_durable = is_durable or self._is_durable
            self._is_durable = False
            self._leaving = batch
            self._bytes = 0
            self._room.notify_all()
        if is_durable and self._failure is None:
            try:
                self._sync()
            except Exception as error:  # noqa: BLE001  the thread has to live, or everyone waits for ever
                self._fail(f"The run `{self.run}` can no longer be stored: {error}.", error)
        is_told = self._failure is None
        entries = [one for one in batch.entries if is_told or isinstance(one.event, _ENDINGS)]
        try:
            if entries:
                self._publish(entries)
        except Exception as error:  # noqa: BLE001  whoever listens may fail in any way; the thread has to live
            self._fail(f"What happened in the run `{self.run}` could not be passed on: {error!r}.", error)
        with self._committer.lock:
            self._leaving = None
            self._safe += len(batch.entries)
        for waiter in batch.waiters:
            waiter.tell(self._failure)

    def rest(self) -> None:
        """Shorten the journal while nothing happens. For the committer, on its thread."""
        with (
            self._writing,
            suppress(sqlite3.Error),  # a reader is in the way, or the disk is full; the next commit will tell
        ):
            self._file.truncate()

    def _sync(self) -> None:
        """Have what was written survive a power cut, while others may write on."""
        with self._writing:
            descriptors = self._file.unsynced()
        for descriptor in descriptors:
            os.fsync(descriptor)

    def _write(self) -> None:
        """Write what waits into the file: in order, whoever comes first."""
        with self._writing:
            with self._committer.lock:
                batch, self._waiting = self._waiting, _Batch([], [], [])
            try:
                if self._failure is None:
                    summary = self._summary_after(batch.entries)
                    if batch.rows or summary is not None:
                        columns = make_columns(batch.rows, self._shelf.place) if batch.rows else None
                        self._file.write(columns, self._shelf.take(), summary)
            except Exception as error:  # noqa: BLE001  it is told to whoever waits, and where the run ends
                self._fail(f"The run `{self.run}` can no longer be stored: {error}.", error)
            with self._committer.lock:
                self._written.entries.extend(batch.entries)
                self._written.waiters.extend(batch.waiters)

    def _summary_after(self, entries: Sequence[Entry]) -> RunSummary | None:
        self._tally.count_all(entries)
        summary = self._tally.summary
        if summary == self._written_summary:
            return None
        self._written_summary = summary
        return summary

    def _fail(self, message: str, cause: Exception) -> None:
        folder = self._file.path.parent
        hint = f"Check whether the disk of `{folder}` is full; finished steps are saved."
        failure = StoreError(message, hint=hint)
        failure.__cause__ = cause
        with self._committer.lock:
            self._failure = self._failure or failure
            self._room.notify_all()

    def _is_full(self, size: int) -> bool:
        is_many = len(self._waiting.entries) + len(self._written.entries) >= MOST_ENTRIES
        # One value larger than all that may wait goes alone.
        return is_many or (self._bytes > 0 and self._bytes + size > MOST_BYTES)

    def _wait_for_room(self) -> None:
        self._committer.add(self, Need.SOON)
        self._room.wait()


class _Waiter(NamedTuple):
    """A coroutine in `committed()`."""

    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[None]

    def tell(self, failure: StoreError | None) -> None:
        with suppress(RuntimeError):  # its loop is closed, so nobody waits any more
            self.loop.call_soon_threadsafe(self._settle, failure)

    def _settle(self, failure: StoreError | None) -> None:
        if self.future.done():
            return
        if failure is None:
            self.future.set_result(None)
        else:
            self.future.set_exception(failure)


class _Batch(NamedTuple):
    """What waits to be written, or is written and waits to be published."""

    entries: list[Entry]
    rows: list[Storable]
    waiters: list[_Waiter]


def _is_busy(error: Exception) -> bool:
    return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY
