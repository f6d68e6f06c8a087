"""New projects, copies and moving them: a system of the gallery is opened as a copy, which one may change."""

import re
import shutil
from pathlib import Path

from studio.errors import UsageError
from studio.flow.files.file_text import json_text
from studio.flow.records import Flow
from studio.workspace.files import save_flow
from studio.workspace.parts import parts_needed
from studio.workspace.project import FILE, FORMAT, VERSION, Project
from studio.workspace.whole_file import write_whole

LEFT_OUT = (".stepwire", "__pycache__", "out", "memories")
"""What runs leave in a project is no part of it; `memories` is that of `data/`."""


def copy_project(source: Path, into: Path) -> Project:
    """Copy a project with the parts that it needs, as it is called or by the next name that is free; open it.

    Raises `UsageError`; then no half of a copy is left.
    """
    target = _free(into / source.name)
    try:
        into.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source, target, ignore=shutil.ignore_patterns(*LEFT_OUT))
        for name, part in parts_needed(target).items():
            (target / name).parent.mkdir(exist_ok=True)
            shutil.copy(part, target / name)
        _make_writable(target)
    except (OSError, shutil.Error) as error:
        shutil.rmtree(target, ignore_errors=True)
        raise UsageError(
            f"`{target}` could not be created: {_reason(error)}.",
            hint="Choose another folder, or free some space.",
        ) from error
    return Project.open(target)


def move_project(root: Path, into: Path) -> Project:
    """Move a project with all that its runs left into a folder, and open it there; nobody may have it open.

    It keeps its name, or gets the next that is free. Raises `UsageError`; then it is where it was.
    """
    target = _free(into / root.name)
    try:
        into.mkdir(parents=True, exist_ok=True)
        shutil.move(root, target)
    except (OSError, shutil.Error) as error:
        raise UsageError(
            f"`{root}` could not be moved to `{into}`: {_reason(error)}.", hint="Choose another folder."
        ) from error
    return Project.open(target)


def make_project(into: Path, name: str) -> Project:
    """Make a project of that name with an empty flow in a folder of its own within `into`, and open it.

    Raises `UsageError` for a name that can't be a folder's, or where the folder can't be made.
    """
    title = name.strip()
    folder = re.sub(r"[^\w .-]+", "_", title).strip(". ")
    if not folder.strip("_"):
        raise UsageError(f"A project can't be called “{title}”.", hint="Use letters and digits.")
    target = _free(into / folder)
    record = {"format": FORMAT, "version": VERSION, "name": title, "main": "flow.json"}
    try:
        target.mkdir(parents=True)
        write_whole(target / FILE, json_text(record).encode())
        save_flow(target / "flow.json", Flow(name=title))
    except OSError as error:
        shutil.rmtree(target, ignore_errors=True)
        raise UsageError(
            f"`{target}` could not be made: {_reason(error)}.", hint="Choose another folder, or make room."
        ) from error
    return Project.open(target)


def _free(path: Path) -> Path:
    number = 2
    found = path
    while found.exists() or found.is_symlink():
        found = path.with_name(f"{path.name}-{number}")
        number += 1
    return found


def _make_writable(folder: Path) -> None:
    """An installed gallery may be read-only; its copy is there to be edited."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(path.stat().st_mode | (0o700 if path.is_dir() else 0o600))


def _reason(error: OSError | shutil.Error) -> str:
    return (error.strerror or str(error)).lower()
