"""Makes the box, as a process: `building SOURCE IMAGE`. Tells its progress as lines of JSON."""

import lzma
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import orjson

from studio.sandbox.image import UNFINISHED, shipped_component

STEPS = (
    "building the Python sandbox, once on this machine",
    "building the Python sandbox, once on this machine: compiling it",
)


def main(argv: Sequence[str] | None = None) -> int:
    """Compile, and put the image in its place whole or not at all."""
    source, image = (Path(one) for one in (argv or sys.argv[1:]))
    with tempfile.TemporaryDirectory(dir=image.parent, prefix=UNFINISHED) as folder:
        work = Path(folder)
        _tell(0)
        component = component_of(source, work)
        _tell(1)
        compiled = work / "image"
        compiled.write_bytes(compile_component(component))
        compiled.chmod(0o600)
        compiled.replace(image)
    _tell(2)
    return 0


def component_of(source: Path, work: Path) -> bytes:
    """Give the component: the one that was shipped, or else one that is composed here."""
    shipped = shipped_component(source)
    if shipped.exists():
        return lzma.decompress(shipped.read_bytes())
    from studio.sandbox.composing import compose

    return compose(source, work)


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
