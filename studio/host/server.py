"""The host's side: starts runs, hands out their entries in batches, passes on what a person decides."""

import asyncio
import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import assert_never

from pydantic import ValidationError

from studio.errors import StepwireError, UsageError
from studio.flow.records import Json
from studio.host.protocol import (
    LARGEST_FRAME,
    LENGTH,
    AnswerForm,
    Asked,
    CancelRun,
    CancelStep,
    Entries,
    HoldRun,
    HostReady,
    RaiseLimit,
    ReleaseStep,
    ResumeRun,
    RunAgain,
    RunEnded,
    RunRefused,
    Said,
    SetBreakpoints,
    StartRun,
    StepOn,
    frame,
    read_asked,
)
from studio.host.recorded import RunMaterials, run_recorded
from studio.ids import RunId, StepId
from studio.runtime.allowance import Allowance
from studio.runtime.edits import read_edits
from studio.runtime.gate import DebugGate, Gate, Stepping, StepRef
from studio.runtime.recorder import Recorder
from studio.runtime.stops import Stops
from studio.runtime.values import Resolved
from studio.sdk.code import CodeBox
from studio.sdk.context import Form
from studio.store.committer import Committer
from studio.trace.events import Entry

FRAME_SECONDS = 1 / 60
"""How long entries are gathered into one batch."""

SAME_BREATH = 0.005
"""Seconds before the first step, in which what a window asks of a run along with it arrives."""

MOST_WAITING = 100_000
"""Entries that may wait for a window that is slow to read before steps wait for it."""

MOST_IN_FRAME = 2_000
"""Entries in one frame, so that neither side is busy with one for long."""

Prepare = Callable[[StartRun | RunAgain], RunMaterials]
"""Checks and opens what a run needs; raises `StepwireError`."""

First = Callable[[StartRun | RunAgain], Callable[[], None] | None]
"""What has to be done before that and may take long, as asking the user for a password; usually nothing."""


class FormsOnScreen:
    """Asks the person at the window; the answers come over the protocol."""

    def __init__(self) -> None:
        self._waiting: dict[StepId, asyncio.Future[Mapping[str, object]]] = {}

    async def ask(self, step: StepId, form: Form) -> Mapping[str, object]:
        """Wait until `answer` is called for `step`."""
        del form
        future: asyncio.Future[Mapping[str, object]] = asyncio.get_running_loop().create_future()
        self._waiting[step] = future
        try:
            return await future
        finally:
            self._waiting.pop(step, None)

    def answer(self, step: StepId, answer: Mapping[str, object]) -> bool:
        """Give the answer; False when nobody waits for it."""
        future = self._waiting.get(step)
        if future is None or future.done():
            return False
        future.set_result(answer)
        return True


class _Outbox:
    """Entries on their way to the window: put in by the writer's thread, taken out once a frame.

    Who puts never waits, or the thread that writes for all runs would; steps wait instead, for `room`.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._room = asyncio.Event()
        self._entries: dict[RunId, list[Entry]] = {}
        self._count = 0

    def put(self, entries: Sequence[Entry]) -> None:
        with self._lock:
            for entry in entries:
                self._entries.setdefault(entry.run, []).append(entry)
            self._count += len(entries)

    def take(self) -> dict[RunId, list[Entry]]:
        with self._lock:
            taken, self._entries, self._count = self._entries, {}, 0
        self._room.set()
        return taken

    @property
    def has_room(self) -> bool:
        return self._count < MOST_WAITING

    async def room(self) -> None:
        while not self.has_room:
            self._room.clear()
            await self._room.wait()


class _PacedGate:
    """The debug gate, with steps no faster than the window can hear of them."""

    def __init__(self, gate: DebugGate, outbox: _Outbox) -> None:
        self._gate = gate
        self._outbox = outbox
        self._is_first = True

    @property
    def is_open(self) -> bool:
        return self._gate.is_open and self._outbox.has_room and not self._is_first

    def held_seconds(self) -> float:
        return self._gate.held_seconds()

    async def before(self, ref: StepRef, inputs: dict[str, Resolved]) -> dict[str, Resolved]:
        if self._is_first:
            self._is_first = False
            await asyncio.sleep(SAME_BREATH)
        await self._outbox.room()
        return await self._gate.before(ref, inputs)

    async def after(self, ref: StepRef, outputs: dict[str, Resolved]) -> dict[str, Resolved]:
        return await self._gate.after(ref, outputs)


class _LiveRun:
    """One run of this host, with what a window may do to it."""

    def __init__(self, start: StartRun | RunAgain, materials: RunMaterials, outbox: _Outbox) -> None:
        self.people = FormsOnScreen()
        self.allowance = Allowance(time.monotonic)
        self.stops = Stops()
        self.task: asyncio.Task[None] | None = None
        self._start = start
        self._materials = materials
        self._outbox = outbox
        self._gate: DebugGate | None = None

    @property
    def gate(self) -> DebugGate:
        if self._gate is None:
            raise UsageError("The run has not begun.")
        return self._gate

    def make_gate(self, recorder: Recorder) -> Gate:
        start = self._start
        hold_at = start.hold_at if isinstance(start, RunAgain) else ""
        self._gate = DebugGate(recorder, start.breakpoints, hold_first=start.hold_first, hold_at=hold_at)
        return _PacedGate(self._gate, self._outbox)

    def attend(self, *, is_attended: bool) -> None:
        """Note whether somebody goes through the run and waits for each of its steps."""
        self._materials.attend(is_attended)

    def cancel_step(self, name: str) -> None:
        """Cancel a step, a round or an item; raises `UsageError` when nothing of it is at work."""
        if not self.stops.cancel(name):
            raise UsageError(f"Nothing of `{name}` is at work now, so it cannot be cancelled.")

    def values(self, step: StepId | None, edited: Mapping[str, Json]) -> Mapping[str, Resolved]:
        """Edited values of a held step, the longest waiting by default; raises `StepwireError`."""
        if not edited:
            return {}
        chosen = step or next((ref.step for ref in self.gate.held), StepId(""))
        phase = self.gate.phase(chosen)
        if phase is None:
            raise UsageError(f"The step `{chosen}` is not held any more, so its values cannot be edited.")
        flow, registry = self._materials.spec.flow, self._materials.registry
        return read_edits(flow, registry, chosen, phase, edited, self.gate.schema(chosen))


class HostServer:
    """Serves one window over one connection, and ends with it."""

    def __init__(self, prepare: Prepare, box: CodeBox | None = None, first: First = lambda _: None) -> None:
        self._prepare = prepare
        self._box = box
        self._first = first
        self._coming: dict[RunId, list[Asked]] = {}
        """Runs that wait for what comes first, with what they were asked meanwhile."""
        self._opening: set[asyncio.Task[None]] = set()
        self._runs: dict[RunId, _LiveRun] = {}
        self._outbox = _Outbox()
        self._committer = Committer()
        self._said: list[Said] = []

    async def serve(self, connection: socket.socket) -> None:
        """Serve until the window closes the connection; runs that still go are cancelled then."""
        reader, writer = await asyncio.open_connection(sock=connection)
        self._say(HostReady(os.getpid()))
        try:
            async with asyncio.TaskGroup() as group:
                speaking = group.create_task(self._speak(writer))
                try:
                    await self._listen(reader, group)
                finally:
                    for live in self._runs.values():
                        if live.task is not None:
                            live.task.cancel()
                    for opening in self._opening:
                        opening.cancel()
                    speaking.cancel()
        finally:
            writer.close()
            self._committer.close()

    async def _listen(self, reader: asyncio.StreamReader, group: asyncio.TaskGroup) -> None:
        while True:
            try:
                (length,) = LENGTH.unpack(await reader.readexactly(LENGTH.size))
                if length > LARGEST_FRAME:
                    return
                body = await reader.readexactly(length)
            except (asyncio.IncompleteReadError, ConnectionError):
                return
            try:
                asked = read_asked(body)
            except ValidationError as error:
                self._say(RunRefused(RunId(""), f"The host was asked something it does not know: {error}"))
                continue
            if not isinstance(asked, StartRun | RunAgain):
                self._do(asked)
            elif (first := self._first(asked)) is not None:
                self._coming[asked.run] = []
                opening = group.create_task(self._start_after(first, asked, group))
                self._opening.add(opening)
                opening.add_done_callback(self._opening.discard)
            else:
                self._start(asked, group)
                await asyncio.sleep(0)  # so that the run has begun before anything is done to it

    async def _start_after(
        self, first: Callable[[], None], start: StartRun | RunAgain, group: asyncio.TaskGroup
    ) -> None:
        """Start a run when what comes first is done, unless it was cancelled meanwhile."""
        await asyncio.to_thread(first)
        asked = self._coming.get(start.run)
        if asked is None:
            return
        self._start(start, group)
        await asyncio.sleep(0)  # what is asked until the run has begun is kept as well
        self._coming.pop(start.run, None)
        for one in asked:
            self._do(one)

    def _start(self, start: StartRun | RunAgain, group: asyncio.TaskGroup) -> None:
        try:
            materials = self._prepare(start)
        except StepwireError as error:
            self._say(RunRefused(start.run, error.message, error.hint))
            self._say(RunEnded(start.run))
            return
        except Exception as error:  # noqa: BLE001  # one flow must not end the runs of the others
            self._say(_unforeseen(start.run, error))
            self._say(RunEnded(start.run))
            return
        live = self._runs[start.run] = _LiveRun(start, materials, self._outbox)
        live.task = group.create_task(self._run(start.run, live, materials))

    async def _run(self, run: RunId, live: _LiveRun, materials: RunMaterials) -> None:
        try:
            await run_recorded(
                materials,
                self._outbox.put,
                live.make_gate,
                live.people,
                committer=self._committer,
                allowance=live.allowance,
                stops=live.stops,
                box=self._box,
            )
        except asyncio.CancelledError:
            pass
        except StepwireError as error:
            self._say(RunRefused(run, error.message, error.hint))
        except Exception as error:  # noqa: BLE001  # one run must not end the others
            self._say(_unforeseen(run, error))
        finally:
            self._runs.pop(run, None)
            self._say(RunEnded(run))

    def _do(self, asked: Asked) -> None:
        coming = self._coming.get(asked.run)
        if coming is not None and not isinstance(asked, CancelRun):
            coming.append(asked)
            return
        live = self._runs.get(asked.run)
        if coming is not None and live is None:
            del self._coming[asked.run]
            self._say(RunEnded(asked.run))
            return
        if live is None and isinstance(asked, ResumeRun | SetBreakpoints):
            return  # nothing is held in a run that is over, so there is nothing to say
        if live is None or isinstance(asked, StartRun | RunAgain):
            self._say(RunRefused(asked.run, "This run is over."))
            return
        try:
            if isinstance(asked, RaiseLimit):
                live.allowance.allow(asked.node, asked.limit, asked.amount)
            else:
                self._do_to(live, asked)
        except StepwireError as error:
            self._say(RunRefused(asked.run, error.message, error.hint))
        except Exception as error:  # noqa: BLE001  # nor must what is asked of it
            self._say(_unforeseen(asked.run, error))

    def _do_to(
        self,
        live: _LiveRun,
        asked: SetBreakpoints
        | HoldRun
        | ResumeRun
        | ReleaseStep
        | StepOn
        | CancelRun
        | CancelStep
        | AnswerForm,
    ) -> None:
        match asked:
            case SetBreakpoints():
                live.gate.set_breakpoints(asked.breakpoints)
            case HoldRun():
                live.attend(is_attended=True)
                live.gate.hold()
            case ResumeRun():
                live.attend(is_attended=False)
                live.gate.resume(asked.step, live.values(asked.step, asked.edited))
            case ReleaseStep():
                live.gate.release(asked.step, live.values(asked.step, asked.edited))
            case StepOn():
                live.attend(is_attended=True)
                edited = live.values(asked.step, asked.edited)
                live.gate.step(asked.step, Stepping(asked.how), edited)
            case CancelRun():
                if live.task is not None:
                    live.task.cancel()
            case CancelStep():
                live.cancel_step(asked.step)
            case AnswerForm():
                live.people.answer(asked.step, asked.answer)
            case _:
                assert_never(asked)

    def _say(self, said: Said) -> None:
        self._said.append(said)

    async def _speak(self, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while True:
                said, self._said = self._said, []
                for run, entries in self._outbox.take().items():
                    for start in range(0, len(entries), MOST_IN_FRAME):
                        batch = entries[start : start + MOST_IN_FRAME]
                        writer.write(frame(Entries(run, tuple(batch))))
                        await writer.drain()
                for one in said:
                    writer.write(frame(one))
                await writer.drain()
                await asyncio.sleep(FRAME_SECONDS)


def _unforeseen(run: RunId, error: Exception) -> RunRefused:
    return RunRefused(run, f"Something that nobody foresaw: {type(error).__name__}: {error}".rstrip(": "))
