"""Where windows of the same user come to a run at a terminal, to follow and to hold it."""

import asyncio
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from types import TracebackType
from typing import TYPE_CHECKING, Self

from studio.host.doorway import Doorway
from studio.host.late_gate import LateGate
from studio.host.people import JointPeople
from studio.host.recorded_run import RunMaterials
from studio.ids import StepId
from studio.runtime.gates.debug_gate import DebugGate, Gate
from studio.runtime.limits.allowance import Allowance
from studio.runtime.limits.cancellations import Stops
from studio.runtime.recorder import Recorder
from studio.runtime.resources.people import People
from studio.trace.events import Entry, TextStreamed

if TYPE_CHECKING:
    from studio.host.visit import Visit


Spoken = tuple[StepId, StepId, str]
"""A call under way, the step that made it, and what was answered so far."""


class News(StrEnum):
    """What the terminal of a run may say of windows."""

    CAME = "came"
    LEFT = "left"
    ANSWERED = "answered"


class Door:
    """The door of one run, opened around its execution.

    One window at a time may hold the run. While none does, nothing is held, limits end the run, and
    questions are answered here or not at all; when it leaves, all that it held goes on. `tell` hears of it on
    the run's loop.
    """

    def __init__(
        self,
        materials: RunMaterials,
        people: People,
        environ: Mapping[str, str],
        tell: Callable[[News], None] = lambda _: None,
        spoken: Callable[[], Sequence[Spoken]] = tuple,
    ) -> None:
        """Make it; `spoken` gives what calls under way have said so far, which is in no file yet."""
        self.people = JointPeople(people, lambda: tell(News.ANSWERED))
        self.allowance = Allowance(lambda: asyncio.get_running_loop().time())
        self.allowance.withdraw()
        self.stops = Stops()
        self.was_stopped = False
        """Whether somebody stopped the run from elsewhere."""
        self._materials = materials
        self._way = Doorway(materials.store, environ, self._receive)
        self._tell = tell
        self._spoken = spoken
        self._lock = threading.Lock()
        self._published = materials.earlier.entries[-1].number if materials.earlier.entries else 0
        self._inside: Visit | None = None
        self._gate: asyncio.Future[LateGate] | None = None
        self._task: asyncio.Task[object] | None = None
        self._is_over = False

    async def __aenter__(self) -> Self:
        self._task = asyncio.current_task()
        self._gate = asyncio.get_running_loop().create_future()
        await self._way.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over = True
        await self._way.__aexit__(kind, error, trace)

    def make_gate(self, recorder: Recorder) -> Gate:
        """Give the gate of the run, which begins now."""
        gate = LateGate(lambda attention: DebugGate(recorder, attention=attention))
        if self._gate is not None:
            self._gate.set_result(gate)
        return gate

    def publish(self, entries: Sequence[Entry]) -> None:
        """Tell the window what is on disk now; on the writer's thread, which never waits for a window."""
        with self._lock:
            self._published = entries[-1].number
            inside = self._inside
        if inside is not None:
            inside.outbox.put(entries)
            if not inside.outbox.has_room and self._task is not None:
                self._task.get_loop().call_soon_threadsafe(inside.drop)

    def is_in(self, visit: "Visit") -> bool:
        """Whether this is the window that follows the run."""
        return self._inside is visit

    def enter(self, visit: "Visit") -> int | None:
        """Let a window follow the run; gives the number of the last entry before, None where one is in."""
        if self._inside is not None:
            return None
        self.allowance.offer()
        self.people.come()
        with self._lock:
            published = self._published
            visit.outbox.put(
                [
                    Entry(self._materials.spec.run, published, step, parent, time.time(), TextStreamed(text))
                    for step, parent, text in (self._spoken() if published else ())
                ]
            )
            self._inside = visit
        self._tell(News.CAME)
        return published

    def leave(self, visit: "Visit") -> None:
        """Note that a connection is over; whatever its window held goes on."""
        if self._inside is not visit:
            return
        with self._lock:
            self._inside = None
        if self._is_over or self._gate is None:
            return  # nothing is held any more
        gate = self._gate.result().wake()
        gate.set_breakpoints(())
        gate.let_others(go_on=False)
        gate.run_to("")
        self._materials.attend(False)  # a callback of one flag
        self.allowance.withdraw()
        self.people.leave()
        self._tell(News.LEFT)

    def stop(self) -> None:
        """Stop the run: somebody asked for it from elsewhere."""
        self.was_stopped = True
        if self._task is not None:
            self._task.cancel()

    async def _receive(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from studio.host.run_in_hand import RunInHand
        from studio.host.visit import Visit

        if self._gate is None:
            return
        gate = (await self._gate).wake()
        spec, registry, attend = self._materials.spec, self._materials.registry, self._materials.attend
        hand = RunInHand(spec.flow, registry, attend, self.people, allowance=self.allowance, stops=self.stops)
        hand.gate = gate
        await Visit(self, spec.run, hand, writer).serve(reader)
