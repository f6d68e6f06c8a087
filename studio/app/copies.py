"""Copies of projects: what a system of the gallery is opened as, so that one may change it."""

import shutil
from pathlib import Path

from studio.app.project import Project
from studio.errors import UsageError

LEFT_OUT = (".stepwire", "__pycache__", "out", "memories")
"""What runs leave in a project is no part of it; `memories` is that of `data/`."""


def copy_project(source: Path, into: Path) -> Project:
    """Copy a project into a folder, under its own name or the next that is free, and open the copy.

    Raises `UsageError`; then no half of a copy is left.
    """
    target = _free(into / source.name)
    try:
        into.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source, target, ignore=shutil.ignore_patterns(*LEFT_OUT))
        _make_writable(target)
    except (OSError, shutil.Error) as error:
        shutil.rmtree(target, ignore_errors=True)
        raise UsageError(
            f"`{target}` could not be made: {_reason(error)}.", hint="Choose another folder, or make room."
        ) from error
    return Project.open(target)


def _free(path: Path) -> Path:
    number = 2
    found = path
    while found.exists() or found.is_symlink():
        found = path.with_name(f"{path.name}_{number}")
        number += 1
    return found


def _make_writable(folder: Path) -> None:
    """An installed gallery may be read-only; its copy is there to be edited."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(path.stat().st_mode | (0o700 if path.is_dir() else 0o600))


def _reason(error: OSError | shutil.Error) -> str:
    return (error.strerror or str(error)).lower()
