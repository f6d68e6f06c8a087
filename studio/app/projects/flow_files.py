"""What can be done to the flows of a project as a whole: made, copied, renamed, deleted."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path, PurePosixPath
from typing import cast

from studio.app.projects.file_changes import FileChange, Swap
from studio.errors import FlowFileError, UsageError
from studio.flow.edits import set_setting
from studio.flow.files.codec import dumps, dumps_variant
from studio.flow.files.file_text import json_text
from studio.flow.records import Flow
from studio.sdk.registry import Registry
from studio.workspace.files import base_place, flow_text, load_flow
from studio.workspace.parts import part_name
from studio.workspace.project import FILE, Project, flow_files
from studio.workspace.project_flows import project_registry


def delete_flow(project: Project, path: Path) -> FileChange:
    """Take a flow away. Raises `UsageError` for the main flow, without which there is no project."""
    name = _inside(project, path)
    if name == main_of(project):
        raise UsageError(
            f"`{name}` is the main flow, which the project needs.",
            hint=f"First set another one as `main` in `{FILE}`.",
        )
    return FileChange(f"Delete flow {name}", {name: (_text(path), None)})


def create_flow(project: Project, path: Path) -> FileChange:
    """Make an empty flow."""
    name = _inside(project, path)
    text = dumps(Flow(name=path.stem.replace("_", " ").capitalize()))
    return FileChange(f"New flow {name}", {name: (None, text)})


def duplicate_flow(project: Project, path: Path, flow: Flow) -> FileChange:
    """Put a copy beside a flow; `flow` is it as it is edited now."""
    _inside(project, path)
    stems = (path.stem + ("_copy" if number == 1 else f"_copy_{number}") for number in count(1))
    copy = next(place for stem in stems if not (place := path.with_stem(stem)).exists())
    name = project.name_of(copy)
    text = flow_text(path, replace(flow, name=f"{flow.name or path.stem} (copy)"))
    return FileChange(f"Duplicate flow {project.name_of(path)}", {name: (None, text)})


def create_variant(project: Project, path: Path, flow: Flow) -> FileChange:
    """Put a variant beside a flow: a file that has only what differs from it; nothing does as yet."""
    _inside(project, path)
    stems = (path.stem + ("_variant" if number == 1 else f"_variant_{number}") for number in count(1))
    place = next(one for stem in stems if not (one := path.with_stem(stem)).exists())
    name = project.name_of(place)
    text = dumps_variant(replace(flow, name=f"{flow.name or path.stem} (variant)"), flow, path.name)
    return FileChange(f"New variant of {project.name_of(path)}", {name: (None, text)})


def rename_flow(project: Project, path: Path, wanted: str, registry: Registry) -> FileChange:
    """Give the file of a flow another name; flows that call it, its variants and the project name it anew.

    Raises `UsageError` for a name that can't be, or that another file has.
    """
    old = _inside(project, path)
    new = _checked(project, wanted)
    files: dict[str, Swap] = {old: (_text(path), None), new: (None, _text(path))}
    bound = project_registry(project, registry)
    for other in flow_files(project.root):
        name = project.name_of(other)
        text = _text(other)
        changed = _calling(text, other, old, new, bound)
        place = project.root / new if name == old else other
        if base_place(other) == path.resolve():
            changed = _based(changed or text, other, place, project.root / new)
        elif name == old and (base := base_place(other)) is not None:
            changed = _based(changed or text, other, place, base)
        if changed is None:
            continue
        if name == old:
            files[new] = (None, changed)
        else:
            files[name] = (text, changed)
    if old == main_of(project) and project.is_folder:
        files.update(_main(project, new))
    return FileChange(f"Rename flow {old} to {new}", files, (old, new))


def callers_of(project: Project, path: Path, registry: Registry) -> list[str]:
    """The flows of the project, as they are on disk, that call this one."""
    name = project.name_of(path)
    bound = project_registry(project, registry)
    return [
        project.name_of(other)
        for other in flow_files(project.root)
        if other != path and _calling(_text(other), other, name, name, bound) is not None
    ]


def variants_of(project: Project, path: Path) -> list[str]:
    """The flows of the project, as they are on disk, whose files have only what differs from this one."""
    return [
        project.name_of(other)
        for other in flow_files(project.root)
        if other != path and base_place(other) == path.resolve()
    ]


def main_of(project: Project) -> str:
    """The name of the flow that the project opens with."""
    plain = _plain(project.root / FILE)
    main = plain.get("main", "flow.json") if plain is not None else project.name_of(project.main_flow)
    return PurePosixPath(str(main)).as_posix()


def _calling(text: str, path: Path, old: str, new: str, registry: Registry) -> str | None:
    """The text of a flow in which calls of `old` are calls of `new`; None where it calls no `old`."""
    if json.dumps(old)[1:-1] not in text:
        return None
    try:
        flow = load_flow(path).flow
    except FlowFileError:
        return None
    calls = [node for node, record in flow.nodes.items() if registry.called_name(record) == old]
    for node in calls:
        flow = set_setting(flow, node, registry.call_setting(flow.nodes[node]), new).applied_to(flow)
    return flow_text(path, flow) if calls else None


def _based(text: str, variant: Path, place: Path, base: Path) -> str:
    """The text of a variant at `place` of a base at `base`; where that is not below it, the whole flow.

    Parts have one name everywhere.
    """
    if part_name(base):
        return text
    if not base.resolve().is_relative_to(place.resolve().parent):
        return dumps(load_flow(variant).flow)
    of = json.dumps(base.resolve().relative_to(place.resolve().parent).as_posix(), ensure_ascii=False)
    return re.sub(r'("of"\s*:\s*)"(?:[^"\\]|\\.)*"', lambda found: found[1] + of, text, count=1)


def _main(project: Project, new: str) -> Mapping[str, Swap]:
    path = project.root / FILE
    plain = _plain(path)
    if plain is None:
        return {}
    return {FILE: (_text(path), json_text({**plain, "main": new}))}


def _plain(path: Path) -> dict[str, object] | None:
    try:
        found: object = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return cast("dict[str, object]", found) if isinstance(found, dict) else None


def _inside(project: Project, path: Path) -> str:
    if not path.resolve().is_relative_to(project.root):
        raise UsageError(f"`{path.name}` is outside the project.")
    return project.name_of(path)


def _checked(project: Project, wanted: str) -> str:
    """The name as the project's files call it."""
    place = PurePosixPath(wanted.strip().replace("\\", "/"))
    if place.suffix != ".json":
        place = place.with_name(f"{place.name}.json") if place.name else place
    is_odd = not place.name or place.is_absolute() or any(part.startswith(".") for part in place.parts)
    if is_odd or len(place.parts) > 2 or place.name == FILE or "\0" in wanted:
        raise UsageError(
            f"A flow can't be named `{wanted}`.",
            hint="Use a name such as `summary`, or `parts/summary` for one in a folder.",
        )
    target = project.root / place
    if target.exists():
        raise UsageError(f"The file `{place.as_posix()}` already exists.", hint="Choose another name.")
    if not target.parent.is_dir():
        raise UsageError(f"There is no folder `{place.parent.as_posix()}`.", hint="Create it first.")
    return place.as_posix()


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"`{path.name}` could not be read.") from error
