"""`stepwire runs import` takes in what a script told."""

from pathlib import Path

import pytest

from studio.cli.main import main
from tests.app.test_script_traces import FLOWS, project_of
from tests.export.scripts import call, export
from tests.runtime.bench import flow_of


def test_a_script_s_run_is_listed_and_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flow = flow_of(*FLOWS["files in a map"])
    export(flow, tmp_path / "script.py")
    call(tmp_path / "script.py", [f"--trace={tmp_path / 'trace.jsonl'}"])
    project_of(flow, tmp_path)
    here = ["--project", str(tmp_path)]
    assert main(["runs", "import", str(tmp_path / "trace.jsonl"), *here]) == 0
    run = capsys.readouterr().out.strip()
    assert main(["runs", "list", *here]) == 0
    assert "from a script" in capsys.readouterr().out
    assert main(["runs", "show", run, *here]) == 0
    said = capsys.readouterr().out
    assert "from     a script" in said
    assert "each.2/note" in said
