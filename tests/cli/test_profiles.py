"""Chat profiles on the command line: which there are, and what they can do."""

import json
import os
from pathlib import Path
from typing import Any, cast

import pytest

from studio.llm.endpoints.probes import Capability, Finding, Verdict
from studio.workspace.abilities import Abilities
from studio.workspace.project import Project
from tests.app.written_projects import write_project
from tests.cli.conftest import Call

LOCAL = {"base_url": "http://127.0.0.1:9/v1", "llm": "tiny", "time_limits": {"connect": 1}}
SCRIPT = """
rules:
  - when: {has_tool: note}
    tool_calls: [{name: note, arguments: {number: 7}}]
  - reply: ok
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STEPWIRE_CONFIG", str(tmp_path / "config"))
    chat = {"default": "local", "profiles": {"local": LOCAL}}
    return write_project(tmp_path / "trial", chat=chat, script=SCRIPT)


def test_profiles_are_listed_with_where_they_ask_and_where_the_key_is(call: Call, root: Path) -> None:
    listed = call("profiles", "list", "--project", root)
    assert listed.code == 0
    assert listed.out.splitlines() == [
        "local: tiny at http://127.0.0.1:9/v1, key from OPENAI_API_KEY, the default",
        "scripted: scripted answers",
        "openai: the model in OPENAI_MODEL at OPENAI_BASE_URL, or OpenAI, key from OPENAI_API_KEY",
        "made-up: made-up answers that fit the request; no key, free",
        "person: you answer each chat yourself, in the terminal or in the window",
    ]
    plain = call("profiles", "list", "--project", root, "--json").json
    assert [one["name"] for one in plain] == [  # type: ignore[attr-defined]
        *("local", "scripted", "openai"),
        *("made-up", "person"),
    ]


def test_a_test_tells_what_an_endpoint_can_do(call: Call, root: Path) -> None:
    tested = call("profiles", "test", "scripted", "--project", root)
    assert tested.code == 0
    lines = tested.out.splitlines()
    assert lines[0] == "✓ answers: `scripted` answered: “ok”."
    assert lines[2] == "✓ tools: It called the tool."
    assert lines[3].startswith("✗ JSON schema: It accepted the schema")
    findings = json.loads(call("profiles", "test", "scripted", "--project", root, "--json").out)["findings"]
    assert [one["verdict"] for one in findings] == [
        "yes",
        "yes",
        "yes",
        "no",
        "no",
        "unclear",
        "yes",
        "no",
        "yes",
    ]


def test_an_endpoint_that_is_not_there_ends_with_1(call: Call, root: Path) -> None:
    tested = call("profiles", "test", "local", "--project", root)
    assert tested.code == 1
    assert "http://127.0.0.1:9/v1 could not be reached" in tested.out
    assert "– tools: The endpoint can't be reached." in tested.out


def test_a_profile_that_lacks_its_key_is_a_wrong_call(call: Call, root: Path) -> None:
    tested = call("profiles", "test", "openai", "--project", root)
    assert tested.code == 2
    assert "remedy: Set OPENAI_MODEL" in tested.err


def test_what_was_found_is_listed_with_its_day(call: Call, root: Path) -> None:
    profile = Project.open(root).profiles["local"]
    findings = [Finding(one, Verdict.YES, "It did.") for one in Capability]
    Abilities.of_user(os.environ).keep(profile, os.environ, findings)
    assert (
        ": ✓ answers, ✓ streaming, ✓ tools, ✓ JSON schema" in call("profiles", "list", "--project", root).out
    )
    listed = cast("list[Any]", call("profiles", "list", "--project", root, "--json").json)
    assert listed[0]["tested"]["findings"]["JSON schema"] == "yes"
    assert listed[2]["tested"] is None
