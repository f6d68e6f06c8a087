"""Old runs that are read from the store, some of their entries in each frame."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from math import inf
from pathlib import Path

from studio.app.runs.live_run import LiveRun
from studio.errors import StepwireError, StoreError
from studio.flow.records import Flow
from studio.ids import RunId
from studio.store.reader import RunStore
from studio.trace.events import Entry
from studio.trace.fold.state import RunStatus

READ_AT_ONCE = 2_000
"""Entries of an old run that are folded in one frame at most."""
TOLD_TOGETHER = 6_000
"""Entries of an old run, which is read whole, that are told at once: each telling paints a picture."""
SLICE = 200
"""Entries that are folded between two looks at the clock."""


@dataclass(slots=True)
class _Reading:
    """An old run that is read: what is left of its entries, and how it ended."""

    live: LiveRun
    entries: Iterator[Entry]
    status: RunStatus
    untold: list[Entry] = field(default_factory=list[Entry])
    then: Callable[[], None] | None = None


class OldRuns:
    """Reads them; `notify` is told of what cannot be read."""

    def __init__(self, notify: Callable[[StepwireError], None]) -> None:
        self._notify = notify
        self._reading: list[_Reading] = []

    @property
    def is_busy(self) -> bool:
        """Whether any is being read."""
        return bool(self._reading)

    def open(self, project_private: Path, run: RunId) -> LiveRun:
        """Begin to read a run; its entries come with the next calls of `pump`. Raises `StoreError`."""
        store = RunStore(project_private)
        status = store.summary(run).status  # asked first: it may end meanwhile
        live = LiveRun(run, Flow())
        live.is_read = True
        self._reading.append(_Reading(live, store.entries(run), status))
        return live

    def then(self, live: LiveRun, go_on: Callable[[], None]) -> None:
        """Call a function, which takes the run over, once all of it is read."""
        for one in self._reading:
            if one.live is live:
                one.then = go_on

    def pump(self, seconds: float = inf) -> None:
        """Read on for so many seconds of the processor; once a frame."""
        ends = time.thread_time() + seconds
        for one in tuple(self._reading):
            self._read_on(one, ends)

    def _read_on(self, reading: _Reading, ends: float) -> None:
        live, count, is_whole = reading.live, 0, False
        try:
            while not is_whole and count < READ_AT_ONCE and (not count or time.thread_time() < ends):
                before = count
                for entry in islice(reading.entries, SLICE):
                    live.state.apply(entry)  # what was read before the damage counts
                    reading.untold.append(entry)
                    count += 1
                is_whole = count - before < SLICE
        except StoreError as error:
            self._notify(error)
            reading.status, is_whole = RunStatus.INTERRUPTED, True
        live.is_read = not is_whole
        is_first = live.state.entries_count == count
        if reading.untold and (is_first or is_whole or len(reading.untold) >= TOLD_TOGETHER):
            untold, reading.untold = reading.untold, []
            live.tell(untold)
        if is_whole:
            self._reading.remove(reading)
            if reading.then is not None:
                reading.then()
            elif reading.status.is_final:
                live.end()
