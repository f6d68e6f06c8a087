"""Memories that last are those of the project, whichever of its runs writes them, drawn or of a script."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from studio.app.scripts.flow_export import export_flow
from studio.flow.files import codec
from studio.workspace.catalog import builtin_registry
from studio.workspace.problems import read_flow
from studio.workspace.project import Project
from studio.workspace.runs import prepare, run_here
from tests.app.written_projects import write_project
from tests.runtime.bench import flow_of
from tests.script.commands import run_script
from tests.trusted import HERE

OUT = "io.flow_output"


def noting(settings: dict[str, Any]) -> dict[str, Any]:
    """A flow that notes a word in a memory that lasts, and gives all that is in it."""
    flow = flow_of(
        {
            "word": "io.flow_input",
            "notes": ("memory.notes", {"keep": "project", **settings}),
            "note": "memory.remember",
            "look": ("memory.recall", {}, {"query": "bird"}),
            "out": OUT,
        },
        [
            "notes.memory -> note.memory",
            "notes.memory -> look.memory",
            "word.value -> note.texts",
            "note.then -> look.after",
            "look.text -> out.value",
        ],
    )
    return json.loads(codec.dumps(flow))


@pytest.mark.parametrize("settings", [{}, {"name": "Birds & co"}], ids=["its node's name", "a name"])
def test_a_script_goes_on_with_what_a_drawn_run_remembers_and_the_other_way(
    settings: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_project(tmp_path, flow=noting(settings))
    path = tmp_path / "flow.json"
    said: list[str] = []
    for number, word in enumerate(("bird one", "bird two", "bird three")):
        if number % 2:
            assert run_script(tmp_path / "script.py", export_flow(path), "--word", word) == 0
            said.append(json.loads(capsys.readouterr().out)["out"])
        else:
            given = {"word": word}
            made = prepare(
                Project.open(path), read_flow(path).flow, builtin_registry(), environ=HERE, inputs=given
            )
            said.append(str(asyncio.run(run_here(made)).outputs["out"].data))
    assert [one.count("bird") for one in said] == [1, 2, 3]
    assert len(list((tmp_path / "data").rglob("*.memory"))) == 1
