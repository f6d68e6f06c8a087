"""Entries on their way to a window, and the pace that its reading sets to a run."""

import asyncio
import threading
from collections.abc import Mapping, Sequence
from weakref import WeakSet

from studio.ids import RunId
from studio.runtime.gates.attention import Asked, Attention
from studio.runtime.gates.debug_gate import DebugGate, StepRef
from studio.runtime.values import Resolved
from studio.trace.events import Entry, PolicyDecided

SAME_BREATH = 0.005
"""Seconds before the first step, in which what a window asks of a run along with it arrives."""

MOST_WAITING = 100_000
"""Entries that may wait for a window that is slow to read before steps wait for it."""


class Outbox:
    """Entries for the window: put in by the writer's thread, taken out once a frame.

    Who puts never waits, or the thread that writes for all runs would; steps wait instead, for `room`.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._room = asyncio.Event()
        self._entries: dict[RunId, list[Entry]] = {}
        self._count = 0
        self._paced: WeakSet[Attention] = WeakSet()

    def put(self, entries: Sequence[Entry]) -> None:
        """Add entries; from any thread."""
        with self._lock:
            for entry in entries:
                self._entries.setdefault(entry.run, []).append(entry)
            had_room = self.has_room
            self._count += len(entries)
            if had_room and not self.has_room:
                self._insist(on=True)

    def take(self) -> dict[RunId, list[Entry]]:
        """Give all that waits, by run, and make room."""
        with self._lock:
            if not self.has_room:
                self._insist(on=False)
            taken, self._entries, self._count = self._entries, {}, 0
        self._room.set()
        return taken

    @property
    def has_room(self) -> bool:
        """Whether the window reads as fast as things happen."""
        return self._count < MOST_WAITING

    def pace(self, attention: Attention) -> None:
        """Have all steps that heed this ask their gate while there is no room."""
        with self._lock:
            self._paced.add(attention)
            attention.insist("room", on=not self.has_room)

    def _insist(self, *, on: bool) -> None:
        for one in self._paced:
            one.insist("room", on=on)

    async def room(self) -> None:
        """Wait until the window has read enough."""
        while not self.has_room:
            self._room.clear()
            await self._room.wait()


class PacedGate:
    """The debug gate, with steps no faster than the window can hear of them."""

    def __init__(self, gate: DebugGate, outbox: Outbox) -> None:
        self._gate = gate
        self._outbox = outbox
        self._is_first = True
        gate.attention.insist("first", on=True)
        outbox.pace(gate.attention)

    @property
    def is_open(self) -> bool:
        """Whether nothing is held, the window reads along, and the first step is past."""
        return self._gate.is_open and self._outbox.has_room and not self._is_first

    def asked(self, flow: str = "") -> Asked:
        """Give the nodes whose steps have to ask; all while the window is slow to read."""
        return self._gate.asked(flow)

    def held_seconds(self) -> float:
        """Seconds for which steps were held, as the debug gate counts them."""
        return self._gate.held_seconds()

    async def before(self, ref: StepRef, inputs: dict[str, Resolved]) -> dict[str, Resolved]:
        """Wait for what came along with the start, for the window, and for the debug gate."""
        if self._is_first:
            self._is_first = False
            self._gate.attention.insist("first", on=False)
            await asyncio.sleep(SAME_BREATH)
        await self._outbox.room()
        return await self._gate.before(ref, inputs)

    async def after(self, ref: StepRef, outputs: dict[str, Resolved]) -> dict[str, Resolved]:
        """Wait for the debug gate."""
        return await self._gate.after(ref, outputs)

    async def failed(
        self, ref: StepRef, error: Exception, inputs: Mapping[str, Resolved], *, is_caught: bool
    ) -> dict[str, Resolved] | None:
        """Wait for the debug gate."""
        return await self._gate.failed(ref, error, inputs, is_caught=is_caught)

    async def decided(self, ref: StepRef, decision: PolicyDecided) -> None:
        """Wait for the debug gate."""
        await self._gate.decided(ref, decision)
