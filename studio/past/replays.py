"""From a run of the past to a run like it: executed again without asking anybody."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path

from studio.errors import AnswerMissingError, ProjectError, StoreError, UsageError
from studio.flow.edits.divergence import renamed_step, under_new_names
from studio.flow.files import codec
from studio.flow.records import Flow, Json
from studio.host.recorded_run import Earlier, RunMaterials
from studio.ids import NodeId, RunId, StepId, own_step
from studio.llm.client import ChatClient
from studio.llm.rate_limits.queue import ChatQueues
from studio.runtime.gates.edited_gate import Edits, edits_of
from studio.runtime.gates.faults import Fault, faults_from_json, faults_to_json, renamed, still_placed
from studio.runtime.plans.pinned_plan import Pins
from studio.runtime.replay.past import GO_ON, Past
from studio.runtime.replay.takeover import replayed
from studio.runtime.run import About, RunSpec
from studio.sdk.registry import Registry
from studio.store.reader import RunStore
from studio.store.run_ids import new_run_id
from studio.trace.events import Entry, RunStarted
from studio.trace.events.run import Origin, ScriptFile
from studio.trace.redact import HIDDEN
from studio.workspace.chats import Chats
from studio.workspace.problems import refuse_errors
from studio.workspace.profiles import choose_profile
from studio.workspace.project import Project
from studio.workspace.runs import bound, equipped, limits_of
from studio.workspace.secrets import Secrets
from studio.workspace.trust import require_trust


@dataclass(frozen=True, slots=True)
class Terms:
    """On what terms a run goes back to an earlier one.

    With `is_live`, what has no answer is asked, of the chat profile `profile` (empty: of the earlier run's).
    With `repeats`, side effects in doubt are done again; of a run that goes on, only those of the steps
    `repeated`, and those of the steps `happened` count as done. `run` is the new run's name, made up where
    empty.
    """

    environ: Mapping[str, str]
    is_live: bool = False
    repeats: bool = False
    profile: str = ""
    limits: Mapping[str, float] = field(default_factory=dict[str, float])
    run: RunId | None = None
    repeated: frozenset[StepId] = frozenset()
    happened: frozenset[StepId] = frozenset()
    queues: ChatQueues | None = None
    """The turns of chat profiles that it shares with other runs."""
    keys: Secrets | None = None
    client: ChatClient | None = None
    """What answers in the place of every profile."""
    is_kept: bool = True
    """Whether the new run is kept among those of the project."""
    is_trusted: bool = False
    """Whether what it executes was looked at by whoever calls: see `studio.workspace.trust`."""


@dataclass(frozen=True, slots=True)
class OldRun:
    """A run of the store, read whole."""

    run: RunId
    project: Project
    started: RunStarted
    entries: Sequence[Entry]
    flow: Flow
    flows: Mapping[str, Flow] = field(default_factory=dict[str, Flow])
    """The flows that it might call, by name, as they were."""

    @staticmethod
    def read(store: RunStore, run: RunId, script: ScriptFile | None = None) -> "OldRun":
        """Read what goes back to it; raises as `read_whole`.

        Only the `script` that ran it can go back to it: raises `UsageError` for another, and for the studio,
        and `AnswerMissingError` where the script has changed since.
        """
        old = OldRun.read_whole(store, run)
        _refuse_others(run, old.started.source, script)
        return old

    @staticmethod
    def read_whole(store: RunStore, run: RunId) -> "OldRun":
        """Read a run, of a script as well; raises `StoreError` and `ProjectError`."""
        return OldRun.of(list(store.entries(run)), lambda first: _project(Path(first.project), store))

    @staticmethod
    def of(entries: Sequence[Entry], project_of: Callable[[RunStarted], Project]) -> "OldRun":
        """Make it of all that a run recorded; raises `StoreError` where that has no beginning."""
        first = entries[0].event if entries else None
        if not isinstance(first, RunStarted):
            raise StoreError("The run ended before it started.", hint="There is nothing to go back to.")
        project = project_of(first)
        flows = {name: codec.loads(text).flow for name, text in first.flows.items()}
        return OldRun(entries[0].run, project, first, entries, codec.loads(first.flow).flow, flows)

    def on(self, flow: Flow, flows: Mapping[str, Flow]) -> "OldRun":
        """Give the run of a script as one of the flow that does the same, with nodes of its steps' names."""
        return replace(self, flow=flow, flows=flows, started=replace(self.started, source=None))

    def until(self, step: str) -> "OldRun":
        """Give the run as it was before a step began; raises `UsageError` for one that it does not have."""
        begun = next((place for place, one in enumerate(self.entries) if own_step(one.step) == step), None)
        if begun is None:
            message = f"The run `{self.run}` has no step `{step}`."
            raise UsageError(message, hint=f"`stepwire runs show {self.run}` lists its steps.")
        return replace(self, entries=self.entries[:begun])

    @property
    def inputs(self) -> dict[str, Json]:
        """What was given; the rest were defaults."""
        return {name: one.data for name, one in self.started.inputs.items() if "user" in one.labels}

    @property
    def pins(self) -> Pins:
        """What nodes gave without being executed."""
        return self.started.pins

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What went wrong in it on purpose, and does so again."""
        return faults_from_json(self.started.faults)

    def with_names(self, names: Mapping[NodeId, NodeId]) -> "OldRun":
        """Give the run as if its nodes had had these names."""
        if not names:
            return self
        entries = [
            replace(one, step=renamed_step(one.step, names), parent=renamed_step(one.parent, names))
            for one in self.entries
        ]
        inputs = {names.get(NodeId(name), name): one for name, one in self.started.inputs.items()}
        pins = {names.get(NodeId(place), place): one for place, one in self.started.pins.items()}
        faults = faults_to_json(renamed(one, names) for one in self.faults)
        started = replace(self.started, inputs=inputs, pins=pins, faults=faults)
        return replace(self, entries=entries, flow=under_new_names(self.flow, names), started=started)


def prepare_replay(old: OldRun, registry: Registry, terms: Terms) -> RunMaterials:
    """Make ready to execute a run again."""
    registry = bound(registry, old.flows)
    refuse_errors(old.flow, registry)
    past = replayed(old.entries, old.flow, registry, is_live=terms.is_live)
    edits = edits_of(old.entries, old.flow, registry)
    return run_again(old, registry, terms, past, edits, Origin(old.run))


def run_again(
    old: OldRun,
    registry: Registry,
    terms: Terms,
    past: Past,
    edits: Edits,
    origin: Origin,
    *,
    flow: Flow | None = None,
    flows: Mapping[str, Flow] | None = None,
    inputs: Mapping[str, Json] | None = None,
    pins: Pins | None = None,
) -> RunMaterials:
    """Put together a new run that goes back to `old`; unless it is live, it has no chat client.

    The registry is bound to the flows that it may call: those of `old`, or `flows`. Raises `UntrustedError`.
    """
    flow = flow or old.flow
    flows = old.flows if flows is None else flows
    if not terms.is_trusted:
        require_trust(old.project, (flow, *flows.values()), registry, terms.environ)
    profile = terms.profile or old.started.profile
    chosen = None
    if past.is_live and terms.client is None and (profile or flow is not old.flow):
        chosen = choose_profile(old.project, profile, terms.environ, offline=False)
    chats = Chats(
        old.project, chosen, terms.environ, queues=terms.queues, keys=terms.keys, client=terms.client
    )
    origin = replace(origin, edits=tuple((*place, dict(values)) for place, values in edits.items()))
    name = terms.run or new_run_id(time.time)
    given = old.inputs if inputs is None else inputs
    limits = limits_of(old.project, (flow, *flows.values()), terms.limits)
    spec = RunSpec(
        name,
        flow,
        given,
        About(chats.name or profile, str(old.project.root), origin),
        limits=limits,
        flows=flows,
        pins=old.pins if pins is None else pins,
        faults=still_placed(old.faults, flow, registry, flows),
    )
    place = None
    if terms.is_kept:
        place = RunStore(old.project.private).new_run_path(name, old.project.keeping, old.run)
    materials = equipped(
        spec, registry, old.project, chats, terms.environ, place, is_offline=not past.is_live
    )
    if not past.is_live:
        materials = replace(materials, chats=_nobody, ready=None)
    return replace(materials, earlier=Earlier(past, edits))


def _nobody(profile: str) -> ChatClient:
    message = f"The chat profile `{profile}` is not called in a replay."
    raise AnswerMissingError(message, hint=GO_ON)


def _refuse_others(run: RunId, source: ScriptFile | None, script: ScriptFile | None) -> None:
    """Raise where the steps of a run were decided by something else than what goes back to it."""
    if source is None and script is None:
        return
    if source is None or script is None:
        what = "a flow" if source is None else f"the script `{source.path}`"
        hint = f"`stepwire replay {run}` executes it again."
        if source is not None:
            hint += f" `stepwire resume {run}` resumes it."
        raise UsageError(f"The run `{run}` is of {what}.", hint=hint)
    refuse_changed(run, source, script)


def refuse_changed(run: RunId, then: ScriptFile, now: ScriptFile) -> None:
    """Raise `AnswerMissingError` where a script is not what it was in a run; names the first such line."""
    if then.digest == now.digest:
        return
    line = _first_changed(then.text, now.text) if then.text else 0
    where = f", first in line {line}" if line else ""
    raise AnswerMissingError(
        f"`{then.path}` has changed since the run `{run}`{where}, or is another script.",
        hint="Run the script again: a record answers only what the same script asks.",
    )


def _first_changed(then: str, now: str) -> int:
    """The first line that is not the same, from 1; 0 for none. A line with a key is kept without it."""
    pairs = zip_longest(then.splitlines(), now.splitlines())
    return next((at for at, (a, b) in enumerate(pairs, 1) if a != b and HIDDEN not in (a or "")), 0)


def _project(root: Path, store: RunStore) -> Project:
    """The project of a run; one that moved is where its runs are."""
    home = store.root.parent
    folder = root if (root / store.root.name).resolve() == store.root.resolve() else home
    try:
        return Project.open(folder)
    except ProjectError:
        return Project(folder, folder.name, (), folder / "flow.json", is_folder=False)
