"""Opening what a script told with `--trace`: its run becomes one of the project's, beside the studio's own.

A script that ran on the engine told all of it. One that was exported before scripts did so told of a part of
its steps, and of which version of a flow it was: it is shown as it told it, on that flow.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from studio.app.scripts.script_entries import ScriptTrace
from studio.errors import FlowFileError, StepwireError, UsageError
from studio.export.versions import version_of
from studio.flow.files import codec
from studio.flow.records import Flow
from studio.flow.subflows.calls import reachable
from studio.ids import NodeId, RunId
from studio.runtime.run import given_values
from studio.runtime.values import shown
from studio.script.head import head_in
from studio.sdk.registry import Registry
from studio.store.reader import RunStore
from studio.store.run_files.writer import RunWriter
from studio.trace import events
from studio.trace.events import Entry
from studio.trace.redact import redactor
from studio.workspace.problems import read_flow
from studio.workspace.project import Project, flow_files
from studio.workspace.project_flows import project_registry
from studio.workspace.runs import bound


@dataclass(frozen=True, slots=True)
class Opened:
    """A run of a script that the project has now; `broken` lines of it could not be read."""

    run: RunId
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
    """Take a run of a script into the project; raises `UsageError`, `FlowNotFoundError` among it.

    The flow of an old trace is found by its version, among the project's files and in its runs, or is the
    one given.
    """
    store = RunStore(project.private)
    if any(one.run == trace.run for one in store.runs()):
        return Opened(trace.run, trace.broken)
    if trace.is_old:
        found = _find(trace, project, registry, store, flow)
        started, path = _started(trace.started, project, registry, found), found.path
    else:
        started, path = _here(trace.started, project), flow or _drawn(trace.started, project)
    first, *others = trace.entries
    _keep([replace(first, event=started), *others], store, project, trace.run)
    return Opened(trace.run, trace.broken, path)


def _here(told: events.RunStarted, project: Project) -> events.RunStarted:
    """How a run of the engine began, as one of this project: what it goes back to is not here.

    Raises `UsageError` where its flows cannot be read.
    """
    try:
        for text in (told.flow, *told.flows.values()):
            codec.loads(text)
    except FlowFileError as error:
        message = f"A flow in the trace cannot be read: {error.message}"
        raise UsageError(message, hint=error.hint) from error
    return replace(told, project=str(project.root), forked_from=None, limits={}, pins={}, script=True)


def _drawn(told: events.RunStarted, project: Project) -> Path | None:
    """The file of the flow that a script was exported from: of its version, or of its name and title."""
    head = head_in(told.source.text) if told.source is not None else None
    if head is None:
        return None
    namesake = None
    for path in flow_files(project.root):
        try:
            flow = read_flow(path).flow
        except StepwireError:
            continue
        if version_of(flow) == head.versions[""]:
            return path
        if path == project.root / head.source and flow.name == told.flow_name:
            namesake = path
    return namesake


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


def _started(
    told: events.RunStarted, project: Project, registry: Registry, found: _Flows
) -> events.RunStarted:
    """How an old run began, as the studio tells it: with the texts of the flows, and who gave what."""
    known = bound(registry, found.flows)
    values = given_values(found.flow, known, {name: one.data for name, one in told.inputs.items()})
    given = {str(node): shown(value) for node, value in values.items()}
    inputs = {
        name: replace(one, labels=("flow",)) if _is_default(found.flow, known, name, one.data) else one
        for name, one in given.items()
    }
    texts = {name: codec.dumps(one) for name, one in found.flows.items()}
    flow = codec.dumps(found.flow)
    return events.RunStarted(
        told.flow_name, flow, inputs, project=str(project.root), flows=texts, script=True
    )


def _is_default(flow: Flow, registry: Registry, name: str, data: object) -> bool:
    return registry.settings(flow.nodes[NodeId(name)]).get("default") == data


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
