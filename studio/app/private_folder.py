"""The folder of a project that is this machine's own business: runs, breakpoints, last inputs, versions."""

from pathlib import Path

PRIVATE = ".stepwire"


def private_folder(root: Path) -> Path:
    """Name the folder inside the project `root` that is kept out of version control."""
    return root / PRIVATE


def make_private_folder(root: Path) -> Path:
    """Make it, with the file that keeps it out of version control; raises `OSError`."""
    folder = private_folder(root)
    folder.mkdir(parents=True, exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", "utf-8")
    return folder
