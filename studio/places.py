"""Where the studio's own files lie, in a checkout and in an installed wheel alike."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from studio.errors import StepwireError
from studio.extras import missing_library

PACKAGE = Path(__file__).resolve().parent
SHIPPED = PACKAGE / "_data"
"""What the wheel carries of the folders that stand beside `studio/` in a checkout."""


class MissingFileError(StepwireError):
    """A file that belongs to the studio itself is not there."""


def themes() -> Path:
    """Give the folder of themes and their stylesheet."""
    return _folder("themes")


def resources() -> Path:
    """Give the folder of icons, fonts, prices, schemas and the guide."""
    return _folder("resources")


def projects() -> Path:
    """Give the folder of example projects; in a wheel it may not be writable."""
    return _folder("projects")


def parts() -> Path:
    """Name the folder of the flows that projects share; where the engine came alone, there is none."""
    return (SHIPPED if SHIPPED.is_dir() else PACKAGE.parent) / "projects" / "parts"


def nodes() -> Path:
    """Give the folder of the node library, a package beside `studio` in both layouts."""
    return _existing(PACKAGE.parent / "nodes")


def vector_files() -> Path:
    """Give the folder with the two files of embedded vectors: ours, or the package's that they come from."""
    ours = resources() / "vectors"
    if (ours / "weights" / "l2_supercat_256.safetensors").is_file():
        return ours
    package = find_spec("wordllama")
    if package is None or not package.submodule_search_locations:
        raise MissingFileError(
            "The files of embedded vectors are missing.", hint=missing_library("wordllama")
        )
    return Path(package.submodule_search_locations[0])


def example_projects() -> Iterator[Path]:
    """Give each example project's folder, sorted by name; the systems of the gallery are apart from these."""
    yield from sorted(path.parent for path in projects().glob("*/flow.json") if not _is_exhibit(path.parent))


def gallery_projects() -> Iterator[Path]:
    """Give the folder of each published system, sorted by name."""
    yield from sorted(path.parent for path in projects().glob("*/flow.json") if _is_exhibit(path.parent))


def _is_exhibit(folder: Path) -> bool:
    return (folder / "gallery.json").exists()


def _folder(name: str) -> Path:
    return _existing((SHIPPED if SHIPPED.is_dir() else PACKAGE.parent) / name)


def _existing(path: Path) -> Path:
    if not path.exists():
        raise MissingFileError(
            f"Stepwire's own `{path}` is missing.",
            hint="Reinstall Stepwire, or run it from a complete checkout.",
        )
    return path
