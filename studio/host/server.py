"""The host's side: starts runs, hands out their entries in batches, passes on what a person decides."""

import asyncio
import os
import socket
from collections.abc import Callable, Mapping

from pydantic import ValidationError

from studio.errors import StepwireError
from studio.host.host_door import HostDoor
from studio.host.outbox import Outbox, PacedGate
from studio.host.people import FormsOnScreen
from studio.host.protocol import (
    Asked,
    AttachRun,
    CancelRun,
    HostReady,
    Resume,
    ResumeRun,
    RunDue,
    RunEnded,
    RunRefused,
    SetBreakpoints,
    StartRun,
    read_asked,
)
from studio.host.recorded_run import RunMaterials, run_recorded
from studio.host.run_in_hand import RunInHand
from studio.host.talk import Speaker, hear
from studio.ids import RunId
from studio.runtime.gates.debug_gate import DebugGate, Gate
from studio.runtime.recorder import Recorder
from studio.runtime.resources.people import GivenAnswers
from studio.runtime.run import Control
from studio.sdk.code import CodeBox
from studio.store.run_files.committer import Committer

Prepare = Callable[[StartRun], RunMaterials]
"""Checks and opens what a run needs; raises `StepwireError`."""

First = Callable[[StartRun], Callable[[], None] | None]
"""What has to be done before that and may take long, as asking the user for a password; usually nothing."""


class HostServer:
    """Serves one window over one connection, and ends with it; what people were asked then stays open."""

    def __init__(
        self,
        prepare: Prepare,
        box: CodeBox | None = None,
        first: First = lambda _: None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        """Make it; where the `environ` says where sockets may be, its runs can be stopped from terminals."""
        self._prepare = prepare
        self._environ = environ
        self._box = box
        self._first = first
        self._coming: dict[RunId, list[Asked]] = {}
        """Runs that wait for what comes first, with what they were asked meanwhile."""
        self._opening: set[asyncio.Task[None]] = set()
        self._runs: dict[RunId, RunInHand] = {}
        self._outbox = Outbox()
        self._committer = Committer()
        self._speaker = Speaker(self._outbox)
        self._say = self._speaker.say

    async def serve(self, connection: socket.socket) -> None:
        """Serve until the window closes the connection; runs that still go are put aside then."""
        reader, writer = await asyncio.open_connection(sock=connection)
        self._say(HostReady(os.getpid()))
        try:
            async with asyncio.TaskGroup() as group:
                speaking = group.create_task(self._speaker.speak(writer))
                try:
                    await self._listen(reader, group)
                finally:
                    for live in self._runs.values():
                        live.put_aside()
                    for opening in self._opening:
                        opening.cancel()
                    speaking.cancel()
        finally:
            writer.close()
            self._committer.close()

    async def _listen(self, reader: asyncio.StreamReader, group: asyncio.TaskGroup) -> None:
        while True:
            body = await hear(reader)
            if body is None:
                return
            try:
                asked = read_asked(body)
            except ValidationError as error:
                self._say(RunRefused(RunId(""), f"The host was asked something it does not know: {error}"))
                continue
            if not isinstance(asked, StartRun):
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
        self, first: Callable[[], None], start: StartRun, group: asyncio.TaskGroup
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

    def _start(self, start: StartRun, group: asyncio.TaskGroup) -> None:
        try:
            materials = self._prepare(start)
        except StepwireError as error:
            self._say(RunRefused(start.run, error.message, error.hint, type(error).__name__))
            self._say(RunEnded(start.run))
            return
        except Exception as error:  # noqa: BLE001  # one flow must not end the runs of the others
            self._say(_unforeseen(start.run, error))
            self._say(RunEnded(start.run))
            return
        people = FormsOnScreen(start.run)
        live = RunInHand(materials.spec.flow, materials.registry, materials.attend, people)
        self._runs[start.run] = live
        live.task = group.create_task(self._run(start, live, people, materials))
        if self._environ is not None:
            door = group.create_task(HostDoor(materials, live).serve(self._environ))
            live.task.add_done_callback(lambda _: door.cancel())

    async def _run(
        self, start: StartRun, live: RunInHand, people: FormsOnScreen, materials: RunMaterials
    ) -> None:
        run = start.run

        def make_gate(recorder: Recorder) -> Gate:
            gate = live.gate = _gate_of(start, recorder)
            self._speaker.count(run, lambda: gate.hits)
            return PacedGate(gate, self._outbox)

        def tell_due(left: float | None, _limit: float) -> None:
            self._speaker.say_now(RunDue(run, left))

        try:
            await run_recorded(
                materials,
                self._outbox.put,
                make_gate,
                GivenAnswers(start.past.answers, people) if isinstance(start.past, Resume) else people,
                committer=self._committer,
                control=Control(live.stops, live.allowance, tell_due),
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
            self._speaker.count_no_more(run)
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
        if live is None or isinstance(asked, StartRun | AttachRun):
            self._say(RunRefused(asked.run, "This run is over."))
            return
        try:
            live.do(asked)
        except StepwireError as error:
            self._say(RunRefused(asked.run, error.message, error.hint))
        except Exception as error:  # noqa: BLE001  # nor must what is asked of it
            self._say(_unforeseen(asked.run, error))


def _gate_of(start: StartRun, recorder: Recorder) -> DebugGate:
    """The gate of a run as its start asks for it."""
    holding = start.holding
    return DebugGate(recorder, holding.breakpoints, hold_first=holding.first, hold_at=holding.at)


def _unforeseen(run: RunId, error: Exception) -> RunRefused:
    return RunRefused(run, f"Something that nobody foresaw: {type(error).__name__}: {error}".rstrip(": "))
