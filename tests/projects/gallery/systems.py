"""The systems of the gallery, each run once on its scripted answers for all that is asked about it."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studio.app.projects.copies import copy_project
from studio.flow.records import Flow
from studio.past.replays import OldRun
from studio.places import gallery_projects
from studio.runtime.gates.debug_gate import DebugGate, Stepping
from studio.runtime.recorder import Recorder
from studio.sdk.registry import Registry
from studio.store.reader import RunStore
from studio.trace.events import Entry, StepHeld
from studio.trace.fold.state import RunState, StepState
from studio.workspace.catalog import builtin_registry
from studio.workspace.files import load_flow
from studio.workspace.project import Project
from studio.workspace.project_flows import project_registry
from studio.workspace.runs import prepare, run_here
from tests.trusted import HERE

SYSTEMS = list(gallery_projects())


@dataclass(frozen=True)
class System:
    """A copy of a system's project, and the run of its main flow in it."""

    source: Path
    project: Project
    flow: Flow
    registry: Registry
    state: RunState
    entries: Sequence[Entry]
    file: str = ""
    """The flow that was run; the main one, where it is empty."""

    @property
    def old(self) -> OldRun:
        """The run as the store has it."""
        store = RunStore(self.project.private)
        return OldRun.read(store, self.state.run)


def copied(folder: Path, into: Path) -> Project:
    """Copy a system with its parts, and without what earlier runs left in it."""
    return copy_project(folder, into)


async def ran(
    folder: Path,
    into: Path,
    inputs: Mapping[str, Any] | None = None,
    *,
    is_stepped: bool = False,
    file: str = "",
) -> System:
    """Run a flow of a copy (the main one) to its end, with `is_stepped` from step into step."""
    project = copied(folder, into)
    flow = load_flow(project.root / file if file else project.main_flow).flow
    registry = project_registry(project, builtin_registry())
    entries: list[Entry] = []
    gates: list[DebugGate] = []
    loop = asyncio.get_running_loop()  # entries are published on the thread that writes them

    def listen(batch: Sequence[Entry], _: RunState) -> None:
        entries.extend(batch)
        for entry in batch:
            if isinstance(entry.event, StepHeld):
                loop.call_soon_threadsafe(gates[0].step, entry.step, Stepping.INTO)

    def make_gate(recorder: Recorder) -> DebugGate:
        gates.append(DebugGate(recorder, hold_first=is_stepped))
        return gates[0]

    materials = prepare(project, flow, registry, environ=HERE, inputs=inputs or {}, offline=True, pace=0)
    state = await run_here(materials, listener=listen, make_gate=make_gate)
    return System(folder, project, flow, registry, state, entries, file)


def turns_of(state: RunState, step: str) -> list[StepState]:
    """The calls of a step, in order: the turns of its agents, its chats and tools."""
    return [state.steps[name] for name in state.order if state.steps[name].parent == step]


def speakers(state: RunState, step: str) -> list[str]:
    """Whom a step let speak, or which tools it called, in order."""
    return [one.tool for one in turns_of(state, step) if one.tool]
