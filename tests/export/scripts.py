"""Exports flows and runs the scripts, in this process or in one of their own."""

import asyncio
import contextlib
import importlib.util
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from studio.app.exporting import export_flow, save_script
from studio.flow.calls import GivenFlows
from studio.flow.records import Flow
from studio.llm.answer_server import serve
from studio.llm.scripted import ScriptBook
from tests.runtime.bench import REGISTRY
from tests.runtime.bench import run as run_engine


@dataclass(frozen=True)
class Scripted:
    """How a script ended."""

    code: int
    out: str
    err: str

    @property
    def outputs(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out)


def export(flow: Flow, path: Path, flows: Mapping[str, Flow] | None = None) -> str:
    """Export a flow that the tests built, and save the script; `flows` are those that it may call."""
    registry = REGISTRY.with_flows(GivenFlows(flows)) if flows else REGISTRY
    text = export_flow(flow, registry=registry, name="bench")
    save_script(path, text)
    return text


def call(path: Path, arguments: Sequence[str] = (), typed: str = "") -> Scripted:
    """Run a script that asks no language model, in this process."""
    spec = importlib.util.spec_from_file_location("stepwire_script", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        patch.object(sys, "argv", [str(path), *arguments]),
        patch.object(sys, "stdin", io.StringIO(typed)),
        patch.dict(sys.modules, {"stepwire_script": module}),
    ):
        spec.loader.exec_module(module)
        code = module.main()
    return Scripted(code, out.getvalue(), err.getvalue())


async def spawn(path: Path, arguments: Sequence[str] = (), *, answers: Path, typed: str = "") -> Scripted:
    """Run a script as a process of its own against an answer server."""
    async with await serve(ScriptBook.load(answers), pace=0) as server:
        environ = {
            **{name: value for name, value in os.environ.items() if not name.startswith("OPENAI_")},
            "OPENAI_BASE_URL": server.base_url,
            "OPENAI_API_KEY": "none",
            "OPENAI_MODEL": "scripted",
        }
        ended = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-I", str(path), *arguments],
            input=typed,
            capture_output=True,
            text=True,
            env=environ,
            cwd="/",
            check=False,
        )
    return Scripted(ended.returncode, ended.stdout, ended.stderr)


def both(
    flow: Flow,
    folder: Path,
    inputs: Mapping[str, Any] | None = None,
    flows: Mapping[str, Flow] | None = None,
) -> tuple[Any, Any]:
    """What the engine and the script give for a flow; an error's class where they fail."""
    given = inputs or {}
    ran = asyncio.run(run_engine(flow, given, root=folder, flows=flows))
    assert ran.outcome is not None
    error = ran.outcome.error
    path = folder / "script.py"
    export(flow, path, flows)
    arguments: list[str] = []
    for name, value in given.items():
        written = value if isinstance(value, str) else json.dumps(value)
        arguments.append(f"--{name.replace('_', '-')}={written}")
    ended = call(path, arguments)
    if error is not None:
        return error.error, ended.err.rpartition("error: ")[2].partition(":")[0]
    return dict(ran.outcome.outputs), ended.outputs


def complaints(folder: Path) -> str:
    """What ruff, with its own rules, and pyright say about the scripts in a folder; empty for nothing."""
    settings = {"typeCheckingMode": "strict", "pythonVersion": "3.11"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    said = ""
    for command in (
        ("ruff", "format", "--check", "--isolated", "--no-cache", str(folder)),
        ("ruff", "check", "--isolated", "--no-cache", str(folder)),
        ("basedpyright", "--pythonpath", sys.executable, "--project", str(folder)),
    ):
        path = shutil.which(
            command[0], path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        )
        if path is None:
            pytest.skip(f"{command[0]} is not installed")
        ended = subprocess.run([path, *command[1:]], capture_output=True, text=True, check=False)  # noqa: S603
        said += ended.stdout if ended.returncode else ""
    return said
