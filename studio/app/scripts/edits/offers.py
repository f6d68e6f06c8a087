"""A script's file beside flows that are open: what it has otherwise, and from where it was exported."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from studio.app.scripts.edits.edits import ScriptEdits
from studio.app.scripts.edits.exported import edited_since, read_script_file
from studio.app.scripts.edits.three_way import edits_since_export
from studio.flow.records import Flow
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
    read = read_script_file(script).script
    exported = edited_since(read, project, flow, flows)
    found = edits_since_export(read, flow, flows, exported, registry, name=name)
    return Compared(found, read.head.source if read.head is not None else "", tuple(exported))
