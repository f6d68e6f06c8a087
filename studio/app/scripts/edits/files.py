"""A script's edits beside the files of its flows: read from the disk, and saved there."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from studio.app.documents.on_disk import OnDisk
from studio.app.scripts.edits.edits import Edit, ScriptEdits, changes_of
from studio.app.scripts.edits.export_record import flow_of_script, read_script_file
from studio.app.scripts.edits.offers import compare_file
from studio.app.scripts.edits.words import Consequences, consequences
from studio.errors import UsageError
from studio.flow.records import Flow
from studio.flow.subflows.calls import reachable
from studio.sdk.registry import Registry
from studio.workspace.catalog import builtin_registry
from studio.workspace.files import save_flow
from studio.workspace.problems import read_flow
from studio.workspace.project import Project
from studio.workspace.project_flows import project_registry

READ_ONLY: Final = "Copy the project, and apply the edits to the copy with `--into`."


@dataclass(frozen=True, slots=True)
class Offer:
    """What a script would change in the files of its flows."""

    found: ScriptEdits
    project: Project
    registry: Registry
    flows: Mapping[str, Flow]
    """The flows as their files have them, the flow itself by the empty name."""
    edited: Sequence[str]
    """Those that were edited since the script was exported."""
    on_disk: Mapping[str, OnDisk | None]

    def path(self, name: str) -> Path:
        """The file of a flow."""
        return self.project.place_of(name) if name else self.project.main_flow

    def consequences(self, chosen: Iterable[Edit]) -> Consequences:
        """Say what these edits bring about besides."""
        return consequences(chosen, self.flows, self.registry)

    def save(self, chosen: Iterable[Edit]) -> list[Path]:
        """Save edits, and give the files that were written.

        Raises `UsageError` where a file is not to be written, or was changed since it was read: then none is.
        """
        changes = changes_of(chosen, self.flows, self.registry)
        for name in changes:
            self._refuse_loss(name)
        for name, change in changes.items():
            save_flow(self.path(name), change.applied_to(self.flows[name]))
        return [self.path(name) for name in changes]

    def _refuse_loss(self, name: str) -> None:
        path, known = self.path(name), self.on_disk[name]
        if self.project.is_bundle or read_flow(path).read_only:
            raise UsageError(f"`{path}` is read-only.", hint=READ_ONLY)
        now = OnDisk.of(path)
        if known is None or now is None or now.digest != known.digest:
            raise UsageError(f"`{path}` has changed meanwhile.", hint="Call the command again.")


def open_offer(script: Path, into: Path | None = None) -> Offer:
    """Read a script, and the flow that it names or the one it is to go into; nothing is written.

    Raises `UsageError` for what cannot be read or is not found.
    """
    project = Project.open(into if into is not None else flow_of_script(read_script_file(script)))
    registry = project_registry(project, builtin_registry())
    on_disk = {"": OnDisk.of(project.main_flow)}
    flow = read_flow(project.main_flow).flow
    called = reachable(flow, registry)
    on_disk |= {name: OnDisk.of(project.place_of(name)) for name in called}
    name = project.name_of(project.main_flow)
    compared = compare_file(script, project, flow, called, registry, name=name)
    return Offer(compared.found, project, registry, {**called, "": flow}, compared.edited, on_disk)
