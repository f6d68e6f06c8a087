"""MDAgents: who answers hangs on how complex a question is; who differ look up, and speak again."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studio.app.measurements.measurement import measure
from studio.ids import StepId
from studio.places import projects
from studio.trace.fold.state import RunState
from studio.trace.fold.steps import StepState
from tests.projects.gallery.systems import ran, speakers, turns_of
from tests.trusted import HERE

FOLDER = projects() / "mdagents"
SIMPLE = "Which organ makes insulin?"
COMPLEX = (
    "A patient with grey cough takes velorin since a heart attack last month, and the kidneys work at a "
    "quarter. Which of brexin, amidol and calotene is the choice?"
)
GROUP = ["infectiologist", "cardiologist", "pharmacist"]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], RunState]:
    """What came of a question, each run once; empty: the one in the flow."""
    known: dict[str, RunState] = {}

    def ask(question: str) -> RunState:
        if question not in known:
            inputs = {"question": question} if question else {}
            known[question] = asyncio.run(ran(FOLDER, tmp_path_factory.mktemp("mdagents"), inputs)).state
        return known[question]

    return ask


def step(state: RunState, name: str) -> StepState:
    return state.steps[StepId(name)]


def chats_of(state: RunState) -> int:
    return sum(one.request is not None for one in state.steps.values())


def answers_of(state: RunState, name: str) -> list[str]:
    """What those who were recruited answered, in their order."""
    said: Any = step(state, name).outputs["replies"].data
    return [one.rpartition("Answer: ")[2] for one in said]


@pytest.mark.parametrize(
    ("question", "level", "way"),
    [(SIMPLE, "low", "solo"), ("", "moderate", "group"), (COMPLEX, "high", "care")],
)
def test_a_question_goes_one_way_and_the_others_are_not_begun(
    asked: Callable[[str], RunState], question: str, level: str, way: str
) -> None:
    state = asked(question)
    assert state.outputs["level"].data == level
    begun = {one.split("/")[0] for one in state.steps if one.startswith(("solo/", "group/", "care/"))}
    assert begun == {way}


def test_a_simple_question_takes_one_chat_beside_the_triage(asked: Callable[[str], RunState]) -> None:
    state = asked(SIMPLE)
    assert chats_of(state) == 2
    assert state.outputs["answer"].data == "the pancreas"
    assert 5 * chats_of(state) < min(chats_of(asked("")), chats_of(asked(COMPLEX)))


def test_the_group_is_recruited_while_the_flow_runs(asked: Callable[[str], RunState]) -> None:
    state = asked("")
    assert speakers(state, "group/opinions") == speakers(state, "group/rounds.1/speak") == GROUP
    assert [*step(state, "group/opinions").parts] == GROUP


def test_members_send_messages_to_one_another_in_turns(asked: Callable[[str], RunState]) -> None:
    state = asked("")
    assert speakers(state, "group/rounds.1/talk") == GROUP * 2
    sent: Any = step(state, "group/rounds.1/talk").outputs["messages"].data
    assert [(one["tick"], one["from"], one["to"]) for one in sent] == [
        (1, "cardiologist", ["infectiologist", "pharmacist"]),
        (2, "pharmacist", ["cardiologist"]),
    ]
    heard = {one.tool: str(one.arguments) for one in turns_of(state, "group/rounds.1/talk")[3:]}
    assert "cardiologist: Does brexin bear velorin" in heard["pharmacist"]
    assert "cardiologist: Does brexin" not in heard["cardiologist"]
    assert "pharmacist to cardiologist: I do not know" in str(
        step(state, "group/rounds.1/moderator").inputs["prompt"].data
    )
    assert speakers(state, "group/rounds.2/talk") == GROUP


def test_who_differ_are_sent_into_another_round_and_who_agree_are_not(
    asked: Callable[[str], RunState],
) -> None:
    state = asked("")
    assert answers_of(state, "group/rounds.1/speak") == ["brexin", "amidol", "brexin"]
    assert step(state, "group/rounds.1/moderator").outputs["agreed"].data is False
    assert answers_of(state, "group/rounds.2/speak") == ["amidol"] * 3
    assert step(state, "group/rounds.2/moderator").outputs["agreed"].data is True
    assert StepId("group/rounds.3/speak") not in state.steps


def test_what_the_handbook_says_changes_the_answer(asked: Callable[[str], RunState]) -> None:
    state = asked("")
    assert step(state, "group/rounds.1/moderator").outputs["answer"].data == "brexin"
    found = str(step(state, "group/rounds.1/knowledge/recall").outputs["text"].data)
    passage = "Who takes velorin is given amidol in the place of brexin."
    assert passage in found
    assert "Sailor" not in found
    tasks = [str(step(state, f"group/rounds.{number}/ask").outputs["text"].data) for number in (1, 2)]
    assert [passage in one for one in tasks] == [False, True]
    assert "The moderator's note on it:\nbrexin or amidol" in tasks[1]
    assert state.outputs["answer"].data == "amidol"
    assert StepId("group/rounds.2/knowledge/recall") not in state.steps


TEAMS = ["initial", "each.0/team", "each.1/team", "final_review"]


def test_the_first_team_assesses_those_between_work_together_and_the_last_reviews(
    asked: Callable[[str], RunState],
) -> None:
    state = asked(COMPLEX)
    first, *between, last = [step(state, f"care/{name}") for name in TEAMS]
    assert (first.ended or 0.0) <= min(one.began or 0.0 for one in between)
    assert max(one.began or 0.0 for one in between) < min(one.ended or 0.0 for one in between)
    assert max(one.ended or 0.0 for one in between) <= (last.began or 0.0)
    reports = [str(one.outputs["report"].data) for one in (first, *between, last)]
    assert [one.rpartition("Answer: ")[2] for one in reports] == ["brexin", "amidol", "calotene", "calotene"]
    before = [str(step(state, f"care/{name}/ask").outputs["text"].data) for name in TEAMS]
    assert [sum(one in text for one in reports) for text in before] == [0, 1, 1, 3]
    read = str(step(state, "care/chief").inputs["prompt"].data)
    assert all(one in read for one in reports)
    assert state.outputs["answer"].data == "calotene"


def test_a_lead_hands_out_investigations_and_reports_what_came_back(
    asked: Callable[[str], RunState],
) -> None:
    state = asked(COMPLEX)
    asks = "pharmacist: What does the handbook say, to look into the heartbeat and velorin?"
    assert speakers(state, "care/each.0/team/speak") == ["pharmacist"]
    assert asks in str(turns_of(state, "care/each.0/team/speak")[0].arguments)
    chat = turns_of(state, "care/each.0/team/lead")[0].request
    assert chat is not None
    assert [one["role"] for one in chat["messages"]] == ["system", "user", "assistant", "user"]
    assert "which rules out brexin" in str(chat["messages"][-1])


async def test_another_question_is_not_answered(tmp_path: Path) -> None:
    state = (await ran(FOLDER, tmp_path, {"question": "Which bone is the longest?"})).state
    assert state.error is not None
    assert "Unknown: These answers know" in state.error.message


async def test_one_alone_stays_with_the_first_choice(tmp_path: Path) -> None:
    question = (
        "A patient who takes velorin has grey cough. Which of brexin, amidol and calotene is the choice?"
    )
    state = (await ran(FOLDER, tmp_path, {"question": question}, file="solo.json")).state
    assert state.outputs["answer"].data == "brexin"


def test_the_adaptive_flow_costs_less_than_the_group_and_more_than_one_alone() -> None:
    flows = [FOLDER / name for name in ("flow.json", "solo.json", "group.json", "care.json")]
    problems = FOLDER / "data" / "problems.jsonl"
    adaptive, solo, group, care = measure(flows, problems, environ=HERE, chat="solvers", runs=2).flows
    assert solo.mean("tokens") * 3 < adaptive.mean("tokens")
    assert adaptive.mean("tokens") < group.mean("tokens")
    assert solo.mean("tokens") * 3 < care.mean("tokens")


def test_labels_are_held_against_stated_ones() -> None:
    flow, stated = FOLDER / "triage.json", FOLDER / "data" / "levels.jsonl"
    [labels] = measure([flow], stated, environ=HERE, chat="solvers", runs=10).flows
    assert 0.75 < labels.accuracy.value < 0.95
