"""What a system of the gallery is in figures, and whether its claims hold: each run is made once."""

import asyncio
import json
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from studio.app.gallery.claim_checks import SeenRun, failures
from studio.app.gallery.claims import Claim
from studio.app.gallery.records import Exhibit
from studio.app.projects.copies import copy_project
from studio.app.scripts.flow_export import script_of
from studio.errors import FlowFileError
from studio.flow.records import Json
from studio.flow.subflows.calls import reachable
from studio.trace.events import Entry
from studio.trace.fold.chat_use import total
from studio.trace.fold.state import RunState
from studio.workspace.catalog import builtin_registry
from studio.workspace.problems import errors_by_line, read_flow
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


class SystemRuns:
    """Runs of a copy of a system on its scripted answers, each made once; close it at the end."""

    def __init__(self, exhibit: Exhibit) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="stepwire-")
        self.exhibit = exhibit
        self.project = copy_project(exhibit.folder, Path(self._folder.name))
        self.registry = project_registry(self.project, builtin_registry())
        self._known: dict[str, SeenRun] = {}

    @property
    def main_flow(self) -> Path:
        """The flow that shows the system, in the copy."""
        own = self.exhibit.record.flow
        return self.project.root / own if own else self.project.main_flow

    def seen(self, flow: str = "", inputs: Mapping[str, Json] | None = None) -> SeenRun:
        """Run a flow of it (its own one) to its end.

        Raises `UsageError` where that cannot begin, with file and line where the flow is at fault.
        """
        key = json.dumps([flow, inputs or {}], sort_keys=True)
        if key not in self._known:
            path = self.project.root / flow if flow else self.main_flow
            given = inputs or {}
            if wrong := errors_by_line(path, self.registry):
                raise FlowFileError(f"`{self.exhibit.folder / path.name}` cannot run.", wrong)
            materials = prepare(
                self.project,
                read_flow(path).flow,
                self.registry,
                environ={},
                inputs=given,
                offline=True,
                is_trusted=True,
                pace=0,
            )
            entries: list[Entry] = []
            state = asyncio.run(run_here(materials, listener=lambda batch, _: entries.extend(batch)))
            self._known[key] = SeenRun(state, entries)
        return self._known[key]

    def failures(self, claim: Claim) -> list[str]:
        """What a claim expects and its run does not show."""
        return list(failures(claim, self.seen(claim.flow, claim.inputs)))

    def figures(self) -> Figures:
        """How large the system is, and what its main run does; raises `UsageError` and `ExportError`."""
        flow = read_flow(self.main_flow).flow
        state = self.seen().state
        script = script_of(self.main_flow).text
        nodes = sum(len(one.nodes) for one in (flow, *reachable(flow, self.registry).values()))
        return _counted(state, nodes, script.splitlines())

    def close(self) -> None:
        """Take the copy away."""
        self._folder.cleanup()


def _counted(state: RunState, nodes: int, script: Iterable[str]) -> Figures:
    use = total(state.uses.values())
    return Figures(
        nodes,
        len(state.steps),
        use.answers,
        use.input + use.output,
        state.worked() or 0.0,
        sum(bool(line.strip()) for line in script),
        state.error.message if state.error is not None else "",
    )
