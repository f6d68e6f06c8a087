"""A person's way through the moments of one run, whose entries are read again a little at a time."""

import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from studio.errors import StoreError
from studio.ids import StepId
from studio.trace.events import Entry, StepProgressed, TextStreamed
from studio.trace.fold.moments import Moments
from studio.trace.fold.state import RunState

SLICE = 0.008
"""Seconds of each frame that are spent on reading."""
PAGE = 200
"""Entries read between two looks at the clock."""
APART = 1e-6
"""Seconds by which two moments differ at least."""
PASSING = (TextStreamed, StepProgressed)
"""Events that nobody wants to stop at one by one."""


class Travel:
    """Goes to moments of a run that may still go on."""

    def __init__(self, began: float, history: Callable[[], Iterable[Entry]]) -> None:
        self._began = began
        self._source: Iterator[Entry] | None = _read_late(history)
        self._late: list[Entry] = []
        self._number = 0
        self._moments = Moments()
        self._stops: list[float] = []
        self._asked = 0.0
        self._steps = 0
        self._count: int | None = None
        self.state: RunState | None = None
        """The run at the moment that is shown; None until its entries are read."""
        self.is_past_end = False
        """Whether it was asked to go on where nothing happened any more."""
        self.trouble = ""
        """Why its entries cannot be read."""

    @property
    def seconds(self) -> float:
        """The moment that was asked for, after the beginning of the run."""
        return self._asked

    @property
    def is_reading(self) -> bool:
        """Whether entries are still to be read."""
        return self._source is not None

    def ask(self, seconds: float) -> None:
        """Go to a moment, with the next call of `go`."""
        self._asked, self._steps = max(seconds, 0.0), 0

    def step(self, direction: int) -> None:
        """Go on (1) or back (-1) to where anything happened next, with the next call of `go`."""
        self._steps += direction

    def take(self, entries: Sequence[Entry]) -> None:
        """Take in what the run goes on with meanwhile."""
        if self._source is not None:
            self._late.extend(entries)
        else:
            self._add(entries)

    def go(self) -> Sequence[StepId] | None:
        """Read on, and go where it was asked; gives the steps that are otherwise now, None if none may be."""
        if self._source is not None and not self._read():
            return None
        while self._steps:
            way = 1 if self._steps > 0 else -1
            found, self._steps = self._beside(way), self._steps - way
            self.is_past_end = found is None and way > 0
            self._asked = found if found is not None else self._asked
        count = max(self._moments.count(self._began + self._asked), 1)  # a run that has begun, at least
        if count == self._count:
            return None
        before = self._count if self._count is not None else len(self._moments)
        self._count, self.state = count, self._moments.state(count)
        return self._moments.touched(before, count)

    def leave(self) -> Sequence[StepId]:
        """Give the steps that are otherwise when the run is shown as it is now."""
        return self._moments.touched(self._count, len(self._moments)) if self._count is not None else ()

    def _beside(self, direction: int) -> float | None:
        if direction > 0:
            at = bisect_right(self._stops, self._asked + APART)
            return self._stops[at] if at < len(self._stops) else None
        at = bisect_left(self._stops, self._asked - APART)
        return self._stops[at - 1] if at > 0 else None

    def _read(self) -> bool:
        """Read for a slice of time; gives whether that was all."""
        ends = time.perf_counter() + SLICE
        try:
            while self._source is not None and time.perf_counter() < ends:
                page = list(islice(self._source, PAGE))
                self._add(page)
                if len(page) < PAGE:
                    self._source = None
        except StoreError as error:
            self._source, self.trouble = iter(()), error.message
            return False
        if self._source is None:
            late, self._late = self._late, []
            self._add(late)
        return self._source is None

    def _add(self, entries: Iterable[Entry]) -> None:
        fresh = [entry for entry in entries if entry.number > self._number]
        if not fresh:
            return
        self._number = fresh[-1].number
        self._moments.add(fresh)
        for entry in fresh:
            at = entry.time - self._began
            if not isinstance(entry.event, PASSING) and (not self._stops or at > self._stops[-1] + APART):
                self._stops.append(at)


def _read_late(history: Callable[[], Iterable[Entry]]) -> Iterator[Entry]:
    """Ask for the entries when the first is read, so that what cannot be read is told there."""
    yield from history()
