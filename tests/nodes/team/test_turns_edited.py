"""A person takes a member's place, or changes what it is asked: the team goes on with that."""

import json
from pathlib import Path
from typing import Any

import pytest

from studio.ids import StepId
from studio.runtime.gates.debug_gate import Phase
from studio.runtime.gates.edited_gate import EditedGate, Edits
from tests.runtime.bench import REGISTRY, Ran, flow_of, run

FLOW = flow_of(
    {
        "ada": ("team.member", {"name": "ada", "instructions": "You are Ada."}),
        "ben": ("team.member", {"name": "ben", "instructions": "You are Ben."}),
        "team": ("team.round_robin", {"rounds": 1}, {"task": "Name a bird."}),
        "out": "io.flow_output",
    },
    ["ada.agent -> team.agents[0]", "ben.agent -> team.agents[1]", "team.reply -> out.value"],
)
RULES = {"rules": [{"reply": "I heard: {{ last }}"}]}
TURN = StepId("team#tool.1")


async def ran(folder: Path, edits: Edits) -> Ran:
    script = folder / "answers.yaml"
    script.write_text(json.dumps(RULES), "utf-8")
    return await run(FLOW, script=script, make_gate=lambda one: EditedGate(one, edits, FLOW, REGISTRY))


@pytest.mark.parametrize(
    ("phase", "values", "heard"),
    [
        ("before", {"arguments": {"task": "Name a fish."}}, "I heard: Name a fish."),
        ("before", {"answer": "A wren, says a person."}, "A wren, says a person."),
        ("after", {"answer": "A wren, says a person."}, "A wren, says a person."),
    ],
)
async def test_what_a_person_says_for_a_member_is_what_the_next_hears(
    phase: Phase, values: dict[str, Any], heard: str, tmp_path: Path
) -> None:
    over = await ran(tmp_path, {(TURN, phase): values})
    assert over.outputs["out"] == f"I heard: Name a bird.\n\nada: {heard}"


async def test_a_member_that_is_answered_for_is_not_asked(tmp_path: Path) -> None:
    over = await ran(tmp_path, {(TURN, "before"): {"answer": "A wren."}})
    assert over.steps("chat_requested") == ["team#tool.2/ben#chat.1"]
