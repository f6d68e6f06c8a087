"""Scripts are as short as what they do: nobody reads three times the flow for what it never uses."""

from pathlib import Path
from typing import Any

import pytest

from studio.app.exporting import export_flow
from studio.workspace.project import Project
from tests.export.scripts import export
from tests.projects.running import SHOWN
from tests.runtime.bench import flow_of

OUTPUT: Any = ("io.flow_output", {}, {})
LINES = {"chapters": 1290, "field_notes": 1610, "front_desk": 4740, "side_by_side": 1085}
"""How many lines the script of an example may have; a change that needs more has to be worth reading."""


@pytest.mark.parametrize("folder", SHOWN, ids=lambda folder: folder.name)
def test_the_script_of_an_example_is_no_longer_than_it_has_to_be(folder: Path) -> None:
    lines = export_flow(Project.open(folder).main_flow).splitlines()
    assert len(lines) <= LINES[folder.name]


def test_a_plain_chat_brings_nothing_for_forms_tools_histories_and_files(tmp_path: Path) -> None:
    nodes: dict[str, Any] = {"chat": ("llm.chat", {}, {"prompt": "What sang?"}), "out": OUTPUT}
    text = export(flow_of(nodes, ["chat.reply -> out.value"]), tmp_path / "script.py")
    brought = (
        "jsonschema",
        "tool_calls",
        "temperature",
        "json_schema",
        "tidied",
        "Image",
        "Folder",
        "own_client",
        "{{",
        "RunError",
        "`images`",
    )
    assert [name for name in brought if name in text] == []
    assert len(text.splitlines()) <= 460


def test_an_agent_without_tools_brings_no_loop(tmp_path: Path) -> None:
    settings = {"answer_schema": {"type": "object", "properties": {"bird": {"type": "string"}}}}
    nodes = {"agent": ("llm.agent", settings, {"prompt": "What sang?"}), "out": OUTPUT}
    text = export(flow_of(nodes, ["agent.data -> out.value"]), tmp_path / "script.py")
    brought = ("tool_calls", "_worked", "history", "ports_of_fields", "regex", "FORMATS", "KNOWN")
    assert [name for name in brought if name in text] == []


def test_what_is_given_is_brought(tmp_path: Path) -> None:
    settings = {
        "temperature": 0.5,
        "profile": "fast",
        "answer_schema": {"type": "object", "properties": {"day": {"type": "string", "format": "date"}}},
    }
    nodes = {"agent": ("llm.agent", settings, {"prompt": "When?"}), "out": OUTPUT}
    text = export(flow_of(nodes, ["agent.day -> out.value"]), tmp_path / "script.py")
    assert all(
        name in text for name in ("temperature=temperature", "own_client", "FORMATS", "ports_of_fields")
    )
    assert "forms=[(AGENT_ANSWER_SCHEMA, None)]" in text.replace("\n", "")


def test_of_what_a_schema_may_say_only_what_it_says_has_words(tmp_path: Path) -> None:
    score: dict[str, Any] = {"anyOf": [{"type": "number", "minimum": 1}, {"type": "null"}]}
    settings = {"answer_schema": {"type": "object", "properties": {"score": score}}}
    nodes = {"agent": ("llm.agent", settings, {"prompt": "How good?"}), "out": OUTPUT}
    text = export(flow_of(nodes, ["agent.data -> out.value"]), tmp_path / "script.py")
    words = ("should be at least", "should have one of its forms", "should be at most", "should be one of")
    assert [one in text for one in words] == [True, True, False, False]
