"""Where a script is less careful than the studio, `stepwire export` says so."""

from pathlib import Path

from tests.app.flows import chain
from tests.app.projects import write_project
from tests.app.test_unguarded import CODE
from tests.cli.conftest import Call


def test_the_command_line_says_it_beside_the_script_and_only_where_there_is_something(
    call: Call, tmp_path: Path
) -> None:
    flow = {
        "format": "stepwire.flow",
        "version": 1,
        "name": "Code",
        "nodes": {"code": {"kind": "control.python", "settings": CODE}, "out": {"kind": "io.flow_output"}},
        "wires": ["code.result -> out.value"],
    }
    project = write_project(tmp_path / "trial", flow=flow)
    assert "not in a sandbox" in call("export", project, "-o", tmp_path / "script.py").err
    plain = write_project(tmp_path / "plain", flow=chain())
    assert "there" not in call("export", plain, "-o", tmp_path / "plain.py").err
