"""Serve scripted answers over the OpenAI HTTP protocol on this machine, until interrupted."""

import argparse
import asyncio
from pathlib import Path

from studio.cli.printing import say, write_line
from studio.cli.signals import run_until_signal


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire answer-server`."""
    parser.add_argument(
        "script", metavar="SCRIPT", type=Path, help="a script, or a folder of scripts (*.yaml)"
    )
    parser.add_argument("--port", type=int, default=0, metavar="N", help="the port; a free one by default")
    parser.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="NAME",
        help="misbehave so; may be given often",
    )


def execute(arguments: argparse.Namespace) -> int:
    """Serve; print the base URL as soon as clients may come."""
    return run_until_signal(_serve(arguments.script, arguments.port, arguments.fault)).code


async def _serve(script: Path, port: int, faults: list[str]) -> None:
    from studio.llm.answer_server import serve
    from studio.llm.scripted import ScriptBook

    async with await serve(ScriptBook.load(script), port=port, faults=faults) as server:
        write_line(server.base_url)
        say("Serving scripted answers. Ctrl+C ends it.")
        await asyncio.Event().wait()
