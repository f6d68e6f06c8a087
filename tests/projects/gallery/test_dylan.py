"""DyLAN: who contributes least is let go while it runs, and a trial chooses the team."""

import asyncio
from pathlib import Path

import pytest

from studio.ids import StepId
from studio.places import gallery_projects
from tests.projects.gallery.systems import System, ran, speakers, turns_of

FIVE = ["algebraist", "programmer", "counter", "follower", "guesser"]
THREE = FIVE[:3]


@pytest.fixture(scope="module")
def folder() -> Path:
    return next(one for one in gallery_projects() if one.name == "dylan")


@pytest.fixture(scope="module")
def system(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> System:
    return asyncio.run(ran(folder, tmp_path_factory.mktemp("dylan")))


def test_all_are_tried_and_only_the_best_three_are_asked(system: System) -> None:
    assert speakers(system.state, "trial") == FIVE * 2
    assert system.state.outputs["chosen"].data == THREE
    assert speakers(system.state, "team") == THREE * 2


def test_the_one_that_is_marked_lowest_is_let_go(system: System) -> None:
    for step, gone in (("trial", "guesser"), ("team", "counter")):
        parts = system.state.steps[StepId(step)].parts
        assert [one.part for one in parts.values() if one.status == "dropped"] == [f"{gone}_2"]
        assert "lowest of" in str(parts[f"{gone}_2"].detail["why"])
        rated = {name: part.detail.get("rated") for name, part in parts.items() if name.endswith("_2")}
        assert min(rated, key=lambda name: float(str(rated[name]))) == f"{gone}_2"


def test_it_stops_before_the_last_round_as_soon_as_enough_agree(system: System) -> None:
    for step in ("trial", "team"):
        parts = system.state.steps[StepId(step)].parts
        assert {part.detail["round"] for part in parts.values()} == {1, 2}
    assert system.state.outputs["answer"].data == "400"


def test_importance_is_shared_out_and_the_guesser_has_the_least(system: System) -> None:
    found = system.state.outputs["importance"].data
    assert sum(found.values()) == pytest.approx(1, abs=1e-5)
    assert min(found, key=found.__getitem__) == "guesser"
    assert found["algebraist"] > found["counter"] > found["guesser"]


def test_whoever_lost_count_was_convinced_by_what_another_said(system: System) -> None:
    counter = [one for one in turns_of(system.state, "team") if one.tool == "counter"]
    assert "algebraist: The first 20 odd numbers make a square" in str(counter[1].arguments)
    parts = system.state.steps[StepId("team")].parts
    assert [parts[f"counter_{number}"].text for number in (1, 2)] == ["380", "400"]


async def test_where_nobody_is_let_go_all_stay_to_the_end(folder: Path, tmp_path: Path) -> None:
    state = (await ran(folder, tmp_path, file="whole.json")).state
    assert speakers(state, "team") == FIVE * 2
    assert not [one for one in state.steps[StepId("team")].parts.values() if one.status == "dropped"]


async def test_one_agent_alone_loses_count(folder: Path, tmp_path: Path) -> None:
    assert (await ran(folder, tmp_path, file="single.json")).state.outputs["answer"].data == "380"
