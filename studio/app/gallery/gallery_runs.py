"""What a system of the gallery is in figures: one run of it on its scripted answers, and its script."""

import asyncio
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from studio.app.gallery.records import Exhibit
from studio.app.projects.copies import copy_project
from studio.app.scripts.flow_export import script_of
from studio.flow.subflows.calls import reachable
from studio.trace.fold.chat_use import total
from studio.trace.fold.state import RunState
from studio.workspace.catalog import builtin_registry
from studio.workspace.problems import read_flow
from studio.workspace.project_flows import project_registry
from studio.workspace.runs import prepare, run_here


@dataclass(frozen=True, slots=True)
class Figures:
    """How large a system is, and what a run of it does; no run of it costs anything."""

    nodes: int
    """Of its flow, and of those that this calls."""
    steps: int
    """Of nodes, and the calls of chats, tools and agents within them: all that can be stepped through."""
    chats: int
    """Answers of language models."""
    tokens: int
    """In and out, as scripted answers count them."""
    seconds: float
    """From the first event to the last, without waiting for answers: these are there at once."""
    lines: int
    """Of the exported script that are not empty."""
    error: str = ""
    """What ended the run, where it failed."""


def figures_of(exhibit: Exhibit) -> Figures:
    """Run a copy of the system to its end; raises `UsageError` and `ExportError` where it cannot."""
    with tempfile.TemporaryDirectory(prefix="stepwire-") as folder:
        project = copy_project(exhibit.folder, Path(folder))
        flow = read_flow(project.main_flow).flow
        registry = project_registry(project, builtin_registry())
        materials = prepare(project, flow, registry, environ={}, offline=True, pace=0)
        began = time.perf_counter()
        state = asyncio.run(run_here(materials))
        seconds = time.perf_counter() - began
        script = script_of(project.main_flow).text
        nodes = sum(len(one.nodes) for one in (flow, *reachable(flow, registry).values()))
    return _counted(state, nodes, seconds, script.splitlines())


def _counted(state: RunState, nodes: int, seconds: float, script: Iterable[str]) -> Figures:
    use = total(state.uses.values())
    return Figures(
        nodes,
        len(state.steps),
        use.answers,
        use.input + use.output,
        seconds,
        sum(bool(line.strip()) for line in script),
        state.error.message if state.error is not None else "",
    )
