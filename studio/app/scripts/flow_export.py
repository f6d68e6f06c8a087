"""A flow as a script: the exporter, given the node types that are installed. Nothing of the flow runs."""

from pathlib import Path

from studio.app.scripts.script_files import imported_by, libraries_of
from studio.app.scripts.taken_names import is_taken
from studio.errors import PlaceError
from studio.export.forms.package import Package, package_of
from studio.export.script import make_script
from studio.export.statements.parts import Script
from studio.export.statements.steps import is_nameless
from studio.flow.records import Flow
from studio.flow.subflows.calls import reachable
from studio.ids import lender_name
from studio.sdk.registry import Registry
from studio.store.memories.file_names import MEMORIES, file_of
from studio.workspace.catalog import builtin_registry
from studio.workspace.problems import read_flow, refuse_errors
from studio.workspace.project import Project
from studio.workspace.project_flows import project_registry
from studio.workspace.runs import limits_of


def export_flow(
    source: Flow | Path, *, registry: Registry | None = None, name: str = "", project: Project | None = None
) -> str:
    """Write a flow as one file, as `script_of` does."""
    return script_of(source, registry=registry, name=name, project=project).text


def export_package(
    source: Flow | Path,
    package: str,
    *,
    registry: Registry | None = None,
    name: str = "",
    project: Project | None = None,
) -> Package:
    """Write a flow as a package of this name, as `script_of` does.

    Raises `PlaceError` also where the package would stand in the way of what it imports.
    """
    script = script_of(source, registry=registry, name=name, project=project)
    imported = imported_by(script.text)
    if package in imported or is_taken(package, imported):
        message = f"The package needs a module `{package}`, and with this name it would import itself."
        raise PlaceError(message, hint="Choose another folder with `-o`.")
    project = project or (Project.open(source) if isinstance(source, Path) else None)
    libraries = frozenset[str]() if project is None else libraries_of(project)
    return package_of(script.text, package, libraries=libraries)


def other_memories(script: Script, registry: Registry, project: Project) -> list[str]:
    """Say which memories of called flows a script of an earlier export had under a name of its own.

    A function named them, where the flow's file does now, as in runs of the flow.
    """
    said: list[str] = []
    for one in script.flows:
        flow = registry.flows.flow(one.name) if one.name else Flow()
        for node, record in flow.nodes.items():
            before, now = lender_name(one.function, node), lender_name(one.name, node)
            is_there = file_of(project.root / MEMORIES, before).exists() and before != now
            if is_there and is_nameless(registry.settings(record)):
                said.append(
                    f"The script uses the memory `{now}`, as the flow does; earlier exports used "
                    f"`{before}`, which stays as it is. `stepwire memory` exports and imports its items."
                )
    return said


def script_of(
    source: Flow | Path, *, registry: Registry | None = None, name: str = "", project: Project | None = None
) -> Script:
    """Write a flow, or the one in a file, as a script; `name` is what the script says it came from.

    The limits of the `project`, by default that of the file, hold in it. Raises `FlowProblemsError` for a
    flow that `check` refuses.
    """
    flow = read_flow(source).flow if isinstance(source, Path) else source
    known = registry or builtin_registry()
    if isinstance(source, Path):
        project = project or Project.open(source)
        known = registry or project_registry(project, known)
    flows = (flow, *reachable(flow, known).values())
    for one in flows:
        refuse_errors(one, known)
    said = name or (source.name if isinstance(source, Path) else f"“{flow.name}”")
    limits = {} if project is None else limits_of(project, flows, {})
    return make_script(flow, known, source_name=said, limits=limits)
