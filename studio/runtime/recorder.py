"""The one place where entries are numbered, dated, redacted and written.

Everything a run records goes through the writer before anybody sees it: an answer that was paid for is on
disk before it is shown. Streamed text is passed on in order, but not stored.
"""

import time
from collections.abc import Callable
from typing import Protocol, TypeVar, cast

from studio.ids import RunId, StepId
from studio.trace.events import Entry, Event

E = TypeVar("E")

NO_STEP = StepId("")


class Sink(Protocol):
    """Takes entries in order. What makes them durable also publishes them, and in that order."""

    def put(self, entry: Entry, *, durable: bool = False) -> None:
        """Take the next entry; may block for a moment when too many are waiting.

        What is `durable` is seen by nobody before it would survive a power cut, as all `events.DURABLE`.
        """
        ...

    async def committed(self) -> None:
        """Wait until everything put before is on disk and published; raises `StoreError`."""
        ...


class MemorySink:
    """Keeps nothing, publishes at once: for runs that nobody wants to remember."""

    def __init__(self, publish: Callable[[Entry], None]) -> None:
        self._publish = publish

    def put(self, entry: Entry, *, durable: bool = False) -> None:
        """Publish the entry."""
        del durable
        self._publish(entry)

    async def committed(self) -> None:
        """Nothing is ever on disk, so nothing is waited for."""


class Recorder:
    """Turns events of one run into entries."""

    def __init__(
        self,
        run: RunId,
        sink: Sink,
        *,
        clock: Callable[[], float] = time.time,
        redact: Callable[[Event], Event] | None = None,
        after: int = 0,
        quiet: frozenset[StepId] = frozenset(),
    ) -> None:
        """Make it; `after` is the last number of a run that goes on, in which `quiet` steps are over."""
        self._run = run
        self._sink = sink
        self._put = sink.put  # looked up once: every entry of a run goes through it
        self._clock = clock
        self._redact = redact
        self._number = after
        self._quiet = quiet
        self.spent: dict[StepId, tuple[int, float]] = {}
        """Tokens and US dollars of each call that was answered so far."""

    def follow(self, listen: Callable[[Entry], None]) -> None:
        """Let `listen` see each entry as well."""
        put = self._put

        def put_and_tell(entry: Entry, *, durable: bool = False) -> None:
            put(entry, durable=durable)
            listen(entry)

        self._put = put_and_tell

    def record(
        self, event: Event, step: StepId = NO_STEP, parent: StepId = NO_STEP, *, durable: bool = False
    ) -> None:
        """Write down that `event` happened in `step`, which happened inside `parent`."""
        if step in self._quiet:
            return  # its entries are in the file already; it is executed again only for what follows it
        self._number = number = self._number + 1
        if self._redact is not None:
            event = self._redact(event)
        self._put(Entry(self._run, number, step, parent, self._clock(), event), durable=durable)

    def as_written(self, event: E) -> E:
        """Give an event as it is written: without what must not be."""
        return event if self._redact is None else cast("E", self._redact(cast("Event", event)))

    async def committed(self) -> None:
        """Wait until everything recorded so far can no longer be lost, and has been seen."""
        await self._sink.committed()
