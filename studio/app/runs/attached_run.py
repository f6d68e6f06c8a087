"""A run that another process executes, as this window follows it: over its socket, or in its file.

The socket tells all as it happens, and takes holds and edits. Where there is none, where another window holds
the run, and when its process is gone, the file tells what is stored of it.
"""

import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import islice, takewhile

from studio.app.runs.live_run import LiveRun
from studio.errors import HostError, StepwireError, StoreError
from studio.flow.records import Flow
from studio.host.client import HostClient
from studio.host.protocol import (
    Asked,
    Attached,
    AttachRun,
    BreakpointsHit,
    Entries,
    HostLost,
    HostReady,
    RunDue,
    RunEnded,
    RunRefused,
    Said,
    SetBreakpoints,
)
from studio.host.sockets import connect, find_socket
from studio.ids import RunId
from studio.runtime.gates.breakpoints import Breakpoint
from studio.store.reader import RunStore
from studio.trace.events import Entry, TextStreamed
from studio.trace.fold.state import RunStatus

READ_AT_ONCE = 2_000
"""Entries of its file that are folded in one frame."""

BETWEEN_LOOKS = 0.25
"""Seconds between looks into the file of a run that has no socket."""


class AttachedRun:
    """One run of another process; `live` is what windows show. `pump`, called once a frame, never waits.

    `notify` hears what goes wrong. `is_over` tells when nothing more is to come.
    """

    def __init__(
        self,
        store: RunStore,
        run: RunId,
        breakpoints: tuple[Breakpoint, ...],
        environ: Mapping[str, str],
        notify: Callable[[StepwireError], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Make it; a run that nobody can speak to is followed in its file."""
        self.live = LiveRun(run, Flow(), ask=self._ask, kill=self._kill)
        self.is_over = False
        self._store = store
        self._run = run
        self._notify = notify
        self._clock = clock
        self._client: HostClient | None = None
        self._pid = 0
        self._reading: Iterator[Entry] | None = None
        self._waiting: list[Entry] = []
        """Entries that came before those of the file were read."""
        self._last = 0
        self._published = -1
        self._is_attached = False
        self._status: RunStatus | None = None
        """How the run ended, as soon as that is known."""
        self._next_look = 0.0
        path = find_socket(store.path(run), environ)
        if path is not None:
            with suppress(HostError):  # left behind by a process that is gone
                self._client = HostClient(None, connect(path))
                self._client.ask(AttachRun(run, breakpoints))

    @property
    def can_hold(self) -> bool:
        """Whether the run can be held from here."""
        return self._is_attached

    def pump(self) -> None:
        """Take in what came since the last call."""
        if self._client is not None:
            for said in self._client.drain():
                self._hear(said)
        # A process that is stopped, or busy with one step, answers late.
        if not self._is_attached and self._reading is None and self._clock() >= self._next_look:
            self._look()
        if self._reading is not None:
            self._read_on()

    def close(self) -> None:
        """Leave the run; whatever was held from here goes on."""
        if self._client is not None:
            self._client.close()
            self._client = None
        self.is_over = True

    def _hear(self, said: Said) -> None:
        match said:
            case Attached():
                self._is_attached, self._pid, self._published = True, said.pid, said.published
                stored = self._store.entries(self._run, self._last) if said.published else iter(())
                self._reading = takewhile(lambda entry: entry.number <= said.published, stored)
            case Entries():
                if self._is_attached and self._reading is None:
                    self._take(said.entries)
                else:
                    self._waiting.extend(said.entries)
            case BreakpointsHit():
                self.live.count(said.hits)
            case RunRefused():
                self._refused(said)
            case RunEnded() | HostLost():
                self._lose()
            case HostReady() | RunDue():
                pass  # the process above a run at a terminal sees to its time

    def _refused(self, said: RunRefused) -> None:
        self._notify(HostError(said.message, hint=said.hint))
        if self._is_attached:
            self.live.refuse(said)
        else:
            self._lose()

    def _lose(self) -> None:
        """Go on with what the file says: how the run ended, or what happens in it."""
        if self._client is not None:
            self._client.close()
        self._client = None
        self._is_attached = False
        self._next_look = 0.0
        self._reading = None  # what was not read yet is read with the rest
        self._waiting.clear()

    def _look(self) -> None:
        """Read what the file has now."""
        self._next_look = self._clock() + BETWEEN_LOOKS
        try:
            status = self._store.summary(self._run).status  # asked first: it may end meanwhile
        except StoreError as error:
            self._break_off(error)
            return
        self._status = status if status.is_final else None
        self._reading = self._store.entries(self._run, self._last)

    def _read_on(self) -> None:
        assert self._reading is not None  # noqa: S101  # whoever calls has looked
        try:
            batch = list(islice(self._reading, READ_AT_ONCE))
        except StoreError as error:
            self._break_off(error)
            return
        self._take(batch)
        if len(batch) == READ_AT_ONCE:
            return
        self._reading = None
        if self._is_attached:
            waiting, self._waiting = self._waiting, []
            self._take(waiting)
        if self._status is not None and self._client is None:
            self._end()

    def _take(self, entries: "list[Entry] | tuple[Entry, ...]") -> None:
        fresh = [entry for entry in entries if entry.number > self._last or self._is_so_far(entry)]
        if fresh:
            self._last = fresh[-1].number
            self.live.take(fresh)

    def _is_so_far(self, entry: Entry) -> bool:
        """Whether this was streamed before the window came: it has the number of the last entry then."""
        return entry.number == self._published == self._last and isinstance(entry.event, TextStreamed)

    def _end(self) -> None:
        self.is_over = True
        self.live.end()

    def _break_off(self, error: StoreError) -> None:
        self._notify(error)
        self._status = RunStatus.INTERRUPTED
        self.is_over = True
        self.live.end()

    def _ask(self, asked: Asked) -> None:
        if self._client is not None:
            with suppress(HostError):  # the loss itself is told by `drain`
                self._client.ask(asked)
        elif not isinstance(asked, SetBreakpoints):
            self._notify(
                HostError(
                    "This run is in another process that this window cannot control.",
                    hint="You can watch it here; pause or stop it where it was started.",
                )
            )

    def _kill(self) -> None:
        """Have a run that does not stop end its process, as `kill` does."""
        if self._client is not None and self._pid:
            with suppress(OSError):
                os.kill(self._pid, signal.SIGTERM)
