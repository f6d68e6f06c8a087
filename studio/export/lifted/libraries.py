"""What a script has in the place of the studio's own installation: what its head makes be installed."""

from importlib.util import find_spec
from pathlib import Path

from studio.sdk import StepError


def missing_library(name: str) -> str:
    """Give the hint for a library that is not installed."""
    return f"Run: pip install {name}"


def vector_files() -> Path:
    """Give the folder with the two files of embedded vectors, which lie in a package."""
    package = find_spec("wordllama")
    if package is None or not package.submodule_search_locations:
        raise StepError("Embedded vectors need `wordllama`.", hint=missing_library("wordllama"))
    return Path(package.submodule_search_locations[0])
