"""Starts a script that is one file with its engine: as `__main__.py` it is put into that file.

The engine is unpacked once, into the user's cache under the digest of what it is, and imported from there.
Nothing but Python's own modules is imported until it is known that all libraries are installed.
"""

import atexit
import json
import os
import shlex
import shutil
import stat
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

ENGINE = "stepwire_kit"
TOLD = "archive.json"
SCRIPT = "script.py"


def start(archive: Path) -> None:
    """Run the script in a file as the main module; ends with exit code 2 where a library is not installed."""
    with zipfile.ZipFile(archive) as file:
        told: dict[str, Any] = json.loads(file.read(TOLD))
        _refuse_missing(told["libraries"])
        sys.path[0] = str(_unpacked(file, told["engine"]))  # the archive itself has nothing to import
        text = file.read(SCRIPT).decode()
    main = ModuleType("__main__")
    main.__file__ = str(archive)
    sys.modules["__main__"] = main
    exec(compile(text, str(archive), "exec", dont_inherit=True), main.__dict__)  # noqa: S102  # the script


def _refuse_missing(libraries: Mapping[str, str]) -> None:
    """End where a library cannot be imported; `libraries` has by module what an installer is told."""
    missing = [asked for module, asked in libraries.items() if find_spec(module) is None]
    if not missing:
        return
    names = ", ".join(f"`{one}`" for one in missing)
    said = "is not installed" if len(missing) == 1 else "are not installed"
    remedy = shlex.join([sys.executable, "-m", "pip", "install", *missing])
    sys.stderr.write(f"error: This script needs {names}, which {said}.\n  remedy: Run: {remedy}\n")
    raise SystemExit(2)


def _unpacked(file: zipfile.ZipFile, digest: str) -> Path:
    """Where the engine lies: in the cache, or for this run alone where nothing can be kept there."""
    names = [one for one in file.namelist() if one.startswith(f"{ENGINE}/")]
    from platformdirs import user_cache_path

    place = user_cache_path("stepwire") / "scripts" / digest
    try:
        if not _is_whole(place, names):
            _unpack(file, names, place)
    except OSError:
        pass
    if _is_whole(place, names):
        return place
    place = Path(tempfile.mkdtemp(prefix="stepwire-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    file.extractall(place, names)
    return place


def _is_whole(place: Path, names: Sequence[str]) -> bool:
    """Whether all is there, and nobody but its owner, who we are, could have written it."""
    try:
        found = place.stat()
    except OSError:
        return False
    is_ours = found.st_uid == os.getuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return is_ours and all((place / one).exists() for one in names)


def _unpack(file: zipfile.ZipFile, names: Sequence[str], place: Path) -> None:
    """Put the engine into its place, whole or not at all; raises `OSError`, also where another was faster."""
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with tempfile.TemporaryDirectory(dir=place.parent, prefix="unpacking-") as staged:
        new = Path(staged, "new")
        new.mkdir(mode=0o700)
        file.extractall(new, names)
        if place.exists():
            place.rename(Path(staged, "old"))
        new.rename(place)


if __name__ == "__main__":
    start(Path(sys.argv[0]).resolve())
