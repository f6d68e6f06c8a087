"""MALT: every stage is sampled, each sample is credited by what came of it, and examples are kept."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from studio.ids import StepId
from studio.places import projects
from studio.trace.fold.state import RunState
from tests.projects.gallery.systems import System, ran

ROLES = ("generator", "verifier", "refiner")


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> System:
    return asyncio.run(ran(projects() / "malt", tmp_path_factory.mktemp("malt")))


def given(state: RunState, step: str, port: str) -> Any:
    return state.steps[StepId(step)].outputs[port].data


PAIRS = ((0, 0), (0, 1), (1, 0), (1, 1))


def test_each_stage_gives_two_samples_for_each_of_the_stage_before(system: System) -> None:
    state = system.state
    assert len(given(state, "generator", "samples")) == 2
    assert [len(given(state, f"drafts.{n}/verifier", "samples")) for n in (0, 1)] == [2, 2]
    assert [len(given(state, f"drafts.{a}/critiques.{b}/refiner", "samples")) for a, b in PAIRS] == [2] * 4
    asked = [str(name) for name in state.order if str(name).endswith("#chat.1")]
    assert [sum(one.endswith(f"{role}#chat.1") for one in asked) for role in ROLES] == [1, 2, 4]


def test_each_stage_sees_what_the_one_before_it_said(system: System) -> None:
    state = system.state
    for a, b in PAIRS:
        prompt = str(state.steps[StepId(f"drafts.{a}/critiques.{b}/refiner")].inputs["prompt"].data)
        draft = given(state, "generator", "samples")[a]
        critique = given(state, f"drafts.{a}/verifier", "samples")[b]
        assert draft["reasoning"] in prompt
        assert critique["critique"] in prompt


def test_the_branches_of_a_level_work_at_the_same_time(system: System) -> None:
    """All four refiners have asked before the first of them is over."""
    kinds = [
        (one.event.kind, str(one.step))
        for one in system.entries
        if "/refiner" in str(one.step) and one.event.kind in {"step_started", "step_finished"}
    ]
    steps = [kind for kind, name in kinds if "#" not in name]
    assert steps[:4] == ["step_started"] * 4


def test_credit_goes_from_the_right_answers_back_to_each_stage(system: System) -> None:
    state = system.state
    right = [
        [given(state, f"drafts.{a}/critiques.{b}/refinements.{c}/score", "score") for c in (0, 1)]
        for a, b in PAIRS
    ]
    assert right == [[1, 1], [0, 0], [1, 1], [0, 1]]
    critiques = [given(state, f"drafts.{a}/critiques.{b}/critique_value", "found") for a, b in PAIRS]
    assert critiques == [sum(pair) / 2 for pair in right]
    drafts = [given(state, f"drafts.{n}/draft_value", "found") for n in (0, 1)]
    assert drafts == [sum(critiques[:2]) / 2, sum(critiques[2:]) / 2] == [0.5, 0.75]


def test_examples_of_both_kinds_are_kept_for_every_role(system: System) -> None:
    path = system.project.root / "out" / "trajectories.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert rows == system.state.outputs["trajectories"].data
    assert all(one["label"] == (one["value"] > 0.5) for one in rows)
    kinds = {role: {one["label"] for one in rows if one["role"] == role} for role in ROLES}
    assert all(kinds[role] == {True, False} for role in ROLES)
    assert [sum(one["role"] == role for one in rows) for role in ROLES] == [2, 4, 8]


def test_an_example_is_a_conversation_that_a_trainer_can_read(system: System) -> None:
    rows = system.state.outputs["trajectories"].data
    for one in rows:
        assert [each["role"] for each in one["messages"]] == ["system", "user", "assistant"]
        assert f"You are the {one['role']}." in one["messages"][0]["content"]
    assert json.loads(rows[1]["messages"][-1]["content"])["answer"] == "9"


def test_pairs_prefer_the_positive_of_two_answers_to_one_prompt(system: System) -> None:
    path = system.project.root / "out" / "pairs.jsonl"
    pairs = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert pairs == system.state.outputs["pairs"].data
    assert [one["role"] for one in pairs] == ["generator", "verifier", "verifier", "refiner"]
    rows = system.state.outputs["trajectories"].data
    labels = {json.dumps([one["messages"][1], read(one)]): one["label"] for one in rows}
    for one in pairs:
        for side, label in (("chosen", True), ("rejected", False)):
            said = {"messages": [*one["prompt"], *one[side]]}
            assert labels[json.dumps([one["prompt"][1], read(said)])] is label


def read(row: Any) -> Any:
    """What was said last, as JSON."""
    return json.loads(row["messages"][-1]["content"])


async def test_another_question_is_not_answered(tmp_path: Path) -> None:
    state = (await ran(projects() / "malt", tmp_path, {"question": "What is 15 % of 80?"})).state
    assert state.error is not None
    assert "Unknown: These answers know" in state.error.message


async def test_a_draft_that_is_wrong_earns_what_a_good_critique_makes_of_it(tmp_path: Path) -> None:
    """Where the known answer is another one, the same trajectories are credited the other way round."""
    inputs = {"question": "A shop has 30 hats. All but 12 are sold. How many are left?", "gold": "18"}
    state = (await ran(projects() / "malt", tmp_path, inputs)).state
    assert [given(state, f"drafts.{n}/draft_value", "found") for n in (0, 1)] == [0.5, 0.25]
    assert state.outputs["answer"].data == "12"
