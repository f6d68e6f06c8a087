"""The folder of a project in which this machine keeps what is nobody else's business."""

from pathlib import Path


def make_ignored_folder(folder: Path) -> Path:
    """Make it, with the file that keeps it out of version control; raises `OSError`."""
    folder.mkdir(parents=True, exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", "utf-8")
    return folder
