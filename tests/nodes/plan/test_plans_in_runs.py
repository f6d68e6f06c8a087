"""Searches and machines in runs: calls of those who are lent, parts of the step, replays, and scripts."""

import json
from pathlib import Path
from typing import Any

import pytest

from studio.flow.records import Flow
from studio.ids import StepId
from studio.runtime.replay.takeover import replayed
from studio.trace.differences.compare import first_difference
from tests.export.equality import Row, both, script_of
from tests.runtime import bench
from tests.runtime.bench import REGISTRY, Ran, flow_of

SEARCH: dict[str, Any] = {
    "thinker": ("team.member", {"name": "thinker", "instructions": "You think."}),
    "critic": ("team.member", {"name": "critic", "instructions": "You judge."}),
    "search": (
        "plan.search",
        {"expand": "thinker", "score": "critic", "method": "beam", "width": 1, "ends_when": "score >= 1"},
        {"start": "to begin with", "goal": "a proof"},
    ),
    "out": "io.flow_output",
}
SEARCH_WIRES = [
    "thinker.agent -> search.agents[0]",
    "critic.agent -> search.agents[1]",
    "search.path -> out.value",
]


def nexts(*states: str) -> dict[str, Any]:
    return {"next": [{"title": one.title(), "state": one} for one in states]}


SEARCH_RULES: list[Any] = [
    {"when": {"instructions": "You think", "asked": "The state:\nto begin with"}, "reply": nexts("a", "b")},
    {"when": {"instructions": "You think"}, "reply": nexts("proof")},
    {
        "when": {"instructions": "You judge", "asked": "The state:\nproof"},
        "reply": {"reason": "Yes.", "score": 1},
    },
    {
        "when": {"instructions": "You judge", "asked": "The state:\nb"},
        "reply": {"reason": "Fair.", "score": 0.6},
    },
    {"when": {"instructions": "You judge"}, "reply": {"reason": "No.", "score": 0.2}},
]
MACHINE: dict[str, Any] = {
    "writer": ("team.member", {"name": "writer", "instructions": "You write."}),
    "critic": ("team.member", {"name": "critic", "instructions": "You judge."}),
    "machine": (
        "plan.state_machine",
        {
            "states": [
                {"name": "draft", "does": "writer", "asks": "{{task}} {{reason}}"},
                {"name": "check", "does": "critic"},
                {"name": "done"},
            ],
            "moves": [
                {"at": "draft", "to": "check"},
                {"at": "check", "to": "done", "when": 'matches(lower(text), "^good")'},
                {"at": "check", "to": "draft", "when": "visits < 3", "back": True},
            ],
        },
        {"task": "Wrens"},
    ),
    "out": "io.flow_output",
}
MACHINE_WIRES = [
    "writer.agent -> machine.agents[0]",
    "critic.agent -> machine.agents[1]",
    "machine.visited -> out.value",
]
MACHINE_RULES: list[Any] = [
    {"when": {"instructions": "You write", "asked": "Too short"}, "reply": "A long draft."},
    {"when": {"instructions": "You write"}, "reply": "A draft."},
    {"when": {"instructions": "You judge", "asked": "long"}, "reply": "Good."},
    {"when": {"instructions": "You judge"}, "reply": "Too short."},
]
BOTH = pytest.mark.parametrize(
    ("flow", "rules"),
    [
        (flow_of(SEARCH, SEARCH_WIRES), SEARCH_RULES),
        (flow_of(MACHINE, MACHINE_WIRES), MACHINE_RULES),
    ],
    ids=["search", "machine"],
)


def script(folder: Path, rules: list[Any]) -> Path:
    path = folder / "answers.yaml"
    path.write_text(json.dumps({"rules": rules}), "utf-8")
    return path


async def ran(flow: Flow, rules: list[Any], folder: Path) -> Ran:
    return await bench.run(flow, script=script(folder, rules))


async def test_who_expands_and_scores_has_turns_that_belong_to_branches(tmp_path: Path) -> None:
    state = (await ran(flow_of(SEARCH, SEARCH_WIRES), SEARCH_RULES, tmp_path)).state
    assert state.outputs["out"].data == ["to begin with", "b", "proof"]
    turns = [one for one in state.steps.values() if one.parent == "search" and one.tool]
    assert [one.tool for one in turns] == ["thinker", "critic", "critic", "thinker", "critic"]
    assert StepId("search#tool.1/thinker#chat.1") in state.steps
    parts = state.steps[StepId("search")].parts
    assert [(one.part, one.of, one.status) for one in parts.values()] == [
        ("start", "", "done"),
        ("start.1", "start", "dropped"),
        ("start.2", "start", "done"),
        ("start.2.1", "start.2", "done"),
    ]
    assert parts["start.2"].detail["reason"] == "Fair."
    assert parts["start.1"].detail["reason"] == "not among the best 1 of its level"


async def test_a_machine_goes_back_and_its_undone_visits_are_dropped(tmp_path: Path) -> None:
    state = (await ran(flow_of(MACHINE, MACHINE_WIRES), MACHINE_RULES, tmp_path)).state
    assert state.outputs["out"].data == ["draft", "check", "draft", "check", "done"]
    parts = state.steps[StepId("machine")].parts.values()
    assert [one.status for one in parts] == ["dropped", "dropped", "done", "done", "done"]


@BOTH
async def test_a_replay_asks_nobody_and_goes_the_same_way(
    flow: Flow, rules: list[Any], tmp_path: Path
) -> None:
    first = await ran(flow, rules, tmp_path)
    again = await bench.run(flow, past=replayed(first.entries, flow, REGISTRY))
    assert again.outputs == first.outputs
    assert first_difference(first.entries, again.entries) is None


@BOTH
def test_its_script_goes_the_same_way(flow: Flow, rules: list[Any], tmp_path: Path) -> None:
    outputs = both(Row(flow, rules=json.dumps({"rules": rules})), tmp_path).outputs
    wanted = (
        ["to begin with", "b", "proof"]
        if "search" in flow.nodes
        else ["draft", "check", "draft", "check", "done"]
    )
    assert outputs == {"out": wanted}


def test_a_script_has_the_rules_of_moves() -> None:
    text = script_of(flow_of(MACHINE, MACHINE_WIRES))
    assert """'matches(lower(text), "^good")'""" in text
    assert "visits < 3" in text
    assert "region(" not in text


NEXT = flow_of(
    {
        "state": ("io.flow_input", {"type": "number"}),
        "both": ("value.formula", {"formula": "[state + 1, state * 2]"}),
        "next": "io.flow_output",
    },
    ["state.value -> both.state", "both.value -> next.value"],
)
BY_FLOW = flow_of(
    {
        "numbers": ("tools.flow_as_tool", {"flow": "next.json", "name": "numbers"}),
        "search": (
            "plan.search",
            {
                "expand": "numbers",
                "scoring": "with the state",
                "ends_when": "state == 10",
                "expansions": 40,
                "at_once": 4,
            },
            {"start": 1},
        ),
        "out": "io.flow_output",
    },
    ["numbers.tool -> search.tools[0]", "search.path -> out.value"],
)


async def test_a_flow_expands_states_and_its_steps_stand_in_the_call_for_the_branch() -> None:
    state = (await bench.run(BY_FLOW, flows={"next.json": NEXT})).state
    assert state.outputs["out"].data == [1, 2, 4, 5, 10]
    assert StepId("search#tool.1/numbers/both") in state.steps
    told = state.steps[StepId("search")].parts
    assert sum(one.status == "done" for one in told.values()) > 5


def test_a_script_of_it_calls_the_flow_too(tmp_path: Path) -> None:
    row = Row(BY_FLOW, flows={"next.json": NEXT})
    assert both(row, tmp_path).outputs == {"out": [1, 2, 4, 5, 10]}
