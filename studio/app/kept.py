"""Small JSON documents that the studio keeps for itself between sessions: settings, breakpoints, last inputs.

They are a comfort, not the user's work: one that cannot be read counts as empty, one that cannot be written
is reported once, and the studio goes on with what it holds in memory.
"""

import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import cast

from studio.errors import StepwireError

PRIVATE = ".stepwire"
"""The folder of a project that is this machine's own business: runs, breakpoints, last inputs."""

Trouble = Callable[[StepwireError], None]


class KeptError(StepwireError):
    """Something that the studio keeps for itself could not be written."""


class Kept:
    """One JSON object in one file, always written whole: temporary file, fsync, rename."""

    def __init__(self, path: Path, on_trouble: Trouble | None = None) -> None:
        self.path = path
        self._on_trouble = on_trouble
        self._has_complained = False

    def read(self) -> dict[str, object]:
        """Give the document; empty where there is none, or where it is no JSON object."""
        try:
            found: object = json.loads(self.path.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return cast("dict[str, object]", found) if isinstance(found, dict) else {}

    def write(self, document: Mapping[str, object]) -> bool:
        """Replace the document; a disk that refuses is told to `on_trouble`, the first time."""
        try:
            _make_folder(self.path.parent)
            text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
            write_whole(self.path, text.encode())
        except OSError as error:
            if self._on_trouble is not None and not self._has_complained:
                self._has_complained = True
                self._on_trouble(
                    KeptError(
                        f"`{self.path}` could not be written: {error.strerror or error}.",
                        hint="The studio goes on and forgets this when it is closed.",
                    )
                )
            return False
        return True


def private_folder(root: Path) -> Path:
    """Name the folder inside the project `root` that is kept out of version control."""
    return root / PRIVATE


def _make_folder(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if folder.name == PRIVATE and not (folder / ".gitignore").exists():
        (folder / ".gitignore").write_text("*\n", "utf-8")


def write_whole(path: Path, data: bytes) -> None:
    """Make the file hold `data`, or what it held before; raises `OSError`."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
