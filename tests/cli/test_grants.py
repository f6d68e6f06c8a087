"""What may start is looked at beforehand, and kept where no project reaches."""

import json
import sys
from pathlib import Path

import pytest

from tests.app.written_projects import write_project
from tests.cli.conftest import Call
from tests.servers.running import PLAIN


def project_with(folder: Path, *, variables: tuple[str, ...] = ("BIRD_KEY",)) -> Path:
    flow = {
        "format": "stepwire.flow",
        "version": 1,
        "name": "Birds",
        "nodes": {
            "call": {
                "kind": "control.call_tool",
                "settings": {"tool_name": "surroundings"},
                "inputs": {"arguments": {}},
            },
            "birds": {
                "kind": "tools.mcp_server",
                "settings": {"command": " ".join(PLAIN.command), "variables": list(variables)},
            },
            "out": {"kind": "io.flow_output"},
        },
        "wires": ["birds.tool -> call.tool[0]", "call.text -> out.value"],
    }
    return write_project(folder, flow=flow)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STEPWIRE_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("BIRD_KEY", "two-wrens")
    return project_with(tmp_path / "birds")


@pytest.mark.process
@pytest.mark.timeout(120)
def test_a_run_ends_and_says_how_to_allow_it_and_then_starts_it(call: Call, folder: Path) -> None:
    ended = call("run", folder)
    assert ended.code == 4
    assert "Do you approve starting this command?" in ended.err
    assert "stepwire grants" in ended.err
    allowed = call("grants", folder, "--approve")
    assert "birds: allowed" in allowed.out
    assert f"in {folder}" in allowed.out
    ran = call("run", folder)
    assert ran.code == 0, ran.err
    assert "[hidden]" in ran.out, "what it is given of the environment is in no answer"
    assert "two-wrens" not in ran.out
    kept = folder / ".stepwire"
    assert not any(b"two-wrens" in path.read_bytes() for path in kept.rglob("*") if path.is_file())


@pytest.mark.process
@pytest.mark.timeout(120)
def test_a_run_that_waits_goes_on_when_it_is_answered(call: Call, folder: Path) -> None:
    assert call("run", folder).code == 4
    went_on = call("resume", "latest", "--project", folder, "--answer", "birds#ask.1=true")
    assert went_on.code == 0, went_on.err
    assert call("grants", folder, "--json").json == [
        {
            "node": "birds",
            "command": [sys.executable, PLAIN.command[1]],
            "folder": str(folder),
            "variables": ["BIRD_KEY"],
            "scripts": [PLAIN.command[1]],
            "allowed": True,
        }
    ]


def test_another_variable_or_folder_is_asked_about_again_and_leave_can_be_taken_back(
    call: Call, folder: Path, tmp_path: Path
) -> None:
    def is_allowed(place: Path, *more: str) -> bool:
        [one] = json.loads(call("grants", place, "--json", *more).out)
        return one["allowed"]

    assert not is_allowed(folder)
    assert is_allowed(folder, "--approve")
    assert is_allowed(folder)
    assert not is_allowed(project_with(tmp_path / "elsewhere"))
    project_with(folder, variables=("BIRD_KEY", "OTHER_KEY"))
    assert not is_allowed(folder)
    project_with(folder)
    assert not is_allowed(folder, "--revoke")
    assert not is_allowed(folder)


def test_a_flow_without_servers_says_so(call: Call, project: Path) -> None:
    assert call("grants", project).out == "Nothing in this flow needs approval.\n"


def test_hosts_that_are_not_public_are_shown_and_allowed_as_well(call: Call, tmp_path: Path) -> None:
    nodes = {
        "near": ("tools.http_request", {"hosts": ["127.0.0.1:80"], "private": True}),
        "far": ("tools.http_request", {"hosts": ["example.org"]}),
        "server": ("tools.mcp_server", {"over": "address", "url": "http://nas/mcp", "private": True}),
    }
    flow = {
        "format": "stepwire.flow",
        "version": 1,
        "name": "Reach",
        "nodes": {name: {"kind": kind, "settings": settings} for name, (kind, settings) in nodes.items()},
        "wires": [],
    }
    folder = write_project(tmp_path / "reach", flow=flow)
    wanted = [("near", ["127.0.0.1:80"]), ("server", ["nas"])]
    for more, is_allowed in ((), False), (("--approve",), True), ((), True), (("--revoke",), False):
        assert call("grants", folder, "--json", *more).json == [
            {"node": node, "private": hosts, "allowed": is_allowed} for node, hosts in wanted
        ]
    assert "near: asks a person first\n  reaches 127.0.0.1:80, on this machine" in call("grants", folder).out


def test_what_was_allowed_is_asked_about_again_when_the_script_changes(call: Call, tmp_path: Path) -> None:
    folder = project_with(tmp_path / "birds")
    document = json.loads((folder / "flow.json").read_text())
    document["nodes"]["birds"]["settings"]["command"] = "python server.py"
    (folder / "flow.json").write_text(json.dumps(document))
    (folder / "server.py").write_text("1")
    assert call("grants", folder, "--approve", "--json").json[0]["allowed"]
    (folder / "server.py").write_text("2")
    shown = call("grants", folder, "--json").json[0]
    assert (shown["allowed"], shown["scripts"]) == (False, ["server.py"])
