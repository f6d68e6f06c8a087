"""Scripts of agents that remember: they are reminded, and keep what was said, as in a run."""

from pathlib import Path
from typing import Any

import pytest

from studio.flow.records import Flow
from tests.export.scripts import export
from tests.export.verifying import verified
from tests.runtime.bench import flow_of
from tests.runtime.test_scheduler import INPUT, OUTPUT

RULES = """
rules:
  - when: {schema: true}
    reply: {ratings: [5]}
  - when: {has_tool: remember_in_diary, turn: 0}
    tool_calls: [{name: remember_in_diary, arguments: {text: "The {{ question | length }} owls."}}]
  - when: {has_tool: hand_over_to_expert, turn: 0}
    tool_calls: [{name: hand_over_to_expert, arguments: {}}]
  - when: {has_tool: expert, turn: 0}
    tool_calls: [{name: expert, arguments: {task: "How many owls?"}}]
  - reply: "{{ messages | length }}: {{ question }} {{ last | length }}"
"""

DIARY: dict[str, Any] = {"diary": ("memory.stream", {"reflects_at": 0}), "talk": "memory.window"}


def asked_twice(more: dict[str, Any], *wires: str, settings: dict[str, Any] | None = None) -> Flow:
    """An agent in two rounds, with memories wired to it as given."""
    nodes = {
        "word": INPUT,
        "rounds": ("control.loop", {"max_rounds": 2}),
        "warden": ("llm.agent", settings or {}),
        "out": OUTPUT,
        **DIARY,
        **more,
    }
    return flow_of(
        nodes,
        [
            "word.value -> rounds.start",
            "rounds.value -> warden.prompt",
            "warden.reply -> rounds.again",
            "rounds.result -> out.value",
            *wires,
        ],
    )


FLOWS = {
    "a conversation and what is found": asked_twice(
        {}, "talk.memory -> warden.memory[0]", "diary.memory -> warden.memory[1]"
    ),
    "without tools": asked_twice(
        {}, "diary.memory -> warden.memory[0]", settings={"memory_tools": False, "recalled": 1}
    ),
    "a member": asked_twice(
        {"expert": ("team.member", {"name": "expert"})},
        "expert.agent -> warden.colleagues[0]",
        "talk.memory -> warden.memory[0]",
        "diary.memory -> expert.memory[0]",
    ),
    "a tool": asked_twice(
        {"expert": "tools.agent_as_tool"},
        "expert.tool -> warden.tools[0]",
        "talk.memory -> expert.memory[0]",
        "diary.memory -> expert.memory[1]",
    ),
}


@pytest.mark.parametrize("name", FLOWS)
def test_a_script_reminds_agents_and_remembers_as_the_run_did(name: str, tmp_path: Path) -> None:
    assert verified(FLOWS[name], tmp_path, {"word": "owl"}, rules=RULES).difference is None


def test_a_team_without_memories_carries_nothing_of_them(tmp_path: Path) -> None:
    flow = flow_of(
        {
            "word": INPUT,
            "expert": ("team.member", {"name": "expert"}),
            "tool": "tools.agent_as_tool",
            "warden": "llm.agent",
            "out": OUTPUT,
        },
        [
            "word.value -> warden.prompt",
            "expert.agent -> warden.colleagues[0]",
            "tool.tool -> warden.tools[0]",
            "warden.reply -> out.value",
        ],
    )
    text = export(flow, tmp_path / "script.py")
    assert "run_team" in text
    assert not any(one in text for one in ("Remembrance", "Reminding", "Memory", "recalled"))
