"""DyLAN: who contributes least is let go while it runs, and a trial chooses the team."""

import asyncio
from pathlib import Path

import pytest

from studio.ids import StepId
from studio.places import gallery_projects
from tests.projects.gallery.systems import System, ran, speakers, turns_of

SEVEN = ["mathematician", "programmer", "economist", "psychologist", "lawyer", "doctor", "historian"]
FOUR = SEVEN[:4]


@pytest.fixture(scope="module")
def folder() -> Path:
    return next(one for one in gallery_projects() if one.name == "dylan")


@pytest.fixture(scope="module")
def system(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> System:
    return asyncio.run(ran(folder, tmp_path_factory.mktemp("dylan")))


def test_all_are_tried_and_only_the_best_four_are_asked(system: System) -> None:
    assert speakers(system.state, "trial") == [*SEVEN * 2, *SEVEN[:2]]
    assert system.state.outputs["chosen"].data == FOUR
    assert speakers(system.state, "team") == FOUR * 2


def test_a_ranker_that_sees_all_answers_without_names_leaves_two(system: System) -> None:
    parts = system.state.steps[StepId("trial")].parts
    assert [one.part for one in parts.values() if one.status == "dropped"] == [
        f"{one}_2" for one in SEVEN[2:]
    ]
    assert "not among the best 2 of 7" in str(parts["doctor_2"].detail["why"])
    [ranked] = [one for one in turns_of(system.state, "trial") if not one.tool]
    assert ranked.request is not None
    asked = str(ranked.request["messages"])
    assert asked.count("Answer: ") == 7
    assert not any(name in asked for name in SEVEN)


def test_it_stops_before_the_last_round_as_soon_as_enough_agree(system: System) -> None:
    parts = system.state.steps[StepId("team")].parts
    assert {part.detail["round"] for part in parts.values()} == {1, 2}
    assert system.state.outputs["dropped"].data == []
    assert system.state.outputs["answer"].data == "400"


def test_importance_is_shared_out_by_marks_from_the_last_round_to_the_first(system: System) -> None:
    found = system.state.outputs["importance"].data
    assert sum(found.values()) == pytest.approx(1, abs=1e-5)
    assert found["mathematician"] == found["programmer"] > 0.3
    assert 0 < found["lawyer"] < 0.1


def test_whoever_slipped_was_convinced_by_what_another_said(system: System) -> None:
    economist = [one for one in turns_of(system.state, "team") if one.tool == "economist"]
    assert "mathematician: The first 20 odd numbers make a square" in str(economist[1].arguments)
    parts = system.state.steps[StepId("team")].parts
    assert [parts[f"economist_{number}"].text for number in (1, 2)] == ["420", "400"]


async def test_where_nobody_is_let_go_all_stay_to_the_end(folder: Path, tmp_path: Path) -> None:
    state = (await ran(folder, tmp_path, file="whole.json")).state
    assert speakers(state, "team") == SEVEN * 3
    assert not [one for one in state.steps[StepId("team")].parts.values() if one.status == "dropped"]


async def test_another_question_is_not_answered(folder: Path, tmp_path: Path) -> None:
    state = (await ran(folder, tmp_path, {"question": "What is 15 % of 80?"})).state
    assert state.error is not None
    assert "Unknown: These answers know" in state.error.message
