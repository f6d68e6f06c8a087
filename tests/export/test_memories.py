"""Memories that last are those of the project, whichever of its runs writes them, drawn or of a script."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from studio.app.scripts.flow_export import export_flow
from studio.cli.main import main
from studio.flow import codec
from studio.store.memories.file_names import file_of
from studio.workspace.catalog import builtin_registry
from studio.workspace.problems import read_flow
from studio.workspace.project import Project
from studio.workspace.runs import prepare, run_here
from tests.app.written_projects import write_project
from tests.runtime.bench import flow_of
from tests.script.commands import run_script

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
                Project.open(path), read_flow(path).flow, builtin_registry(), environ={}, inputs=given
            )
            said.append(str(asyncio.run(run_here(made)).outputs["out"].data))
    assert [one.count("bird") for one in said] == [1, 2, 3]
    assert len(list((tmp_path / "data").rglob("*.memory"))) == 1


def test_a_memory_of_a_called_flow_is_the_one_that_drawn_runs_use(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nodes = {"word": "io.flow_input", "inner": ("control.subflow", {"flow": "keep it.json"}), "out": OUT}
    outer = json.loads(codec.dumps(flow_of(nodes, [])))
    outer["wires"] = ["word.value -> inner.word", "inner.out -> out.value"]
    write_project(tmp_path, flow=outer)
    (tmp_path / "keep it.json").write_text(json.dumps({**noting({}), "name": "Notes on birds"}), "utf-8")
    path, folder = tmp_path / "flow.json", tmp_path / "data" / "memories"
    folder.mkdir(parents=True)
    file_of(folder, "notes_on_birds:notes").write_bytes(b"")
    arguments = ["export", str(path), "-o", str(tmp_path / "script.py"), "--kit"]
    assert main(arguments) == 0
    assert "earlier exports used `notes_on_birds:notes`" in capsys.readouterr().err
    file_of(folder, "notes_on_birds:notes").unlink()
    said: list[str] = []
    for word, run in (("bird one", _drawn), ("bird two", _written), ("bird three", _drawn)):
        said.append(run(tmp_path, word, capsys))
    assert [one.count("bird") for one in said] == [1, 2, 3]
    assert list(folder.iterdir()) == [file_of(folder, "keep_it_json:notes")]
    assert main(["apply", str(tmp_path / "script.py")]) == 0
    assert "have the same texts and settings" in capsys.readouterr().out


def _drawn(folder: Path, word: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["run", str(folder), "--input", f"word={word}"]) == 0
    return capsys.readouterr().out


def _written(folder: Path, word: str, capsys: pytest.CaptureFixture[str]) -> str:
    script = folder / "script.py"
    assert run_script(script, script.read_text("utf-8"), "--word", word) == 0
    return str(json.loads(capsys.readouterr().out)["out"])
