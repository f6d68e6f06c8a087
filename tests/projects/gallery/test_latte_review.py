"""LatteReview sends a table of papers through rounds; each round passes on only what stays."""

import asyncio
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from studio.app.measurements.measurement import measure
from studio.ids import StepId
from studio.places import projects
from studio.sdk import Form
from studio.trace.fold.state import StepState
from tests.projects.gallery.systems import System, ran
from tests.projects.running import IGNORED
from tests.projects.running import copied as copied_example
from tests.projects.running import ran as ran_with
from tests.trusted import HERE

FOLDER = projects() / "latte_review"
SCREENED = {f"p{number + 1}": f"round_1.{number}" for number in range(8)}
"""The step of each paper in the first round."""


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> System:
    return asyncio.run(ran(FOLDER, tmp_path_factory.mktemp("latte_review")))


def step(system: System, name: str) -> StepState:
    return system.state.steps[StepId(name)]


def given(system: System, name: str, port: str) -> Any:
    return step(system, name).outputs[port].data


def test_two_reviewers_read_each_paper_at_the_same_time(system: System) -> None:
    for item in SCREENED.values():
        one = step(system, f"{item}/screen/clinician")
        other = step(system, f"{item}/screen/methodologist")
        assert (one.began or 0.0) < (other.ended or 0.0)
        assert (other.began or 0.0) < (one.ended or 0.0)
        assert one.inputs["prompt"].data == other.inputs["prompt"].data


def test_four_papers_are_reviewed_at_a_time_and_a_fifth_when_one_is_done(system: System) -> None:
    begun = [step(system, f"round_1.{number}/paper_1").began or 0.0 for number in range(5)]
    ended = [step(system, f"round_1.{number}/screened").ended or 0.0 for number in range(4)]
    assert max(begun[:4]) < min(ended) <= begun[4]


def test_a_senior_reviewer_decides_where_two_differ_and_nowhere_else(system: System) -> None:
    asked = {
        paper for paper, item in SCREENED.items() if step(system, f"{item}/screen/senior").status == "done"
    }
    assert asked == {"p3", "p4"}
    prompt = str(step(system, f"{SCREENED['p3']}/screen/senior").inputs["prompt"].data)
    assert "clinician: exclude. Nature sounds are no music." in prompt
    assert "methodologist: include. A controlled study." in prompt
    assert given(system, f"{SCREENED['p3']}/screen/decided", "value")["answer"] == "include"
    assert given(system, f"{SCREENED['p4']}/screen/decided", "value") == {
        "answer": "exclude",
        "reason": "By the protocol one group says nothing of the effect.",
        "by": "senior",
    }


def test_what_the_protocol_says_of_a_paper_is_recalled_for_its_reviewers(system: System) -> None:
    learnt, found = step(system, "learn"), given(system, f"{SCREENED['p3']}/background", "text")
    assert (learnt.ended or 0.0) <= (step(system, f"{SCREENED['p3']}/background").began or 0.0)
    assert found.startswith("# Music\nRecorded sounds")
    assert found in str(step(system, f"{SCREENED['p3']}/screen/senior").inputs["prompt"].data)
    assert given(system, f"{SCREENED['p8']}/background", "text").startswith("# Animals")


def test_what_is_left_out_does_not_get_to_the_next_round(system: System) -> None:
    assert [one["id"] for one in given(system, "stay_1", "found")] == ["p1", "p3", "p5", "p7"]
    assert StepId("round_2.3/outcome") in system.state.steps
    assert StepId("round_2.4/outcome") not in system.state.steps
    assert [one["id"] for one in system.state.outputs["excluded"].data] == ["p2", "p4", "p6", "p8"]
    assert system.state.outputs["irrelevant"].data == [{"id": "p7", "relevance": 2.5}]
    assert StepId("round_3.3/extractor") not in system.state.steps
    assert StepId("round_3.2/extractor") in system.state.steps


def test_an_extraction_that_does_not_fit_is_sent_back_and_mended(system: System) -> None:
    chats = [one for one in system.state.steps.values() if one.parent == "round_3.1/extractor"]
    assert len(chats) == 2
    first, second = [str(one.request) for one in chats]
    assert "`participants` of the answer should be of type integer" not in first
    assert "`participants` of the answer should be of type integer" in second
    assert given(system, "round_3.1/extractor", "participants") == 64
    assert len([one for one in system.state.steps.values() if one.parent == "round_3.0/extractor"]) == 1


def test_the_table_has_a_row_for_each_paper_that_stayed(system: System) -> None:
    lines = (system.project.root / "out" / "evidence.csv").read_text("utf-8").splitlines()
    assert [line[:2] for line in lines] == ["id", "p1", "p3", "p5"]
    assert lines[2].endswith("2021,senior,4.5,randomised,64,VAS,1.8")


async def test_without_feedback_a_paper_without_results_stays_in(system: System, tmp_path: Path) -> None:
    assert step(system, "editor").status == "done"
    assert "papers without results" in str(given(system, "refined", "value"))
    without = await ran(FOLDER, tmp_path, {"feedback": ""})
    assert step(without, "editor").status == "skipped"
    assert given(without, f"{SCREENED['p6']}/screen/decided", "value")["answer"] == "include"
    assert given(system, f"{SCREENED['p6']}/screen/decided", "value")["answer"] == "exclude"
    lines = (without.project.root / "out" / "evidence.csv").read_text("utf-8").splitlines()
    assert lines[-1].endswith("2023,both,4.5,randomised,300,STAI,")


OTHERS = [
    {"criteria": "Inclusion: dogs."},
    {"question": "Does tea help?"},
    {"feedback": "Too long."},
    {"file": "data/tea.csv"},
]


@pytest.mark.parametrize("inputs", OTHERS, ids=[next(iter(one)) for one in OTHERS])
async def test_another_review_is_not_made_up(inputs: Mapping[str, str], tmp_path: Path) -> None:
    folder = Path(shutil.copytree(FOLDER, tmp_path / "source", ignore=IGNORED))
    row = 'q1,Tea and sleep,2020,"40 adults drank tea."'
    (folder / "data" / "tea.csv").write_text(f"id,title,year,abstract\n{row}\n", "utf-8")
    state = (await ran(folder, tmp_path / "copy", inputs)).state
    assert state.error is not None
    assert "Unknown: These answers know one review" in state.error.message


class Reader:
    """A person who strikes the last row out."""

    async def ask(self, step: StepId, form: Form) -> Mapping[str, object]:
        """Edit what is shown."""
        assert (step, form.question) == ("approve#ask.1", "May this table of evidence be written?")
        return {"decision": "edit", "value": [{"id": "p1", "title": "Piano pieces"}]}


async def test_a_person_who_is_asked_may_edit_the_table(tmp_path: Path) -> None:
    project = copied_example("latte_review", tmp_path)
    state = await ran_with(project, {"ask": True}, people=Reader())
    assert state.error is None
    lines = (project.root / "out" / "evidence.csv").read_text("utf-8").splitlines()
    assert lines[1:] == ["p1,Piano pieces,,,,,,,"]


async def test_one_reviewer_alone_keeps_the_paper_that_has_no_control_group(tmp_path: Path) -> None:
    rows = (FOLDER / "data" / "papers.csv").read_text("utf-8").splitlines()
    paper = next(line for line in rows if line.startswith("p4"))
    alone = await ran(FOLDER, tmp_path, {"question": paper}, file="single.json")
    assert alone.state.outputs["answer"].data == "include"


def test_a_third_only_where_two_differ_takes_fewer_chats_than_three_votes(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(FOLDER, tmp_path / "latte_review", ignore=IGNORED))
    flows = [folder / name for name in ("screen.json", "single.json", "voting.json")]
    problems = folder / "data" / "problems.jsonl"
    screen, single, voting = measure(flows, problems, environ=HERE, chat="expert_senior", runs=30).flows
    assert single.mean("chats") == 1
    assert voting.mean("chats") == 3
    assert 2 < screen.mean("chats") < 2.6
    assert screen.accuracy.value > single.accuracy.value
