"""Where a script is put: with its engine beside it, alone, or as one file; never over what somebody made."""

import ast
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from studio.app.scripts.engine_folder import EngineFolder
from studio.app.scripts.taken_names import is_taken
from studio.app.write_guard import refuse_loss
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


@dataclass(frozen=True, slots=True)
class ScriptToSave:
    """A script, and the file that it is to be written to.

    `libraries` are as of `beside_engine`, `reads` the files that are read for it. Each way of saving it
    raises `PlaceError` before anything is written: where what it `reads` would be lost, where without `force`
    an edited script or another file would be, and where by its name the script would be imported in the place
    of something else; and when the disk refuses.
    """

    path: Path
    script: str
    libraries: Iterable[str] = ()
    reads: Iterable[Path] = ()
    force: bool = False

    def save(self, *, force_engine: bool | None = None) -> Written:
        """Write it, which can be started by itself, and beside it the engine that it imports.

        An engine that was edited is lost with `force_engine` only, by default as `force`.
        """
        written = beside_engine(self.script, libraries=self.libraries)
        self._refuse(written)
        if not written.needs.is_empty:
            is_forced = self.force if force_engine is None else force_engine
            EngineFolder(self.path, written.needs, force=is_forced).save()
        self._write(written.text.encode())
        return written

    def save_alone(self, wheel: Path | None = None) -> Written:
        """Write it without the engine, for where the kit is installed, whose `wheel` its header may name."""
        if wheel is not None and not wheel.is_file():
            message = f"There is no wheel `{wheel}`."
            raise PlaceError(message, hint="Write one with `stepwire kit -o FOLDER`.")
        written = alone(self.script, libraries=self.libraries, wheel=wheel)
        self._refuse(written)
        self._write(written.text.encode())
        return written

    def save_archive(self) -> None:
        """Write it and its engine as one file."""
        refuse_loss(self.path, "archive", reads=self.reads, force=self.force)
        self._write(archive_of(self.script, libraries=self.libraries))

    def _refuse(self, written: Written) -> None:
        """Raise `PlaceError` where the script may not stand in this file, or is not to have its name.

        One whose edits the flow has by now, so that it says what is to be written, is not lost.
        """
        path = self.path
        is_kept = not self.force and path.is_file() and says_the_same(_text_of(path), written.text)
        refuse_loss(path, "script", reads=self.reads, force=self.force or is_kept)
        if path.stem in sys.stdlib_module_names:
            message = f"Python already has a module `{path.stem}`, which the script would hide."
            raise PlaceError(message, hint=ANOTHER_NAME)
        imported = imported_by(written.text) | set(map(import_name, written.libraries))
        if not written.needs.is_empty:
            imported |= OURS
        if path.stem in imported or is_taken(path.stem, imported - OURS):
            message = f"The script needs a module `{path.stem}`, and as `{path.name}` it would import itself."
            raise PlaceError(message, hint=ANOTHER_NAME)

    def _write(self, data: bytes) -> None:
        try:
            write_whole(self.path, data)
            self.path.chmod(self.path.stat().st_mode | 0o111)
        except OSError as error:
            raise PlaceError(
                f"`{self.path}` could not be written: {error.strerror or error}.",
                hint="Choose another place with `-o`.",
            ) from error


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


def _text_of(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")
