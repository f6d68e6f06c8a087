"""The folder of a project that is this machine's own business: runs, breakpoints, last inputs, versions."""

from pathlib import Path

from studio.store.folder import make_ignored_folder

PRIVATE = ".stepwire"


def private_folder(root: Path) -> Path:
    """Name the folder inside the project `root` that is kept out of version control."""
    return root / PRIVATE


def make_private_folder(root: Path) -> Path:
    """Make it, with the file that keeps it out of version control; raises `OSError`."""
    return make_ignored_folder(private_folder(root))
