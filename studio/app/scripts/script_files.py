"""Where a script is put: with its engine beside it, alone, or as one file; never over what somebody made."""

import ast
import sys
from collections.abc import Iterable
from pathlib import Path

from studio.app.overwriting import refuse_loss
from studio.app.scripts.engine_folder import EngineFolder
from studio.app.scripts.taken_names import is_taken
from studio.errors import PlaceError
from studio.export.forms.archive import archive_of
from studio.export.forms.engine import SANDBOX, engine_of, import_name, needs_of
from studio.export.forms.imports import OURS
from studio.export.forms.scripts import Written, alone, beside_engine
from studio.export.forms.signature import says_the_same
from studio.sandbox.image import shipped_component
from studio.workspace.project import Project
from studio.workspace.whole_file import write_whole

ANOTHER_NAME = "Choose another name with `-o`."


def save_script(
    path: Path,
    script: str,
    *,
    libraries: Iterable[str] = (),
    reads: Iterable[Path] = (),
    force: bool = False,
    force_engine: bool | None = None,
) -> Written:
    """Write the script, which can be started by itself, and beside it the engine that it imports.

    `libraries` are as of `beside_engine`. Raises `PlaceError` before anything is written: where
    an edited script, or another file, would be lost without `force`, an edited engine without `force_engine`
    (by default as `force`), where what is read for it
    would be lost, and where by its name the script would be imported in the place of something else; and
    when the disk refuses.
    """
    written = beside_engine(script, libraries=libraries)
    _refuse(path, written, reads, force=force)
    if not written.needs.is_empty:
        EngineFolder(path, written.needs, force=force if force_engine is None else force_engine).save()
    _write(path, written.text.encode())
    return written


def save_alone(
    path: Path,
    script: str,
    *,
    libraries: Iterable[str] = (),
    wheel: Path | None = None,
    reads: Iterable[Path] = (),
    force: bool = False,
) -> Written:
    """Write the script without the engine, for where the kit is installed; raises as `save_script`.

    A `wheel` of the kit is named in the script's header.
    """
    if wheel is not None and not wheel.is_file():
        message = f"There is no wheel `{wheel}`."
        raise PlaceError(message, hint="Write one with `stepwire kit -o FOLDER`.")
    written = alone(script, libraries=libraries, wheel=wheel)
    _refuse(path, written, reads, force=force)
    _write(path, written.text.encode())
    return written


def save_archive(
    path: Path,
    script: str,
    *,
    libraries: Iterable[str] = (),
    reads: Iterable[Path] = (),
    force: bool = False,
) -> None:
    """Write the script and its engine as one file; raises as `save_script`."""
    refuse_loss(path, "archive", reads=reads, force=force)
    _write(path, archive_of(script, libraries=libraries))


def libraries_of(project: Project) -> frozenset[str]:
    """The distributions that a project's scripts need for its chat profiles, beside what they import."""
    in_keyring = any(one.key_from == "keyring" for one in project.profiles.values())
    return frozenset({"keyring"} if in_keyring else ())


def lacks_sandbox(script: str) -> bool:
    """Tell whether a script runs code, and this copy of the studio has no sandbox to bring along."""
    return SANDBOX in engine_of(needs_of(script)).resources and not shipped_component().exists()


def imported_by(script: str) -> set[str]:
    """The first names of the modules that a script imports."""
    nodes = list(ast.walk(ast.parse(script)))
    named = [alias.name for one in nodes if isinstance(one, ast.Import) for alias in one.names]
    named += [one.module or "" for one in nodes if isinstance(one, ast.ImportFrom)]
    return {name.partition(".")[0] for name in named}


def _refuse(path: Path, written: Written, reads: Iterable[Path], *, force: bool) -> None:
    """Raise `PlaceError` where the script may not stand in this file, or is not to have its name.

    One whose edits the flow has by now, so that it says what is to be written, is not lost.
    """
    is_kept = not force and path.is_file() and says_the_same(_text_of(path), written.text)
    refuse_loss(path, "script", reads=reads, force=force or is_kept)
    if path.stem in sys.stdlib_module_names:
        message = f"Python already has a module `{path.stem}`, which the script would hide."
        raise PlaceError(message, hint=ANOTHER_NAME)
    imported = imported_by(written.text) | set(map(import_name, written.libraries))
    if not written.needs.is_empty:
        imported |= OURS
    if path.stem in imported or is_taken(path.stem, imported - OURS):
        message = f"The script needs a module `{path.stem}`, and as `{path.name}` it would import itself."
        raise PlaceError(message, hint=ANOTHER_NAME)


def _text_of(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


def _write(path: Path, data: bytes) -> None:
    try:
        write_whole(path, data)
        path.chmod(path.stat().st_mode | 0o111)
    except OSError as error:
        raise PlaceError(
            f"`{path}` could not be written: {error.strerror or error}.",
            hint="Choose another place with `-o`.",
        ) from error
