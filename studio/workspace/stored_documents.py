"""Small JSON documents that the studio keeps for itself between sessions: settings, breakpoints, last inputs.

They are a comfort, not the user's work: one that cannot be read counts as empty, one that cannot be written
is reported once, and the studio goes on with what it holds in memory.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

from studio.errors import StepwireError
from studio.workspace.private_folder import PRIVATE, make_private_folder
from studio.workspace.whole_file import write_whole

Trouble = Callable[[StepwireError], None]


class KeptError(StepwireError):
    """Something that the studio keeps for itself could not be written."""


class Kept:
    """One JSON object in one file, always written whole."""

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
        """Replace the document; what the disk refuses, or JSON cannot say, is told to `on_trouble` once."""
        try:
            if self.path.parent.name == PRIVATE:
                make_private_folder(self.path.parent.parent)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
            write_whole(self.path, text.encode())
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else None
            if self._on_trouble is not None and not self._has_complained:
                self._has_complained = True
                self._on_trouble(
                    KeptError(
                        f"`{self.path}` could not be written: {reason or error}.",
                        hint="Stepwire keeps working, but forgets this when it is closed.",
                    )
                )
            return False
        return True
