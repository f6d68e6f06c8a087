"""Agents that are reminded, and keep what was said."""

from typing import Any

from studio.flow.records import Flow
from tests.export.equality import Row
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

ROWS = {name: Row(flow, {"word": "owl"}, rules=RULES) for name, flow in FLOWS.items()}
