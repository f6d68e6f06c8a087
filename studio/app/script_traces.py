"""Opening what a script told with `--trace`: its run becomes one of the project's, beside the studio's own.

A script tells of steps that have a context. All others are worked out: the flow is executed again, and given
what the script was given. Where a script was changed by hand, and does something else than its flow, what it
told is shown as it stands.
"""

import asyncio
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from studio.app.script_entries import ScriptTrace, with_flows
from studio.errors import StepwireError, UsageError
from studio.export.versions import version_of
from studio.flow import codec
from studio.flow.calls import reachable
from studio.flow.records import Flow
from studio.host.recorded import run_recorded
from studio.ids import NodeId, RunId, StepId
from studio.past.replays import OldRun, Terms, run_again
from studio.runtime.course import Course
from studio.runtime.gate import OpenGate
from studio.runtime.people import NoPeople
from studio.runtime.run import Outside, RunSpec, given_values
from studio.runtime.takeover import replayed
from studio.runtime.values import shown
from studio.sdk.registry import Registry
from studio.store.reader import RunStore
from studio.store.writer import RunWriter
from studio.trace import events
from studio.trace.events import Entry, Event
from studio.trace.redact import HIDDEN, redactor
from studio.workspace.problems import read_flow
from studio.workspace.project import Project, flow_files
from studio.workspace.project_flows import project_registry
from studio.workspace.runs import bound

SECONDS = 10.0
"""How long working a run out may take; nothing is waited for in it."""

WORKED_OUT = (events.AnswerReused, events.TextStreamed)
"""What the run of a script has nothing of."""

ENDS = (events.RunFinished, events.RunFailed, events.RunCancelled)
"""What a script tells last, unless it was killed."""

EXTRA = (events.LogWritten, events.StepProgressed)
"""What is kept of a trace where executing the flow again does not tell it."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A run of a script that the project has now; `departs` says where it left its flow, if it did."""

    run: RunId
    departs: str = ""
    broken: int = 0
    flow: Path | None = None
    """The file of its flow, where the project has that."""


class FlowNotFoundError(UsageError):
    """Of which flow a script is, nobody could find out."""


@dataclass(frozen=True, slots=True)
class _Flows:
    """The flow that a script was made from, and those that it calls."""

    flow: Flow
    flows: Mapping[str, Flow] = field(default_factory=dict[str, Flow])
    path: Path | None = None


def open_trace(trace: ScriptTrace, project: Project, registry: Registry, flow: Path | None = None) -> Opened:
    """Take a run of a script into the project; raises `FlowNotFoundError`.

    The flow is found by its version, among the project's files and in its runs, or is the one given.
    """
    store = RunStore(project.private)
    if any(one.run == trace.run for one in store.runs()):
        return Opened(trace.run, broken=trace.broken)
    found = _find(trace, project, registry, store, flow)
    registry = bound(registry, found.flows)
    told = with_flows(trace, _started(trace, project, registry, found))
    old = OldRun(trace.run, project, trace.started, told, found.flow, found.flows)
    try:
        if not isinstance(told[-1].event, ENDS):
            raise UsageError("It was ended before its flow finished.")
        entries, departs = asyncio.run(_worked_out(replace(old, started=_of(told)), registry))
    except (StepwireError, TimeoutError, RecursionError) as error:
        entries, departs = told, str(error) or "It could not be compared."
    if departs:
        said = f"The run is shown as the script reported it: {departs}"
        note = Entry(trace.run, 0, told[0].step, told[0].parent, told[0].time, events.LogWritten(said))
        entries = [told[0], note, *told[1:]]
    _keep(entries, store, project, trace.run)
    return Opened(trace.run, departs, trace.broken, found.path)


def _of(told: Sequence[Entry]) -> events.RunStarted:
    first = told[0].event
    if not isinstance(first, events.RunStarted):
        message = "a trace starts with the start of its run"
        raise TypeError(message)
    return first


def _find(
    trace: ScriptTrace, project: Project, registry: Registry, store: RunStore, given: Path | None
) -> _Flows:
    started, library = trace.started, project_registry(project, registry)
    if given is not None:
        flow = read_flow(given).flow
        return _Flows(flow, reachable(flow, library), given)
    for path in flow_files(project.root):
        try:
            flow = read_flow(path).flow
            found = _Flows(flow, reachable(flow, library), path)
        except StepwireError:
            continue
        if _has_versions(found, started):
            return found
    for one in store.runs():
        try:
            first = next(iter(store.entries(one.run)), None)
            if first is None or not isinstance(first.event, events.RunStarted):
                continue
            texts = first.event.flows.items()
            flows = {name: codec.loads(text).flow for name, text in texts}
            found = _Flows(codec.loads(first.event.flow).flow, flows)
        except StepwireError:
            continue  # a damaged run, or one of a version of which nothing is known
        if _has_versions(found, started):
            return found
    raise FlowNotFoundError(
        f"No flow of the project is the one this script was exported from ({started.flow}).",
        hint="Name that flow: `--flow FILE`.",
    )


def _has_versions(flows: _Flows, started: events.RunStarted) -> bool:
    """Whether these are the flows of a script, which tells of those alone that it has functions for."""
    called = {name: version_of(one) for name, one in flows.flows.items()}
    return version_of(flows.flow) == started.flow and called.items() >= started.flows.items()


def _started(trace: ScriptTrace, project: Project, registry: Registry, found: _Flows) -> events.RunStarted:
    """How the run began, as the studio tells it: with the texts of the flows, and who gave what."""
    told = trace.started
    spec = RunSpec(trace.run, found.flow, {name: one.data for name, one in told.inputs.items()})
    given = {
        str(node): shown(value) for node, value in given_values(spec.flow, registry, spec.inputs).items()
    }
    inputs = {
        name: replace(one, labels=("flow",)) if _is_default(found.flow, registry, name, one.data) else one
        for name, one in given.items()
    }
    texts = {name: codec.dumps(one) for name, one in found.flows.items()}
    flow = codec.dumps(found.flow)
    return events.RunStarted(
        told.flow_name, flow, inputs, project=str(project.root), flows=texts, script=True
    )


def _is_default(flow: Flow, registry: Registry, name: str, data: object) -> bool:
    return registry.settings(flow.nodes[NodeId(name)]).get("default") == data


async def _worked_out(old: OldRun, registry: Registry) -> tuple[list[Entry], str]:
    """Execute the flow on what the script was given; also says where the two part, if they do."""
    past = replayed(old.entries, old.flow, registry)
    past = replace(past, course=Course(old.entries, is_partial=True))
    materials = run_again(old, registry, Terms({}, run=old.run), past, {}, events.Origin(""))
    made: list[Entry] = []
    about = replace(materials.spec.about, forked_from=None)
    spec = replace(materials.spec, about=about, saves_memories=False)
    materials = replace(materials, spec=spec, outside=Outside(old.project.root), store=None)
    async with asyncio.timeout(SECONDS):
        await run_recorded(materials, made.extend, lambda _: OpenGate(), NoPeople())
    made[0] = replace(made[0], event=old.started)
    return _dated([one for one in made if not isinstance(one.event, WORKED_OUT)], old.entries)


def _dated(made: Sequence[Entry], told: Sequence[Entry]) -> tuple[list[Entry], str]:
    """Give what was worked out the times of what was told; each thing that was told has to be there."""
    left: dict[tuple[str, str], deque[Entry]] = defaultdict(deque)
    for entry in told:
        left[entry.step, entry.event.kind].append(entry)
    now = told[0].time
    around = {one.parent for one in made}
    last: dict[str, float] = {}
    dated: list[Entry] = []
    for entry in made:
        found = left.get((entry.step, entry.event.kind))
        if not found and isinstance(entry.event, events.StepFinished):
            found = left.get((entry.step, "step_failed"))  # an error policy stands in
        is_told = bool(found)
        if found:
            as_told = found.popleft()
            now = as_told.time
            if _says_otherwise(as_told.event, entry.event):
                return [], f"Its flow does something else at {_place(entry)}: inputs or outputs differ."
        # What takes no time follows at once upon what it waited for.
        before = last.get(entry.step, now)
        last[entry.step] = before if not is_told and entry.step not in around else max(now, before)
        dated.append(replace(entry, time=last[entry.step]))
    dated[-1] = replace(dated[-1], time=max(one.time for one in dated))
    others = [one for found in left.values() for one in found]
    cut_off = _cut_off(told)
    extra = [one for one in others if isinstance(one.event, EXTRA) or one.step.partition("#")[0] in cut_off]
    dated += extra
    dated.sort(key=lambda one: one.time)
    missing = min((one for one in others if one not in extra), key=_number, default=None)
    if missing is None:
        return list(_numbered(dated)), ""
    return [], f"Its flow does something else at {_place(missing)}: {missing.event.kind.replace('_', ' ')}."


def _cut_off(told: Sequence[Entry]) -> set[StepId]:
    """Steps that were cancelled: how far they had come was chance."""
    return {one.step for one in told if isinstance(one.event, events.StepCancelled)}


def _place(entry: Entry) -> str:
    return f"`{entry.step}`" if entry.step else "The run"


def _says_otherwise(told: Event, made: Event) -> bool:
    """Whether texts and numbers that were told are others; lists and objects leave out what goes unsaid."""
    pairs: list[tuple[events.Values, events.Values]] = []
    if isinstance(told, events.StepStarted) and isinstance(made, events.StepStarted):
        pairs.append((told.inputs, made.inputs))
    if isinstance(told, events.RunFinished) and isinstance(made, events.RunFinished):
        pairs.append((told.outputs, made.outputs))
    return any(
        type(one[name].data) is type(other[name].data)
        and isinstance(one[name].data, str | int | float)
        and one[name].data != other[name].data
        and HIDDEN not in str(one[name].data)
        for one, other in pairs
        for name in one.keys() & other.keys()
    )


def _number(entry: Entry) -> int:
    return entry.number


def _numbered(entries: Sequence[Entry]) -> Iterator[Entry]:
    for number, entry in enumerate(entries, 1):
        yield replace(entry, number=number)


def _keep(entries: Sequence[Entry], store: RunStore, project: Project, run: RunId) -> None:
    writer = RunWriter(store.new_run_path(run, project.keeping), lambda _: None)
    hide = redactor(())
    try:
        for entry in _numbered(entries):
            writer.put(replace(entry, event=hide(entry.event)))
    finally:
        writer.close()
    if writer.failed is not None:
        raise writer.failed
