"""Scripts of agents: what limits them holds there too, and only what an agent uses is lifted."""

from pathlib import Path
from typing import Any

import pytest

from studio.flow.records import Flow
from tests.export.in_process import ask
from tests.export.scripts import export
from tests.runtime.bench import flow_of, run
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


async def both(flow: Flow, folder: Path, word: str) -> tuple[Any, Any, str]:
    (folder / "data").mkdir()
    (folder / "data" / "may.txt").write_text("A wren sang.")
    answers = folder / "answers.yaml"
    answers.write_text(RULES)
    ran = await run(flow, {"word": word}, script=answers, root=folder)
    text = export(flow, folder / "script.py")
    ended = await ask(folder / "script.py", [f"--word={word}"], answers=answers)
    return ran.outputs, ended.outputs, text


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"turns": 3, "at_limit": "stop"}, "turns"),
        ({"tokens": 20, "at_limit": "stop"}, "tokens"),
        ({"stop_texts": ["look."], "parallel": False}, "text"),
        ({"stop_tools": ["find_lines"]}, "tool"),
        ({"stop_when": 'turn >= 2 and matches(answers[-1], "wren") and len(tools) > 1'}, "rule"),
    ],
)
async def test_an_agent_stops_in_a_script_as_in_a_run(
    settings: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    engine, script, _ = await both(lent(settings, "files.tool -> agent.tools[0]"), tmp_path, "look")
    assert script == engine
    assert engine["why"] == reason


async def test_a_script_hands_over_and_back(tmp_path: Path) -> None:
    flow = lent(
        {"instructions": "You greet. {{word}}", "at_limit": "stop"},
        "expert.agent -> agent.colleagues[0]",
        "files.tool -> expert.tools[0]",
        "word.value -> agent.word",
    )
    engine, script, text = await both(flow, tmp_path, "bird")
    assert script == engine
    assert (engine["who"], engine["why"]) == ("expert", "turns")
    assert "class Agent" in text


async def test_a_window_holds_in_a_script(tmp_path: Path) -> None:
    flow = lent({"window": 300, "summarise": True}, "past.value -> agent.history")
    engine, script, _ = await both(flow, tmp_path, "how many?")
    assert script == engine
    assert "They counted." in engine["out"]


def test_only_what_an_agent_uses_is_lifted(tmp_path: Path) -> None:
    alone = export(lent({}, "files.tool -> agent.tools[0]"), tmp_path / "alone.py")
    assert "async def ask_agent" in alone
    assert not any(one in alone for one in ("class Window", "class Conditions", "run_team", "class Agent:"))
