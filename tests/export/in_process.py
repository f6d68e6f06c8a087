"""Runs scripts in this process, as their command line would, on an endpoint and in a time of the test's."""

import asyncio
import io
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

from openai import AsyncOpenAI

from studio.llm.scripted import ScriptBook
from studio.llm.scripted_endpoint import ScriptedEndpoint
from studio.llm.scripted_transport import scripted_http_client
from tests.export.scripts import Scripted

Run = Callable[[Any], Any]
"""Runs a coroutine to its end, as `asyncio.run` does."""


def play(
    source: str,
    arguments: Sequence[str] = (),
    *,
    given: Mapping[str, Any] | None = None,
    run: Run = asyncio.run,
    typed: str = "",
    environ: Mapping[str, str] | None = None,
    place: Path = Path("script.py"),
) -> Scripted:
    """Run a script; `given` takes the place of what it knows by these names, where it knows them.

    A script that asks a language model is told a name for it.
    """
    module = ModuleType("stepwire_played")
    module.__file__ = str(place)
    space = module.__dict__
    out, err = io.StringIO(), io.StringIO()
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OPENAI_")}
    asks = ["--model=scripted"] if '"--model"' in source else []
    with (
        redirect_stdout(out),
        redirect_stderr(err),
        patch.dict(sys.modules, {"stepwire_played": module}),
        patch.dict(os.environ, {**kept, **(environ or {})}, clear=True),
        patch.object(sys, "argv", [str(place), *asks, *arguments]),
        patch.object(sys, "stdin", io.StringIO(typed)),
    ):
        exec(compile(source, str(place), "exec"), space)  # noqa: S102  # it is what is tested
        space.update({name: value for name, value in (given or {}).items() if name in space})
        space["asyncio"] = _Asyncio(run)
        code = space["main"]()
    return Scripted(code, out.getvalue(), err.getvalue())


def client_of(endpoint: ScriptedEndpoint, **options: Any) -> Callable[..., AsyncOpenAI]:
    """What a script may know as `AsyncOpenAI`: a client that reaches nothing but the endpoint."""

    def client(**given: Any) -> AsyncOpenAI:
        told: dict[str, Any] = {"api_key": "none", "base_url": "http://scripted.invalid/v1"}
        told |= {**options, **given, "http_client": scripted_http_client(endpoint)}
        return AsyncOpenAI(**told)

    return client


async def ask(path: Path, arguments: Sequence[str] = (), *, answers: Path, typed: str = "") -> Scripted:
    """Run a saved script on scripted answers, as `spawn` does in a process of its own."""
    given = {"AsyncOpenAI": client_of(ScriptedEndpoint(ScriptBook.load(answers), pace=0))}
    return await asyncio.to_thread(
        lambda: play(path.read_text("utf-8"), arguments, given=given, typed=typed, place=path)
    )


class _Asyncio(ModuleType):
    """What a script knows as asyncio."""

    def __init__(self, run: Run) -> None:
        super().__init__("asyncio")
        self.run = run

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)
