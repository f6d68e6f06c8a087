"""A project from elsewhere at the command line: refused with 5, shown, approved, and asked about again."""

import json
from pathlib import Path

import pytest

from studio.workspace.trust import TRUSTED_FOLDERS
from tests.app.written_projects import write_project
from tests.cli.conftest import Call


def project_with(folder: Path, file: str = "out/a.txt") -> Path:
    flow = {
        "format": "stepwire.flow",
        "version": 1,
        "name": "Keeper",
        "nodes": {
            "note": {"kind": "io.flow_input", "settings": {"default": "A wren."}},
            "save": {"kind": "io.write_file", "title": "Save", "settings": {"path": file}},
            "kept": {"kind": "io.flow_output"},
        },
        "wires": ["note.value -> save.text", "save.file -> kept.value"],
    }
    return write_project(folder, flow=flow)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STEPWIRE_CONFIG", str(tmp_path / "config"))
    monkeypatch.delenv(TRUSTED_FOLDERS)
    return project_with(tmp_path / "keeper")


def test_it_ends_with_5_names_what_it_would_do_and_the_line_that_approves(call: Call, folder: Path) -> None:
    ended = call("run", folder)
    assert ended.code == 5
    assert "Save (Write file): files of the project, which it writes" in ended.err
    assert f"stepwire trust {folder}" in ended.err
    assert not (folder / "out").exists()
    assert not (folder / ".stepwire").exists(), "nothing was run, so no run is kept"


def test_it_is_approved_as_it_is_and_asked_about_again_when_it_changes(call: Call, folder: Path) -> None:
    assert call("trust", folder).code == 5
    approved = call("trust", folder, "--approve")
    assert approved.code == 0
    assert "Save (Write file)" in approved.out
    assert call("run", folder).code == 0
    run = call("runs", "list", "--project", folder, "--json").json[0]["run"]
    project_with(folder, "out/b.txt")
    changed = call("run", folder)
    assert changed.code == 5
    assert "-out/a.txt" in call("trust", folder).out
    assert call("replay", run, "--project", folder).code == 0, "what it did then is approved"
    assert call("trust", folder, "--revoke").code == 0
    assert call("replay", run, "--project", folder).code == 5


def test_trust_approves_and_runs_in_one_line(call: Call, folder: Path) -> None:
    assert call("run", folder, "--trust").code == 0
    assert call("run", folder).code == 0


def test_a_machine_approves_by_a_hash_that_somebody_looked_at(call: Call, folder: Path) -> None:
    told = call("trust", folder, "--json")
    assert told.code == 5
    assert [one["approved"] for one in told.json["parts"]] == [False]
    wrong = call("trust", folder, "--hash", "0" * 16)
    assert wrong.code == 2
    assert "has changed" in wrong.err
    assert call("run", folder).code == 5
    assert call("trust", folder, "--hash", told.json["hash"]).code == 0
    assert call("run", folder).code == 0


def test_what_is_made_here_runs_at_once(call: Call, folder: Path, tmp_path: Path) -> None:
    assert call("new", tmp_path / "mine").code == 0
    copied = call("gallery", "toolchain", "--copy", tmp_path / "copies")
    assert copied.code == 0
    told = json.loads(call("trust", tmp_path / "copies" / "toolchain", "--json").out)
    assert told["made_here"]
    assert call("trust", tmp_path / "mine").out.startswith("It executes, reaches and writes nothing")
    assert call("trust", folder).code == 5
