"""Debate: one who reads convinces two who reckon, round by round; a vote would have been wrong."""

import asyncio
from pathlib import Path

import pytest

from studio.app.measurements.measurement import measure
from studio.ids import StepId
from studio.places import projects
from tests.projects.gallery.systems import System, ran, speakers, turns_of

FOLDER = projects() / "debate"
TEAM = ["careful", "quick", "doubtful"]


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> System:
    return asyncio.run(ran(FOLDER, tmp_path_factory.mktemp("debate")))


def test_all_speak_in_each_of_three_rounds(system: System) -> None:
    assert speakers(system.state, "debate") == TEAM * 3


def test_the_majority_is_wrong_until_it_has_heard_the_reason(system: System) -> None:
    course = system.state.outputs["course"].data
    said = [[one["answer"] for one in course if one["round"] == number] for number in (1, 2, 3)]
    assert said == [["9", "8", "8"], ["9", "9", "8"], ["9", "9", "9"]]
    assert system.state.outputs["agreement"].data == [0.666667, 0.666667, 1.0]
    assert system.state.outputs["answer"].data == "9"


def test_what_changes_a_mind_is_what_another_said(system: System) -> None:
    turns = turns_of(system.state, "debate")
    quick = [one for one in turns if one.tool == "quick"]
    reason = "“All but 9” says how many stay"
    asked = [str(one.arguments) for one in quick]
    assert reason not in asked[0]
    assert f"careful: {reason}" in asked[1]


def test_nobody_hears_of_a_round_before_it_is_over(system: System) -> None:
    state = system.state
    parts = state.steps[StepId("debate")].parts
    assert set(parts["doubtful_2"].after) == {f"{name}_1" for name in TEAM}
    assert parts["careful_1"].after == ()
    assert [parts[f"doubtful_{number}"].text for number in (1, 2, 3)] == ["8", "8", "9"]


def test_those_of_one_round_speak_at_the_same_time(system: System) -> None:
    """Each begins before any of its round has answered."""
    course = [
        one.event.kind
        for one in system.entries
        if str(one.step).startswith("debate#tool") and "/" not in one.step
    ]
    assert [one for one in course if one in {"tool_called", "tool_answered"}] == [
        *["tool_called"] * 3,
        *["tool_answered"] * 3,
    ] * 3


@pytest.mark.parametrize("flow", ["single", "voting", "refining", "alike"])
async def test_what_is_simpler_stays_with_its_mistake(tmp_path: Path, flow: str) -> None:
    state = (await ran(FOLDER, tmp_path, file=f"{flow}.json")).state
    assert state.outputs["answer"].data == "8"


@pytest.mark.parametrize(("solvers", "ahead"), [("strong", "vote"), ("truth_convinces", "debate")])
def test_debate_is_ahead_of_samples_at_equal_cost_only_where_truth_convinces_better(
    solvers: str, ahead: str
) -> None:
    flows = [FOLDER / name for name in ("flow.json", "voting.json", "same_three.json")]
    problems = FOLDER / "data" / "problems.jsonl"
    debate, samples, vote = measure(flows, problems, environ={}, chat=solvers, runs=15, rows="fixed").flows
    assert vote.mean("tokens") < debate.mean("tokens") * 1.1
    if ahead == "debate":
        assert debate.costs_as_much_as(samples)
        assert debate.against(samples).interval.low > 0
    else:
        assert debate.against(samples).interval.high < 0.12
        assert vote.against(debate).interval.low > 0
