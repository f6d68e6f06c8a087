"""`stepwire runs import` takes in what a script told."""

from pathlib import Path

import pytest

from studio.cli.main import main
from tests.app.old_traces import FLOW, TRACE, project_of
from tests.app.scripts.test_script_traces import OTHER, traced


def test_an_old_script_s_run_is_listed_and_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project_of(FLOW, tmp_path)
    assert_listed(TRACE, tmp_path, "each.1/save", capsys)


def test_a_script_s_run_is_listed_and_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = traced(tmp_path / "away")
    capsys.readouterr()
    (tmp_path / "home").mkdir()
    project_of(OTHER, tmp_path / "home")
    assert_listed(trace, tmp_path / "home", "rounds.2/writer", capsys)


def assert_listed(trace: Path, folder: Path, step: str, capsys: pytest.CaptureFixture[str]) -> None:
    here = ["--project", str(folder)]
    assert main(["runs", "import", str(trace), *here]) == 0
    run = capsys.readouterr().out.strip()
    assert main(["runs", "list", *here]) == 0
    assert "from a Python script" in capsys.readouterr().out
    assert main(["runs", "show", run, *here]) == 0
    said = capsys.readouterr().out
    assert "from     a Python script" in said
    assert step in said
