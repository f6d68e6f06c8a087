"""Where a script is put that is a package: a folder of its own, written whole or not at all."""

import contextlib
import keyword
import os
import re
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path

from studio.app.write_guard import APPLY
from studio.errors import PlaceError
from studio.export.forms.package import PROJECT_FILE, Package, digest_of
from studio.flow.records import Flow
from studio.ids import is_identifier, slug

ELSEWHERE = "Choose another folder with `-o`."


def folder_of(flow: Flow) -> str:
    """What the folder of a flow's package is called where nobody names it."""
    return slug(flow.name or "flow").replace("_", "-")


def package_name(folder: Path) -> str:
    """What the package in a folder is called, after it; raises `PlaceError` where that is no name for one."""
    stem = folder.resolve().name
    if stem.endswith(".py"):
        raise PlaceError(f"`{stem}` looks like a file, and a package is a folder.", hint=ELSEWHERE)
    name = re.sub(r"[^a-z0-9]+", "_", stem.casefold()).strip("_")
    if not is_identifier(name) or keyword.iskeyword(name):
        raise PlaceError(
            f"A package cannot be named after `{stem}`.",
            hint="Choose a folder with `-o` whose name starts with a Latin letter.",
            elsewhere="Choose a folder whose name starts with a Latin letter.",
        )
    if name in sys.stdlib_module_names:
        message = f"Python already has a module `{name}`, which the package would hide."
        raise PlaceError(message, hint=ELSEWHERE)
    return name


def save_package(folder: Path, package: Package, *, force: bool = False) -> None:
    """Write it into a new folder, or in the place of one that was exported before and not changed since.

    What else lies in such a folder stays. Raises `PlaceError` for one that was changed, but for `force`, for
    any other, and when the disk refuses.
    """
    folder = folder.resolve()
    try:
        before = _exported_before(folder, force=force)
        with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as staged:
            new = Path(staged, "new")
            _write(new, package.files)
            if before is None:
                with contextlib.suppress(FileNotFoundError):
                    folder.rmdir()
                new.rename(folder)
            else:
                _exchange(folder, new, Path(staged, "old"), (before, package.name))
    except OSError as error:
        message = f"`{folder}` could not be written: {error.strerror or error}."
        raise PlaceError(message, hint=ELSEWHERE) from error


def _exported_before(folder: Path, *, force: bool) -> str | None:
    """The name of the package that lies there; None where nothing does. Raises `PlaceError`."""
    if not folder.is_dir():
        if folder.exists():
            raise PlaceError(f"`{folder}` is a file.", hint=ELSEWHERE)
        return None
    if not any(folder.iterdir()):
        return None
    found = _own(folder)
    if found is None:
        message = f"`{folder}` contains something other than an exported flow and was left unchanged."
        raise PlaceError(message, hint=ELSEWHERE)
    name, digest = found
    if not force and digest_of(_read(folder, name)) != digest:
        message = f"The export in `{folder}` has been edited since and was left unchanged."
        script = folder / name / "script.py"
        raise PlaceError(
            message,
            hint=APPLY.format(script),
            elsewhere="Choose another folder.",
            loses="script",
            edited=script,
        )
    return name


def _own(folder: Path) -> tuple[str, str] | None:
    """The name and digest of the package that is said to be exported there."""
    try:
        told = tomllib.loads((folder / PROJECT_FILE).read_text("utf-8"))["tool"]["stepwire"]
        name, digest = told["package"], told["digest"]
    except (OSError, ValueError, LookupError, TypeError):
        return None
    is_told = isinstance(name, str) and is_identifier(name) and isinstance(digest, str)
    return (name, digest) if is_told else None


def _read(folder: Path, name: str) -> Mapping[str, str]:
    """The files of an export as they are now; what Python keeps of them is none of them."""
    inside = [path for path in (folder / name).rglob("*") if path.is_symlink() or not path.is_dir()]
    found = [folder / PROJECT_FILE, *(path for path in inside if path.parent.name != "__pycache__")]
    return {
        path.relative_to(folder).as_posix(): path.read_bytes().decode("utf-8", "backslashreplace")
        for path in found
    }


def _write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    for name, said in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            file.write(said if isinstance(said, bytes) else said.encode())
            file.flush()
            os.fsync(file.fileno())


def _exchange(folder: Path, new: Path, old: Path, names: tuple[str, str]) -> None:
    """Put the new files in the place of the old ones; where that fails half-way, all is put back."""
    old.mkdir()
    before, after = names
    moves = [(folder / one, old / one) for one in (before, PROJECT_FILE)]
    moves += [(new / one, folder / one) for one in (after, PROJECT_FILE)]
    done: list[tuple[Path, Path]] = []
    try:
        for start, end in moves:
            start.rename(end)
            done.append((start, end))
    except BaseException:  # also where somebody interrupts it: what is left in `old` is removed
        for start, end in reversed(done):
            end.rename(start)
        raise
