"""Blackboard: the lead knows nobody, who has data volunteers, and what nobody has is asked for otherwise."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from studio.ids import StepId
from studio.places import gallery_projects
from studio.trace.events import MemoryWritten, ToolAnswered, ToolCalled
from tests.projects.gallery.systems import System, ran, speakers, turns_of

FOUR = ["weather", "harbour", "market", "library"]


@pytest.fixture(scope="module")
def folder() -> Path:
    return next(one for one in gallery_projects() if one.name == "blackboard")


@pytest.fixture(scope="module")
def system(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> System:
    return asyncio.run(ran(folder, tmp_path_factory.mktemp("blackboard")))


def test_all_are_asked_and_only_who_volunteered_works(system: System) -> None:
    helpers = [[], ["library"], ["weather"], ["harbour", "market"]]
    assert [one["volunteers"] for one in system.state.outputs["requests"].data] == helpers
    assert speakers(system.state, "inquiry") == [name for each in helpers for name in (*FOUR, *each)]


def test_the_lead_is_told_of_nobody_beforehand(system: System) -> None:
    first = next(one for one in turns_of(system.state, "inquiry") if not one.tool)
    assert first.request is not None
    asked = str(first.request["messages"])
    assert not re.search("weather|harbour office|market|library|arrivals.csv", asked)


def test_what_nobody_has_is_posted_and_asked_for_otherwise(system: System) -> None:
    parts = system.state.steps[StepId("inquiry")].parts
    assert [parts[f"request_{number}"].status for number in (1, 2, 3, 4)] == [
        "failed",
        "done",
        "done",
        "done",
    ]
    written: list[Any] = [
        one.event.item.data for one in system.entries if isinstance(one.event, MemoryWritten)
    ]
    keys = [one["id"] for one in written]
    assert keys[:3] == ["request/1", "request/1/nobody", "request/2"]


def test_each_reads_its_own_data_only(system: System) -> None:
    read = [
        (str(one.step).split("/")[1].split("#")[0], one.event.arguments["path"])
        for one in system.entries
        if isinstance(one.event, ToolCalled) and one.event.tool == "read_file"
    ]
    expected = [
        ("library", "glossary.txt"),
        ("weather", "wind.csv"),
        ("harbour", "arrivals.csv"),
        ("market", "sold.csv"),
    ]
    assert sorted(read) == sorted(expected)


def test_two_that_volunteer_work_at_the_same_time(system: System) -> None:
    """Each begins before the other has answered."""
    ids = {"harbour_4", "market_4"}
    begun = [
        (place, one.step)
        for place, one in enumerate(system.entries)
        if isinstance(one.event, ToolCalled) and one.event.call_id in ids
    ]
    steps = {step for _, step in begun}
    ended = [
        place
        for place, one in enumerate(system.entries)
        if isinstance(one.event, ToolAnswered) and one.step in steps
    ]
    assert len(begun) == 2
    assert max(place for place, _ in begun) < min(ended)


def test_the_answer_is_made_of_what_three_had(system: System) -> None:
    found = {
        one["request"]: [each["text"] for each in one["answers"]]
        for one in system.state.outputs["requests"].data
    }
    assert found["On which days of the first week of May was the wind 9 Bft or more?"] == [
        "On 2026-05-03 and 2026-05-05."
    ]
    assert system.state.outputs["answer"].data == "41 t"


async def test_a_master_that_chooses_by_name_gets_half_of_it(folder: Path, tmp_path: Path) -> None:
    state = (await ran(folder, tmp_path, file="master_slave.json")).state
    assert speakers(state, "master") == ["weather", "harbour"]
    assert "I can not tell which of the days" in state.outputs["answer"].data


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many tons came in on the days with a wind of 6 Bft or more?", "83 t"),
        ("How many tons were sold on the days of a gale or more?", "11 t"),
        ("How many tons came in on 2026-05-05?", "27 t"),
    ],
)
async def test_other_questions_take_other_requests(
    folder: Path, tmp_path: Path, question: str, answer: str
) -> None:
    assert (await ran(folder, tmp_path, {"question": question})).state.outputs["answer"].data == answer


@pytest.mark.parametrize("file", ["", "master_slave.json"])
async def test_what_nobody_has_is_not_answered(folder: Path, tmp_path: Path, file: str) -> None:
    question = "How many tons came into the harbour on the storm days of the first week of June?"
    state = (await ran(folder, tmp_path, {"question": question}, file=file)).state
    assert state.error is not None
    assert "Unknown: These answers know" in state.error.message
