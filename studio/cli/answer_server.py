"""Serve scripted answers over the OpenAI HTTP protocol on this machine."""

import argparse
import asyncio
from pathlib import Path

from studio.terminal.output import say, write_line
from studio.terminal.signals import run_until_signal

LAST_PORT = 65535


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire answer-server`."""
    parser.add_argument(
        "script",
        metavar="ANSWERS",
        type=Path,
        help="a file of scripted answers, a folder of such files (*.yaml), or a project",
    )
    parser.add_argument("--port", type=_port, default=0, metavar="N", help="the port (default: a free one)")
    parser.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="NAME",
        help="inject a fault; repeatable; a wrong name lists the available ones",
    )
    parser.add_argument(
        "--cache",
        type=int,
        default=0,
        metavar="N",
        help="report prefix-cache tokens as if the cache had so many slots (default: none)",
    )


def execute(arguments: argparse.Namespace) -> int:
    """Serve; print the base URL as soon as clients may come."""
    return run_until_signal(
        _serve(arguments.script, arguments.port, arguments.fault, max(arguments.cache, 0))
    ).code


async def _serve(script: Path, port: int, faults: list[str], cache: int) -> None:
    from studio.llm.scripted_answers.script_book import ScriptBook
    from studio.llm.scripted_answers.server import serve

    book = ScriptBook.load(_scripts(script))
    async with await serve(book, port=port, faults=faults, cache=cache) as server:
        write_line(server.base_url)
        say("Serving scripted answers. Press Ctrl+C to stop.")
        await asyncio.Event().wait()


def _scripts(path: Path) -> Path:
    """The scripts that a path means: of a project, those in its folder for them."""
    return path / "scripts" if (path / "project.json").is_file() else path


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= LAST_PORT:
        message = f"a port must be a number from 0 to {LAST_PORT}"
        raise argparse.ArgumentTypeError(message)
    return port
