"""From a run of the past to a run like it: executed again without asking anybody."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from studio.app.chats import Chats
from studio.app.problems import refuse_errors
from studio.app.profiles import choose_profile
from studio.app.project import Project
from studio.app.runs import limits_of
from studio.errors import AnswerMissingError, ProjectError, StoreError
from studio.flow import codec
from studio.flow.records import Flow, Json
from studio.host.recorded import RunMaterials
from studio.ids import RunId
from studio.llm.client import ChatClient
from studio.runtime.edited_gate import EditedGate, Edits, edits_of
from studio.runtime.gate import Gate
from studio.runtime.past import GO_ON, Past
from studio.runtime.recorder import Recorder
from studio.runtime.run import RunSpec
from studio.runtime.takeover import replayed
from studio.sdk.registry import Registry
from studio.store.reader import RunStore
from studio.store.run_ids import new_run_id
from studio.trace.events import Entry, Origin, RunStarted
from studio.trace.redact import redactor


@dataclass(frozen=True, slots=True)
class Again:
    """A run that goes back to an earlier one: what it needs, and the gate that repeats a person's edits."""

    materials: RunMaterials
    make_gate: Callable[[Recorder], Gate]


@dataclass(frozen=True, slots=True)
class OldRun:
    """A run of the store, read whole."""

    run: RunId
    project: Project
    started: RunStarted
    entries: Sequence[Entry]
    flow: Flow

    @staticmethod
    def read(store: RunStore, run: RunId) -> "OldRun":
        """Read it; raises `StoreError` and `ProjectError`."""
        entries = list(store.entries(run))
        first = entries[0].event if entries else None
        if not isinstance(first, RunStarted):
            raise StoreError(
                f"The run `{run}` ended before it began.", hint="There is nothing to go back to."
            )
        project = _project(Path(first.project), store)
        return OldRun(run, project, first, entries, codec.loads(first.flow).flow)

    @property
    def inputs(self) -> dict[str, Json]:
        """What was given; the rest were defaults."""
        return {name: one.data for name, one in self.started.inputs.items() if "user" in one.labels}


def prepare_replay(
    old: OldRun, registry: Registry, *, environ: Mapping[str, str], is_live: bool = False
) -> Again:
    """Make ready to execute a run again; with `is_live`, what has no answer is asked."""
    refuse_errors(old.flow, registry)
    past = replayed(old.entries, old.flow, registry, is_live=is_live)
    edits = edits_of(old.entries, old.flow)
    return run_again(old, registry, past, edits, environ=environ, origin=Origin(old.run))


def run_again(
    old: OldRun,
    registry: Registry,
    past: Past,
    edits: Edits,
    *,
    environ: Mapping[str, str],
    origin: Origin,
    inputs: Mapping[str, Json] | None = None,
) -> Again:
    """Put together a new run that goes back to `old`; unless it is live, it has no chat client."""
    chosen = None
    if past.is_live and old.started.profile:
        chosen = choose_profile(old.project, old.started.profile, environ, offline=False)
    chats = Chats(old.project, chosen, environ)
    name = new_run_id(time.time)
    given = {**old.inputs, **(inputs or {})}
    limits = limits_of(old.project, old.flow, {})
    spec = RunSpec(name, old.flow, given, old.started.profile, str(old.project.root), origin, limits=limits)
    materials = RunMaterials(
        spec,
        registry,
        chats if past.is_live else _nobody,
        old.project.root,
        RunStore(old.project.private).new_run_path(name),
        redactor(chats.secrets),
        chats.close,
        past,
    )
    return Again(materials, lambda recorder: EditedGate(recorder, edits, old.flow, registry))


def _nobody(profile: str) -> ChatClient:
    message = f"The chat profile `{profile}` is not asked in a replay."
    raise AnswerMissingError(message, hint=GO_ON)


def _project(root: Path, store: RunStore) -> Project:
    """The project of a run; one that moved is where its runs are."""
    home = store.root.parent
    folder = root if (root / store.root.name).resolve() == store.root.resolve() else home
    try:
        return Project.open(folder)
    except ProjectError:
        return Project(folder, folder.name, (), folder / "flow.json", is_folder=False)
