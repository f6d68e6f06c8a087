"""Build the sandbox in which Python code of flows runs, if needed, and test it."""

import argparse
import asyncio
import time
from importlib.util import find_spec
from pathlib import Path

from studio.errors import BoxMissingError
from studio.extras import missing_library
from studio.terminal.output import print_json, say, write_line

TRIAL = "def main():\n    return sum(range(10))"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire sandbox`."""
    parser.add_argument("--json", action="store_true", help="print what was found as JSON")
    parser.add_argument(
        "--component",
        type=Path,
        metavar="FOLDER",
        help="write the part of the sandbox that is the same on every machine, for a release; "
        "needs componentize-py",
    )


def execute(arguments: argparse.Namespace) -> int:
    """Make and try the box; raises `BoxMissingError` where it can't be had, with the remedy."""
    from studio.sandbox.image import image_path, is_ours

    if arguments.component is not None:
        return _write_component(arguments.component)
    path = image_path()
    was_there = is_ours(path)
    seconds = asyncio.run(_tried())
    if arguments.json:
        print_json({"image": str(path), "was_there": was_there, "seconds": round(seconds, 4)})
        return 0
    write_line(f"The sandbox {'is' if was_there else 'has been built and is'} ready: {path}")
    write_line(f"A warm call takes {seconds * 1000:.1f} ms.")
    return 0


def _write_component(folder: Path) -> int:
    from studio.sandbox.composing import write_component

    if find_spec("componentize_py") is None:
        raise BoxMissingError("The sandbox can't be composed here.", hint=missing_library("componentize-py"))
    write_line(f"The sandbox is composed: {write_component(folder)}")
    return 0


async def _tried() -> float:
    """Call code twice, and give the seconds that the second call took."""
    from studio.sandbox.wasm import WasmBox
    from studio.sdk.code import CodeCall

    async with WasmBox() as box:
        await box.run(CodeCall(TRIAL, "main"), on_progress=_tell)
        begun = time.perf_counter()
        await box.run(CodeCall(TRIAL, "main"))
        return time.perf_counter() - begun


def _tell(done: float, total: float, what: str) -> None:
    say(f"{done:g} of {total:g}: {what}")
