"""A script executed against the recording of a run, in a process of its own that has no keys.

Its steps are given what those of the run were given, at the moments at which they were; the clock moves only
when all wait. Nothing outside is reached or changed.
"""

import asyncio
import io
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from studio.app.scripts.check.outside import Watch
from studio.app.scripts.check.play_messages import Act, Played, Recorded, recorded_from_json, to_json
from studio.host.recorded_run import run_recorded
from studio.ids import NodeId
from studio.past.replays import OldRun, Terms, run_again
from studio.runtime.failures import ScriptFailure
from studio.runtime.gates.gate import OpenGate
from studio.runtime.replay.takeover import replayed
from studio.runtime.replay.timetable import Timetable
from studio.runtime.resources.people import NoPeople
from studio.runtime.run import Engine, Outside
from studio.runtime.values import Value
from studio.runtime.virtual_clock import VirtualLoop
from studio.script.execution import drive_of, driven
from studio.script.flow import Flow
from studio.script.lines import line_here, line_of
from studio.script.script_file import flow_of
from studio.script.written_flow import registry
from studio.trace.events import Entry, NodeMet, StepReady, StepStarted
from studio.trace.events.run import Origin
from studio.workspace.project import Project
from studio.workspace.runs import bound


def main(argv: Sequence[str]) -> int:
    """Execute the script that is named; standard input has the recording, standard output what it did."""
    told, path = os.dup(1), Path(argv[0]).resolve()
    recorded = recorded_from_json(sys.stdin.buffer.read())
    sys.dont_write_bytecode = True
    sys.stdin, sys.stdout, sys.stderr = io.StringIO(), io.StringIO(), io.StringIO()
    player = Player(path, recorded)

    def stop(act: Act) -> None:
        _tell(told, replace(player.played(), act=act))

    sys.addaudithook(Watch(path, stop))
    _tell(told, player.play())
    return 0


def _tell(told: int, played: Played) -> None:
    """Say what was done, and end at once: nothing that the script would still do counts."""
    text = to_json(played)
    while text:
        text = text[os.write(told, text) :]
    os._exit(0)


class Player:
    """Executes one script once."""

    def __init__(self, path: Path, recorded: Recorded) -> None:
        self._path = path
        project = Project(Path(recorded.root), "", (), Path(recorded.root) / "flow.json", is_folder=False)
        self._old = OldRun.of(recorded.entries, lambda _: project)
        self._entries: list[Entry] = []
        self._lines: dict[str, int] = {}
        self._broken = ""
        self._line = 0
        self._is_stuck = False
        self._task: asyncio.Task[None] | None = None

    def played(self) -> Played:
        """What it has done so far."""
        return Played(self._entries, self._lines, self._broken, self._line, is_stuck=self._is_stuck)

    def play(self) -> Played:
        """Read and execute it; gives what it did."""
        try:
            flow = flow_of(self._path)
            loop = VirtualLoop(self._stick)
            with asyncio.Runner(loop_factory=lambda: loop) as runner:
                runner.run(self._run(flow))
                loop.on_stuck = None
        except BaseException as error:  # noqa: BLE001  # whatever a script does when it is read
            self._broken = f"{type(error).__name__}: {error}".rstrip(": ")
            self._line = line_of(error, self._path)
            if isinstance(error, SyntaxError):
                self._line = error.lineno or 0
        return self.played()

    async def _run(self, flow: Flow) -> None:
        self._task = asyncio.create_task(self._execute(flow))
        await asyncio.wait([self._task])
        if not self._task.cancelled():
            self._task.result()

    async def _execute(self, flow: Flow) -> None:
        old, known = self._old, registry()
        past = replayed(old.entries, old.flow, bound(known, old.flows))
        past = replace(past, course=Timetable(old.entries))
        given = {name: one.data for name, one in old.started.inputs.items()}
        terms, document = Terms({}, run=old.run, is_kept=False, is_trusted=True), flow.document
        made = run_again(old, known, terms, past, {}, Origin(old.run), flow=document, flows={}, inputs=given)
        spec = replace(made.spec, limits={}, saves_memories=False)
        made = driven(flow, replace(made, spec=spec, outside=Outside(old.project.root)))
        drive = drive_of(flow)

        async def watched(engine: Engine) -> Mapping[NodeId, Value]:
            try:
                return await drive(engine)
            except ScriptFailure as failed:
                self._line = line_of(failed.error, self._path)
                raise

        made = replace(made, drive=watched)
        await run_recorded(made, self._note, lambda _: OpenGate(), NoPeople(old.run))

    def _note(self, entries: Sequence[Entry]) -> None:
        """Take in what happens just now, and in which line."""
        for entry in entries:
            self._entries.append(entry)
            event = entry.event
            if isinstance(event, NodeMet | StepReady | StepStarted):
                name = event.node if isinstance(event, NodeMet) else str(entry.step)
                if name not in self._lines and (line := line_here(self._path)):
                    self._lines[name] = line

    def _stick(self) -> None:
        """End what nothing will bring further."""
        self._is_stuck = True
        if self._task is not None:
            self._task.cancel()
