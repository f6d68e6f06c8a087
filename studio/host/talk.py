"""How a process with runs and a window talk: what is said goes in batches, sixty times a second."""

import asyncio
import contextlib
from collections.abc import Callable, Mapping

from studio.host.outbox import Outbox
from studio.host.protocol import LARGEST_FRAME, LENGTH, BreakpointsHit, Entries, Said, frame
from studio.ids import RunId

FRAME_SECONDS = 1 / 60
"""How long entries are gathered into one batch."""

MOST_IN_FRAME = 500
"""Entries in one frame, so that neither side is busy with one for long: a window reads it in two ms."""


class Speaker:
    """Speaks over one connection; what is said comes after the entries that were there before it."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self._said: list[Said] = []
        self._counted: dict[RunId, tuple[Callable[[], Mapping[str, int]], Mapping[str, int]]] = {}
        """Where hits of breakpoints are counted, and what was last told of them."""
        self._is_ending = False
        self._writer: asyncio.StreamWriter | None = None

    def say_now(self, said: Said) -> None:
        """Say something before all that waits: it is on its way when this returns."""
        if self._writer is not None and not self._writer.is_closing():
            self._writer.write(frame(said))

    def say(self, said: Said) -> None:
        """Say something with the next batch."""
        self._said.append(said)

    def count(self, run: RunId, hits: Callable[[], Mapping[str, int]]) -> None:
        """Tell from now on how often each breakpoint of a run was hit, whenever that has changed."""
        self._counted[run] = (hits, {})

    def count_no_more(self, run: RunId) -> None:
        """Tell what was counted last, before what is said next."""
        self._said.extend(self._recounted())
        self._counted.pop(run, None)

    async def speak(self, writer: asyncio.StreamWriter) -> None:
        """Speak until cancelled, until nobody listens any more, or until all is said after `end`."""
        self._writer = writer
        with contextlib.suppress(ConnectionError):
            while not self._is_ending:
                await self._say_all(writer)
                await asyncio.sleep(FRAME_SECONDS)
            await self._say_all(writer)

    def end(self) -> None:
        """Speak no more once all that waits is said."""
        self._is_ending = True

    async def _say_all(self, writer: asyncio.StreamWriter) -> None:
        said, self._said = self._said, []
        for run, entries in self._outbox.take().items():
            for start in range(0, len(entries), MOST_IN_FRAME):
                batch = entries[start : start + MOST_IN_FRAME]
                writer.write(frame(Entries(run, tuple(batch))))
                await writer.drain()
        for one in (*self._recounted(), *said):
            writer.write(frame(one))
        await writer.drain()

    def _recounted(self) -> list[Said]:
        found: list[Said] = []
        for run, (hits, told) in self._counted.items():
            now = hits()
            if now != told:
                self._counted[run] = (hits, dict(now))
                found.append(BreakpointsHit(run, dict(now)))
        return found


async def hear(reader: asyncio.StreamReader) -> bytes | None:
    """Give the body of the next frame; None where the window is gone, or speaks something else."""
    try:
        (length,) = LENGTH.unpack(await reader.readexactly(LENGTH.size))
        return None if length > LARGEST_FRAME else await reader.readexactly(length)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
