"""Files of a project that values name."""

from collections.abc import Callable
from pathlib import Path

from studio.errors import ToolError
from studio.runtime.resources.folder import ProjectFolder


def finds_files(root: Path) -> Callable[[str], Path | None]:
    """Make what gives the file of a project that a text names; hidden ones, and those outside, are none."""
    folder = ProjectFolder(root)

    def find(text: str) -> Path | None:
        try:
            return (root / text).resolve() if folder.exists(text) else None
        except (ToolError, OSError, ValueError):
            return None

    return find
