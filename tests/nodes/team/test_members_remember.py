"""Members with memories of their own in a team: what was said in it stands in their prompts once."""

import json
from pathlib import Path
from typing import Any

from studio.ids import StepId
from tests.runtime.bench import Ran, flow_of, run

RULES = [
    {"when": {"instructions": "You are Ada"}, "reply": "A dunnock."},
    {"reply": "Or a wren?"},
]


async def talked(folder: Path) -> Ran:
    nodes: dict[str, Any] = {
        "window": "memory.window",
        "before": ("llm.agent", {}, {"prompt": "Good morning."}),
        "ada": ("team.member", {"name": "ada", "instructions": "You are Ada."}),
        "ben": ("team.member", {"name": "ben", "instructions": "You are Ben."}),
        "team": ("team.round_robin", {"rounds": 3}, {"task": "What sang?"}),
        "out": "io.flow_output",
    }
    wires = [
        "window.memory -> before.memory[0]",
        "window.memory -> ada.memory[0]",
        "before.then -> team.after",
    ]
    wires += ["ada.agent -> team.agents[0]", "ben.agent -> team.agents[1]", "team.reply -> out.value"]
    (folder / "answers.yaml").write_text(json.dumps({"rules": RULES}), "utf-8")
    return await run(flow_of(nodes, wires), script=folder / "answers.yaml")


async def test_a_conversation_that_is_remembered_is_not_told_twice(tmp_path: Path) -> None:
    ran = await talked(tmp_path)
    request = ran.state.steps[StepId("team#tool.5/ada#chat.1")].request
    assert request is not None
    assert [one["content"] for one in request["messages"]] == [
        "You are Ada.",
        "Good morning.",
        "Or a wren?",
        "What sang?",
        "A dunnock.",
        "ben: Or a wren?",
        "A dunnock.",
        "ben: Or a wren?",
    ]
