"""`stepwire export --verify` at the command line: what it prints, and its exit code."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.app.flows import chain
from tests.app.written_projects import write_flow, write_project
from tests.cli.conftest import Call
from tests.cli.test_fallback import REFUSES, ran


@pytest.mark.script
def test_a_script_is_verified_by_the_latest_run_or_the_beginning_of_its_id(
    call: Call, project: Path, tmp_path: Path
) -> None:
    call("run", project, "--input", "question=one")
    script = tmp_path / "script.py"
    called = call("export", project, "-o", script, "--verify", "latest")
    assert called.code == 0
    assert called.out.splitlines()[1].endswith(": 1 request and the end are identical.")
    runs = call("runs", "list", "--project", project, "--json").json
    assert isinstance(runs, list)
    told = call("export", project, "-o", script, "--verify", runs[0]["run"][:12], "--json").json
    assert isinstance(told, dict)
    assert told["verified"]["same"] is True
    assert told["verified"]["run"] == runs[0]["run"]


@pytest.mark.script
def test_a_difference_gives_one_and_names_the_step_and_the_other_version(
    call: Call, project: Path, tmp_path: Path
) -> None:
    call("run", project, "--input", "question=one")
    write_flow(project / "flow.json", chain(settings={"instructions": "Be kind."}))
    script = tmp_path / "script.py"
    called = call("export", project, "-o", script, "--verify", "latest")
    assert called.code == 1
    lines = called.out.splitlines()
    assert lines[0] == str(script)
    told = (
        r"Different from the run [-\w]+: “Writer” \(line \d+\): the script calls the model differently, at "
    )
    assert re.match(told, lines[1])
    assert lines[2].startswith("The run was made with another version of the flow")
    told = json.loads(call("export", project, "-o", script, "--verify", "latest", "--json").out)
    assert (told["verified"]["same"], told["verified"]["difference"]["title"]) == (False, "“Writer”")
    write_flow(project / "flow.json", {**chain(), "name": "Something else"})
    called = call("export", project, "-o", script, "--verify", "latest")
    assert called.code == 0, "what it is called makes no difference, but is told"
    assert "The run belongs to the flow “Ask once”, not to “Something else”." in called.out


def test_a_run_that_is_not_there_is_said_before_anything_is_written(
    call: Call, project: Path, tmp_path: Path
) -> None:
    called = call("export", project, "-o", tmp_path / "script.py", "--verify", "latest")
    assert called.code == 2
    assert "There is no run" in called.err
    assert not (tmp_path / "script.py").exists()


@pytest.mark.script
def test_a_failed_run_is_failed_alike(call: Call, project: Path, tmp_path: Path) -> None:
    (project / "scripts" / "answers.yaml").write_text("rules: [{error: {status: 400, message: not today}}]")
    assert call("run", project, "--input", "question=one").code == 1
    called = call("export", project, "-o", tmp_path / "script.py", "--verify", "latest")
    assert (called.code, "and the end are identical" in called.out) == (0, True)


@pytest.mark.script
def test_pictures_are_those_that_the_run_sent(call: Call, tmp_path: Path) -> None:
    flow: dict[str, Any] = chain(default="What is it?")
    flow["nodes"]["photo"] = {"kind": "io.picture", "settings": {"file": "wren.gif"}}
    flow["wires"] += ["photo.picture -> writer.images[0]"]
    project = write_project(tmp_path / "p", flow=flow, script="rules: [{reply: '{{ images | length }}'}]")
    (project / "wren.gif").write_bytes(b"GIF89a" + bytes(300))
    assert call("run", project).code == 0
    (project / "wren.gif").unlink()
    assert call("export", project, "-o", tmp_path / "script.py", "--verify", "latest").code == 0


@pytest.mark.script
def test_who_refuses_and_who_is_asked_in_its_place_are_two_requests(call: Call, tmp_path: Path) -> None:
    root = tmp_path / "p"
    state, _ = ran(root, REFUSES)
    assert state.error is None
    called = call("export", root, "-o", tmp_path / "script.py", "--verify", "latest")
    assert (called.code, ": 2 requests and the end are identical" in called.out) == (0, True)


@pytest.mark.script
def test_a_replay_is_a_run_as_well_and_one_that_waits_for_a_person_is_none(
    call: Call, project: Path, tmp_path: Path
) -> None:
    call("run", project, "--input", "question=one")
    assert call("replay", "latest", "--project", project).code == 0
    assert call("export", project, "-o", tmp_path / "script.py", "--verify", "latest").code == 0
    flow: dict[str, Any] = chain(kind="human.ask")
    flow["wires"] = ["question.value -> writer.question", "writer.answer -> answer.value"]
    write_flow(project / "flow.json", flow)
    assert call("run", project, "--input", "question=one").code == 4
    called = call("export", project, "-o", tmp_path / "script.py", "--verify", "latest")
    assert (
        called.code,
        re.match(r"error: Not compared with the run [-\w]+: That run was", called.err) is not None,
    ) == (2, True)


@pytest.mark.script
def test_a_package_is_verified_as_a_script_is(call: Call, project: Path, tmp_path: Path) -> None:
    call("run", project, "--input", "question=one")
    folder = tmp_path / "ask-once"
    called = call("export", project, "-o", folder, "--package", "--verify", "latest")
    assert called.code == 0
    lines = called.out.splitlines()
    assert lines[0] == str(folder)
    assert re.fullmatch(r"Equal to the run [-\w]+: 1 request and the end are identical\.", lines[1])
    assert f"uv run --project {folder} ask-once" in called.err
    write_flow(project / "flow.json", chain(settings={"instructions": "Be kind."}))
    called = call("export", project, "-o", folder, "--package", "--verify", "latest")
    assert called.code == 1
    assert re.search(r": “Writer” \(line \d+\): the script calls the model", called.out.splitlines()[1])
    assert not list(folder.rglob("__pycache__"))


def test_a_run_with_injected_faults_is_no_measure_of_a_script(
    call: Call, project: Path, tmp_path: Path
) -> None:
    call("run", project, "--input", "question=one", "--fault", "corrupt writer")
    called = call("export", project, "-o", tmp_path / "script.py", "--verify", "latest")
    assert called.code == 2
    assert "injected faults, which scripts do not have" in called.err
