"""Agents: what limits them, and whom they hand over to."""

from typing import Any

from studio.flow.records import Flow
from tests.export.equality import Row
from tests.runtime.bench import flow_of
from tests.runtime.test_scheduler import INPUT, OUTPUT

RULES = """
rules:
  - name: hand over
    when: {instructions: You greet, asked: bird}
    tool_calls: [{name: hand_over_to_expert, arguments: {note: birds}}]
  - name: hand back
    when: {instructions: You know birds, after_tool: find_lines}
    tool_calls: [{name: hand_over_to_front, arguments: {}}]
  - name: sum up
    when: {instructions: has become too long}
    reply: They counted.
  - name: told
    when: {asked: "In short"}
    reply: "{{ question | length }}: {{ question | truncate_words(8) }}"
  - name: look
    when: {has_tool: find_lines}
    reply: Let me look.
    tool_calls: [{name: find_lines, arguments: {text: wren}}]
  - name: greet
    reply: "{{ messages | length }} messages, the last of {{ messages[-1].role }}"
"""

PAST = [{"role": role, "content": f"{'word ' * 90}{n}"} for n in range(3) for role in ("user", "assistant")]


def lent(settings: dict[str, Any], *more: str) -> Flow:
    return flow_of(
        {
            "word": INPUT,
            "files": ("tools.files", {"folder": "data"}),
            "expert": ("team.member", {"name": "expert", "instructions": "You know birds."}),
            "past": ("value.json", {"value": PAST}),
            "agent": ("llm.agent", settings),
            "out": OUTPUT,
            "why": OUTPUT,
            "who": OUTPUT,
        },
        [
            "word.value -> agent.prompt",
            "agent.reply -> out.value",
            "agent.ended -> why.value",
            "agent.speaker -> who.value",
            *more,
        ],
    )


FILES = {"data/may.txt": "A wren sang."}
LENT = "files.tool -> agent.tools[0]"
STOPS: dict[str, dict[str, Any]] = {
    "turns": {"turns": 3, "at_limit": "stop"},
    "tokens": {"tokens": 20, "at_limit": "stop"},
    "text": {"stop_texts": ["look."], "parallel": False},
    "tool": {"stop_tools": ["find_lines"]},
    "rule": {"stop_when": 'turn >= 2 and matches(answers[-1], "wren") and len(tools) > 1'},
}
ROWS = {
    **{
        f"stopped by {why}": Row(lent(one, LENT), {"word": "look"}, rules=RULES, files=FILES)
        for why, one in STOPS.items()
    },
    "handed over and back": Row(
        lent(
            {"instructions": "You greet. {{word}}", "at_limit": "stop"},
            "expert.agent -> agent.colleagues[0]",
            "files.tool -> expert.tools[0]",
            "word.value -> agent.word",
        ),
        {"word": "bird"},
        rules=RULES,
        files=FILES,
    ),
    "a window": Row(
        lent({"window": 300, "summarise": True}, "past.value -> agent.history"),
        {"word": "how many?"},
        rules=RULES,
        files=FILES,
    ),
    "two tools of one name": Row(
        flow_of(
            {
                "warden": ("tools.human_as_tool", {"name": "ask"}),
                "keeper": ("tools.human_as_tool", {"name": "ask"}),
                "agent": ("llm.agent", {}, {"prompt": "Where?"}, {"on_error": "output"}),
                "out": OUTPUT,
            },
            ["warden.tool -> agent.tools", "keeper.tool -> agent.tools[1]", "agent.error -> out.value"],
        ),
        rules=RULES,
    ),
}
