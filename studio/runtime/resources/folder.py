"""The files of a project as nodes see them: one folder, and no way out of it."""

import contextlib
import os
import sqlite3
import tempfile
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path, PurePosixPath

from studio.errors import ToolError

STARTED_FROM = frozenset({"bin", "sbin", "node_modules", "site-packages", "__pycache__"})
"""Folders from which programs are started, or code is loaded, wherever they lie."""

LOADED = frozenset({".py", ".pyc", ".pyd", ".so", ".pth"})
"""What Python loads by itself from the folder in which a script lies."""

WRITING = ".writing-"
"""Begins the name of a file that is being written."""

LEFT_OVER = 3600.0
"""Seconds after which nobody writes it any more."""


class ProjectFolder:
    """Reads and writes below `root`, links resolved; hidden files and folders do not exist for it."""

    def __init__(self, root: Path, path: str = "") -> None:
        self._root = root.resolve()
        self._base = self._inside(self._root, path) if path else self._root

    def names(self, pattern: str = "*") -> list[str]:
        """The relative paths of the files below whose end matches `pattern`, sorted."""
        if not self._base.is_dir():
            message = f"There is no folder `{self._relative(self._base)}` in the project."
            raise ToolError(message, hint="Check the folder's name in the settings.")
        found = (path for path in self._base.rglob("*") if path.is_file() and self._is_open(path))
        paths = (path.relative_to(self._base) for path in found)
        wanted = ["**", *(part for part in pattern.split("/") if part not in {"", "."})]
        return sorted(path.as_posix() for path in paths if fits(path.parts, wanted))

    def read_text(self, path: str) -> str:
        """Read a UTF-8 file."""
        place = self._inside(self._base, path)
        try:
            return place.read_text("utf-8")
        except FileNotFoundError as error:
            message = f"There is no file `{path}`."
            raise ToolError(message) from error
        except UnicodeDecodeError as error:
            message = f"`{path}` is not UTF-8 text."
            raise ToolError(message) from error
        except OSError as error:
            message = f"`{path}` cannot be read: {error.strerror}."
            raise ToolError(message) from error

    def read_bytes(self, path: str) -> bytes:
        """Read a file as it is."""
        place = self._inside(self._base, path)
        try:
            return place.read_bytes()
        except FileNotFoundError as error:
            message = f"There is no file `{path}`."
            raise ToolError(message) from error
        except OSError as error:
            message = f"`{path}` cannot be read: {error.strerror}."
            raise ToolError(message) from error

    def database(self, path: str, *, write: bool = False) -> sqlite3.Connection:
        """Open a SQLite file; a thread may open it, and another use it."""
        place = self._writable(path) if write else self._inside(self._base, path)
        if not place.is_file():
            message = f"There is no file `{path}`."
            raise ToolError(message)
        try:
            mode = "rw" if write else "ro"
            return sqlite3.connect(
                f"{place.as_uri()}?mode={mode}", uri=True, isolation_level=None, check_same_thread=False
            )
        except sqlite3.Error as error:
            message = f"`{path}` cannot be opened: {error}."
            raise ToolError(message) from error

    def exists(self, path: str) -> bool:
        """Tell whether there is a file."""
        return self._inside(self._base, path).is_file()

    def write_text(self, path: str, text: str) -> str:
        """Write a UTF-8 file whole or not at all."""
        place = self._writable(path)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=place.parent, prefix=WRITING)
            _sweep(place.parent)
            try:
                with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                    file.write(text)
                    file.flush()
                    os.fsync(file.fileno())
                Path(temporary).chmod(0o644)
                Path(temporary).replace(place)
            except BaseException:
                with contextlib.suppress(OSError):
                    Path(temporary).unlink()
                raise
        except OSError as error:
            message = f"`{path}` cannot be written: {error.strerror}."
            raise ToolError(message) from error
        return self._relative(place)

    def append_text(self, path: str, text: str) -> str:
        """Append to a UTF-8 file."""
        place = self._writable(path)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            with place.open("a", encoding="utf-8", newline="\n") as file:
                file.write(text)
        except OSError as error:
            message = f"`{path}` cannot be written: {error.strerror}."
            raise ToolError(message) from error
        return self._relative(place)

    def _inside(self, base: Path, path: str) -> Path:
        parts = PurePosixPath(path.replace("\\", "/")).parts
        if any(part.startswith(".") and part not in {".", ".."} for part in parts):
            message = f"`{path}` is hidden, and flows cannot use hidden files."
            raise ToolError(message)
        try:
            place = (base / path).resolve()
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                place.lstat()
        except (OSError, ValueError) as error:
            message = "This is not a valid path, or it cannot be read."
            raise ToolError(message) from error
        if not place.is_relative_to(base):
            message = f"`{path}` leads out of the folder."
            raise ToolError(message, hint="Use a path inside the folder.")
        return place

    def _writable(self, path: str) -> Path:
        """Where the file is; raises `ToolError` where what is written might be run, or widen what may."""
        place = self._inside(self._base, path)
        parts = [part.casefold() for part in place.relative_to(self._root).parts]
        is_loaded = len(parts) == 1 and place.suffix.casefold() in LOADED
        if parts[:1] == ["nodes"] or not STARTED_FROM.isdisjoint(parts[:-1]) or is_loaded:
            message = f"`{path}` is in a place from which programs are started."
            raise ToolError(message, hint="Write it to a data folder, such as `data` or `out`.")
        if parts == ["project.json"] or _is_document(place):
            message = f"`{path}` is a Stepwire document, which flows cannot write."
            raise ToolError(message, hint="Choose another name.")
        if place.is_file() and place.stat().st_mode & 0o111:
            message = f"`{path}` is a program, which flows cannot write."
            raise ToolError(message, hint="Choose another name, or make it a plain file.")
        return place

    def _is_open(self, path: Path) -> bool:
        hidden = any(part.startswith(".") for part in path.relative_to(self._base).parts)
        return not hidden and path.resolve().is_relative_to(self._root)

    def _relative(self, place: Path) -> str:
        return place.relative_to(self._root).as_posix() or "."


def fits(parts: Sequence[str], wanted: Sequence[str]) -> bool:
    """Tell whether a path is as a pattern wants it, part by part; `**` is any number of parts."""
    ends = {0}
    for part in wanted:
        if part == "**":
            ends = {*range(min(ends), len(parts) + 1)} if ends else ends
        else:
            ends = {end + 1 for end in ends if end < len(parts) and fnmatchcase(parts[end], part)}
    return len(parts) in ends


def _is_document(place: Path) -> bool:
    """Tell whether there is a flow or project in that file."""
    try:
        if place.suffix.casefold() != ".json" or not place.is_file():
            return False
        with place.open("rb") as file:
            return b'"stepwire.' in file.read()
    except OSError:
        return False


@cache
def _sweep(folder: Path) -> None:
    """Remove what processes that were killed while they wrote left in a folder; done once by each process."""
    ages: dict[Path, float] = {}
    for left in folder.glob(f"{WRITING}*"):
        with contextlib.suppress(OSError):
            ages[left] = left.stat().st_mtime
    for left, written in ages.items():
        if max(ages.values()) - written > LEFT_OVER:  # the newest is being written now
            left.unlink(missing_ok=True)
