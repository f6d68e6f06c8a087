"""Composes CPython and the guest into one WebAssembly component, the same for every machine.

The home of `componentize-py`, which no kit and no release needs: they have the component.
"""

import importlib
import lzma
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from studio.sandbox.image import shipped_component, source_folder


def compose(source: Path, work: Path) -> bytes:
    """Put CPython and the guest into one WebAssembly component."""
    componentize_py: Any = importlib.import_module("componentize_py")

    guest = work / "guest"
    guest.mkdir()
    shutil.copy(source / "guest.py", guest)
    component = work / "box.wasm"
    # It looks for packages to take along where this names an environment; there are none to take.
    os.environ["VIRTUAL_ENV"] = str(guest)
    wanted = ["-d", str(source / "box.wit"), "-w", "box", "-q"]
    sys.argv = ["componentize-py", *wanted, "componentize", "-p", str(guest), "guest", "-o", str(component)]
    try:
        componentize_py.script()
    except SystemExit as error:
        if error.code:
            raise
    return component.read_bytes()


def write_component(folder: Path) -> Path:
    """Compose the component that a release ships; gives its file. `stepwire sandbox --component` calls it."""
    source = source_folder()
    path = folder / shipped_component(source).name
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        packed = lzma.compress(compose(source, Path(work)))
    unfinished = path.with_suffix(".part")
    unfinished.write_bytes(packed)
    unfinished.replace(path)
    return path
