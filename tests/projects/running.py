"""Runs an example in a copy of its own, on its scripted answers, at once."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from studio.places import example_projects, projects
from studio.runtime.gates.debug_gate import Gate, OpenGate
from studio.runtime.recorder import Recorder
from studio.runtime.resources.people import People
from studio.trace.fold.state import RunState
from studio.workspace.catalog import builtin_registry
from studio.workspace.files import load_flow
from studio.workspace.project import Project
from studio.workspace.project_flows import project_registry
from studio.workspace.runs import prepare, run_here
from tests.trusted import HERE

SHOWN = [folder for folder in example_projects() if not (folder / "gallery.json").is_file()]
"""Those that show the studio; what holds for systems of the gallery stands in `gallery/test_all.py`."""

IGNORED = shutil.ignore_patterns(".stepwire", "out", "memories")


def copied(name: str, into: Path) -> Project:
    """Copy an example without what earlier runs left in it."""
    return Project.open(Path(shutil.copytree(projects() / name, into / name, ignore=IGNORED)))


async def ran(
    project: Project,
    inputs: Mapping[str, str | int] | None = None,
    make_gate: Callable[[Recorder], Gate] = lambda _: OpenGate(),
    people: People | None = None,
) -> RunState:
    """Run the main flow to its end."""
    flow = load_flow(project.main_flow).flow
    registry = project_registry(project, builtin_registry())
    materials = prepare(project, flow, registry, environ=HERE, inputs=inputs or {}, offline=True, pace=0)
    return await run_here(materials, make_gate=make_gate, people=people)


def steps(state: RunState, status: str = "done") -> list[str]:
    """The names of the nodes' own steps that ended so, in order of appearance."""
    return [
        str(name) for name in state.order if not state.steps[name].call and state.steps[name].status == status
    ]
