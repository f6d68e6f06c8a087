"""A script's file beside flows that are open: what it has otherwise, and from where it was exported."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from studio import __version__
from studio.app.scripts.edits.comparison import compare
from studio.app.scripts.edits.edits import Remark, ScriptEdits, changes_of, in_script
from studio.app.scripts.edits.export_record import ReadFile, edited_since, read_script_file
from studio.app.scripts.edits.leftovers import leftovers
from studio.app.scripts.edits.three_way import edits_since_export
from studio.errors import StepwireError
from studio.flow.records import Flow
from studio.flow.subflows.calls import GivenFlows
from studio.sdk.registry import Registry
from studio.workspace.project import Project


@dataclass(frozen=True, slots=True)
class Compared:
    """What a script has otherwise than its flows."""

    found: ScriptEdits
    source: str
    """The file that it says it was exported from; empty where it does not say."""
    edited: Sequence[str]
    """The flows that were edited since it was exported, the flow itself by the empty name."""


def compare_file(
    script: Path,
    project: Project,
    flow: Flow,
    flows: Mapping[str, Flow],
    registry: Registry,
    *,
    name: str = "",
) -> Compared:
    """Compare a script with a flow and the flows that this calls; raises `ScriptUnreadableError`."""
    file = read_script_file(script)
    read = file.script
    exported = edited_since(read, project, flow, flows)
    found = edits_since_export(read, flow, flows, exported, registry, name=name)
    then = {**flows, "": flow, **exported}
    known = {called: one for called, one in then.items() if one is not None}
    if len(known) == len(then):
        own = _leftovers(file, known, project, registry, found.remarks, name)
        found = replace(found, remarks=tuple(sorted((*found.remarks, *own), key=in_script)))
    return Compared(found, read.head.source if read.head is not None else "", tuple(exported))


def _leftovers(
    read: ReadFile,
    flows: Mapping[str, Flow],
    project: Project,
    registry: Registry,
    told: Sequence[Remark],
    name: str,
) -> list[Remark]:
    """What else was edited in a script that this very Stepwire exported from these flows."""
    from studio.app.scripts.flow_export import export_flow  # with all that writes scripts
    from studio.export.forms.signature import is_signed

    head = read.script.head
    if head is None or head.by != __version__ or not is_signed(read.text):
        return []

    def exported(some: Mapping[str, Flow]) -> str:
        called = {key: one for key, one in some.items() if key}
        return export_flow(some[""], registry=registry.with_flows(GivenFlows(called)), project=project)

    called = {key: one for key, one in flows.items() if key}
    edits = compare(read.script, flows[""], called, registry, name=name).edits
    changes = changes_of(edits, flows, registry)
    after = {key: changes[key].applied_to(one) if key in changes else one for key, one in flows.items()}
    try:
        return leftovers(read.text, exported(flows), exported(after), told)
    except (StepwireError, SyntaxError):  # with these edits the flow cannot be exported
        return []
