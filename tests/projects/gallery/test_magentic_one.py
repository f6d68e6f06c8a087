"""Magentic-One: a plan that trusts a guess gets stuck, is made anew, and a program is mended on the way."""

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from studio.ids import StepId
from studio.past.fork_wishes import Fork, Setting
from studio.past.forks import prepare_fork
from studio.past.replays import Terms
from studio.places import gallery_projects
from studio.trace.fold.state import StepState
from studio.workspace.runs import run_here
from tests.projects.gallery.systems import System, ran, speakers, turns_of
from tests.trusted import HERE

LEAD = "orchestrator"


@pytest.fixture(scope="module")
def folder() -> Path:
    return next(one for one in gallery_projects() if one.name == "magentic_one")


@pytest.fixture(scope="module")
def system(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> System:
    return asyncio.run(ran(folder, tmp_path_factory.mktemp("magentic_one")))


def looks(system: System) -> list[dict[str, Any]]:
    """What the lead answered that was looks at the progress."""
    said = [json.loads(one.text) for one in turns_of(system.state, LEAD) if one.text.startswith("{")]
    return [one for one in said if "satisfied" in one]


def test_members_speak_as_both_plans_want_it(system: System) -> None:
    assert speakers(system.state, LEAD) == [
        *["web_surfer"] * 4,
        "file_surfer",
        *["coder", "computer_terminal"] * 2,
    ]
    assert system.state.outputs["answer"].data == (
        "The shop paid 39.40 euros last week for ferry post to Skagen, for 4 parcels, by its own ledger."
    )


def test_three_stalls_make_a_new_plan_and_one_does_not(system: System) -> None:
    stuck = [one["in_loop"] or not one["progressing"] for one in looks(system)]
    assert stuck == [False, False, True, True, True, False, False, False, True, False, False]
    before = [one.part for one in step(system).parts.values()]
    assert {one for one in before if one.startswith("plan_")} >= {"plan_1", "plan_2"}
    assert "plan_3" not in before


def test_the_first_plan_is_dropped_with_what_of_it_was_not_done(system: System) -> None:
    parts = step(system).parts
    first = {name: one.status for name, one in parts.items() if one.of == "plan_1"}
    assert first == {
        "plan_1_step_1": "done",
        "plan_1_step_2": "dropped",
        "plan_1_step_3": "dropped",
        "plan_1_step_4": "dropped",
    }
    assert "not published" in str(parts["plan_1"].detail["reason"])
    assert {one.status for one in parts.values() if one.of == "plan_2"} == {"done"}
    assert [parts[f"turn_{number}"].of for number in (1, 2, 3, 4, 5)] == [
        "plan_1_step_1",
        *["plan_1_step_2"] * 3,
        "plan_2_step_1",
    ]


def test_what_was_found_is_in_the_new_survey_and_what_was_said_is_forgotten(system: System) -> None:
    asked = messages(system, "orchestrator#tool.5/file_surfer#chat.1")
    assert "6.40 euros up to 2 kg" in asked
    assert "kept in the shop's ledger" in asked
    assert "web_surfer: " not in asked.partition("The plan:")[2]


def test_the_program_fails_and_is_mended_and_run_again(system: System) -> None:
    runs = [one.text for one in system.state.steps.values() if one.tool == "run_python"]
    assert [one.partition(":")[0] for one in runs] == ["ValueError", "total"]
    assert "ValueError" in messages(system, "orchestrator#tool.8/coder#chat.1")


@pytest.mark.parametrize(
    ("way", "place", "amount", "left"),
    [
        ("air", "Ribe", "48.20", []),
        ("air", "Skagen", None, ["Write a program that adds up", "Run it"]),
        ("ferry", "Odense", None, ["Write a program that adds up", "Run it"]),
    ],
)
async def test_other_questions_take_the_ways_that_they_need(
    way: str, place: str, amount: str | None, left: list[str], folder: Path, tmp_path: Path
) -> None:
    question = f"What did the shop of the Harbour Museum pay last week for {way} post to {place}?"
    outputs = (await ran(folder, tmp_path, {"question": question})).state.outputs
    assert outputs["amount"].data == amount
    plan: Any = outputs["plan"].data
    assert [one["step"] for one in plan if one["status"] == "dropped"] == left


async def test_a_member_may_be_taken_away_without_telling_anybody(folder: Path, tmp_path: Path) -> None:
    home = Path(shutil.copytree(folder, tmp_path / "source"))
    flow = json.loads((home / "flow.json").read_text("utf-8"))
    flow["wires"] = [one for one in flow["wires"] if not one.startswith("coder.agent")]
    (home / "flow.json").write_text(json.dumps(flow), "utf-8")
    without = await ran(home, tmp_path / "runs")
    request = without.state.steps[StepId("orchestrator#chat.2")].request
    assert request is not None
    names = request["response_schema"]["properties"]["steps"]["items"]["properties"]["who"]["enum"]
    assert names == ["web_surfer", "file_surfer", "computer_terminal"]
    assert "coder" not in request["messages"][0]["content"]
    assert without.state.error is not None, "the scripted plan still names the coder, and is never accepted"


async def test_a_run_is_forked_though_a_member_kept_what_its_code_assigned(system: System) -> None:
    fork = Fork("", [Setting.read('orchestrator#tool.5.answer="No file says anything of it."')])
    new = await run_here(prepare_fork(system.old, system.registry, fork, Terms(HERE, is_live=True)))
    assert new.error is None, new.error
    assert new.outputs["answer"].data == "The shop sent nothing there last week, as far as its ledger says."


@pytest.mark.parametrize("file", ["", "single.json", "voting.json"])
@pytest.mark.parametrize("question", ["Who was Napoleon?", "Who invented ferry post?"])
async def test_what_the_scripted_answers_know_nothing_of_is_unknown(
    question: str, file: str, folder: Path, tmp_path: Path
) -> None:
    other = (await ran(folder, tmp_path, {"question": question}, file=file)).state
    assert other.error is not None
    assert (other.error.error, other.error.exit_code) == ("ScriptedAnswerMissingError", 1)
    assert "Unknown: These answers know what the museum's shop pays for post" in other.error.message


async def test_one_agent_alone_gives_up(folder: Path, tmp_path: Path) -> None:
    alone = await ran(folder, tmp_path, file="single.json")
    assert "I cannot say" in str(alone.state.outputs["answer"].data)


def step(system: System) -> StepState:
    return system.state.steps[StepId(LEAD)]


def messages(system: System, chat: str) -> str:
    request = system.state.steps[StepId(chat)].request
    assert request is not None
    return "\n".join(one["content"] for one in request["messages"])
