"""Scripts as they are exported, written by hand: one for each thing that an engine may or may not have."""

from pathlib import Path

FOLDER = Path(__file__).parent / "scripts"


def subject(name: str) -> str:
    """Give the text of a script."""
    return (FOLDER / f"{name}.py").read_text("utf-8")


def written_to(folder: Path, files: dict[str, bytes]) -> Path:
    """Write files below a folder, and give it."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder
