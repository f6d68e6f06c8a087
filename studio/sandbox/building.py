"""Makes the box, as a process: `building SOURCE IMAGE`. Tells its progress as lines of JSON."""

import importlib
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson

from studio.sandbox.image import UNFINISHED

STEPS = (
    "building the Python sandbox, once on this machine",
    "building the Python sandbox, once on this machine: compiling it",
)


def main(argv: Sequence[str] | None = None) -> int:
    """Compose, compile, and put the image in its place whole or not at all."""
    source, image = (Path(one) for one in (argv or sys.argv[1:]))
    with tempfile.TemporaryDirectory(dir=image.parent, prefix=UNFINISHED) as folder:
        work = Path(folder)
        _tell(0)
        component = compose(source, work)
        _tell(1)
        compiled = work / "image"
        compiled.write_bytes(compile_component(component))
        compiled.chmod(0o600)
        compiled.replace(image)
    _tell(2)
    return 0


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


def compile_component(component: bytes) -> bytes:
    """Compile for this machine."""
    from wasmtime.component import Component

    from studio.sandbox.worker import engine

    return bytes(Component(engine(), component).serialize())


def _tell(done: int) -> None:
    note = STEPS[done] if done < len(STEPS) else "the Python sandbox is ready"
    sys.stdout.write(orjson.dumps([done, len(STEPS), note]).decode() + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
