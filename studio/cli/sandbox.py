"""Build the sandbox in which Python code of flows runs, if needed, and test it."""

import argparse
import asyncio
import time

from studio.cli.printing import print_json, say, write_line

TRIAL = "def main():\n    return sum(range(10))"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire sandbox`."""
    parser.add_argument("--json", action="store_true", help="print what was found as JSON")


def execute(arguments: argparse.Namespace) -> int:
    """Make and try the box; raises `BoxMissingError` where it can't be had, with the remedy."""
    from studio.sandbox.image import image_path, is_ours

    path = image_path()
    was_there = is_ours(path)
    seconds = asyncio.run(_tried())
    if arguments.json:
        print_json({"image": str(path), "was_there": was_there, "seconds": round(seconds, 4)})
        return 0
    write_line(f"The sandbox {'is' if was_there else 'has been built and is'} ready: {path}")
    write_line(f"A warm call takes {seconds * 1000:.1f} ms.")
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
