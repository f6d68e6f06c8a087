"""A flow as a script: the exporter, given the node types that are installed. Nothing of the flow runs."""

import ast
import sys
from collections.abc import Iterable
from pathlib import Path

from studio.app.guards import guards_of
from studio.app.overwriting import refuse_loss
from studio.app.taken_names import is_taken
from studio.errors import PlaceError
from studio.export.package import Package, make_package
from studio.export.script import make_script
from studio.export.writing.parts import Script
from studio.flow.calls import reachable
from studio.flow.records import Flow
from studio.sdk.registry import Registry
from studio.workspace.catalog import builtin_registry
from studio.workspace.problems import read_flow, refuse_errors
from studio.workspace.project import Project
from studio.workspace.project_flows import project_registry
from studio.workspace.runs import profiles_used
from studio.workspace.whole_file import write_whole


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
    script = script_of(source, registry=registry, name=name, project=project, package=package)
    imported = {one.module.partition(".")[0] for one in script.head.imports.values()}
    if package in imported or is_taken(package, imported):
        message = f"The package needs a module `{package}`, and with this name it would import itself."
        raise PlaceError(message, hint="Choose another folder with `-o`.")
    return make_package(script, package)


def script_of(
    source: Flow | Path,
    *,
    registry: Registry | None = None,
    name: str = "",
    project: Project | None = None,
    package: str = "",
) -> Script:
    """Write a flow, or the one in a file, as a script; `name` is what the script says it came from.

    What its chat profiles fall back on is read from the `project`, by default that of the file.

    Raises `FlowProblemsError` for a flow that `check` refuses, `ExportError` for one that no script can say.
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
    fallbacks = {} if project is None else _fallbacks(project, flows, known)
    guards = guards_of(project, flows, known)
    return make_script(flow, known, source_name=said, fallbacks=fallbacks, guards=guards, package=package)


def _fallbacks(project: Project, flows: Iterable[Flow], registry: Registry) -> dict[str, tuple[str, ...]]:
    """Whom the profiles that are used fall back on; the empty name is that of the project's default."""
    used = {name for one in flows for name in profiles_used(one, registry)}
    named = {name: project.profiles.get(name or project.default_profile) for name in used}
    return {name: profile.fallback for name, profile in named.items() if profile and profile.fallback}


def save_script(path: Path, script: str, *, reads: Iterable[Path] = (), force: bool = False) -> None:
    """Write the script, which can be started by itself, whole or not at all.

    Raises `PlaceError` when the disk refuses, where another file than a script would be lost, as
    `refuse_loss` does, or where by its name the script would be imported in the
    place of something else, be it by what it imports.
    """
    refuse_loss(path, "script", reads=reads, force=force)
    if path.stem in sys.stdlib_module_names:
        message = f"Python already has a module `{path.stem}`, which the script would hide."
        raise PlaceError(message, hint="Choose another name with `-o`.")
    imported = _imported(script)
    if path.stem in imported or is_taken(path.stem, imported):
        message = f"The script needs a module `{path.stem}`, and as `{path.name}` it would import itself."
        raise PlaceError(message, hint="Choose another name with `-o`.")
    try:
        write_whole(path, script.encode())
        path.chmod(path.stat().st_mode | 0o111)
    except OSError as error:
        raise PlaceError(
            f"`{path}` could not be written: {error.strerror or error}.",
            hint="Choose another place with `-o`.",
        ) from error


def _imported(script: str) -> set[str]:
    """The first names of the modules that a script imports."""
    nodes = list(ast.walk(ast.parse(script)))
    named = [alias.name for one in nodes if isinstance(one, ast.Import) for alias in one.names]
    named += [one.module or "" for one in nodes if isinstance(one, ast.ImportFrom)]
    return {name.partition(".")[0] for name in named}
