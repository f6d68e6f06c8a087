"""CodeAct acts by code: it asks the user, fails, mends the code, and goes on with what the session has."""

from pathlib import Path
from typing import Any

import pytest

from studio.ids import StepId
from studio.places import projects
from studio.trace.fold.state import RunState
from tests.projects.gallery.systems import ran, speakers

CODEACT = projects() / "codeact"
TURN = "talk#tool.3"


@pytest.fixture
async def state(tmp_path: Path) -> RunState:
    return (await ran(CODEACT, tmp_path)).state


def code_of(state: RunState, number: int) -> str:
    """The code of one of the agent's actions."""
    arguments: Any = state.steps[StepId(f"{TURN}/agent#tool.{number}")].arguments
    return str(arguments["code"])


def called_by(state: RunState, step: str) -> list[tuple[str, Any]]:
    """Which tools a piece of code called, with what."""
    inner = [one for one in state.steps.values() if one.parent == step and one.tool not in {"", "python"}]
    return [(one.tool, one.arguments) for one in inner]


async def test_agent_and_user_take_turns_until_the_user_is_satisfied(state: RunState) -> None:
    assert speakers(state, "talk") == ["codeact", "user", "codeact", "user"]
    assert state.steps[StepId("talk#tool.2")].text == "From Leeds. We are two adults and a child."
    assert state.steps[StepId("talk")].outputs["ended"].data == "rule"


async def test_code_calls_tools_in_a_loop_each_once(state: RunState) -> None:
    calls = called_by(state, f"{TURN}/agent#tool.1")
    assert [tool for tool, _ in calls] == ["trains", "fare", "fare"]
    assert [given["id"] for tool, given in calls if tool == "fare"] == ["A1", "A2"]


async def test_a_failure_comes_back_with_its_line_and_the_next_code_goes_on_with_the_session(
    state: RunState,
) -> None:
    said = state.steps[StepId(f"{TURN}/agent#tool.1")].text
    assert said.startswith("3 trains, 2 in time\nTypeError: ")
    assert "(line 7)" in said
    assert "trains(" not in code_of(state, 2)
    assert "prices.items()" in code_of(state, 2)
    assert called_by(state, f"{TURN}/agent#tool.2") == []
    assert state.outputs["answer"].data == (
        "Take A1 at 06:15, which arrives at 09:40: £78.00 for all of you."
    )


@pytest.mark.parametrize("file", ["", "tool_calls.json"])
@pytest.mark.parametrize(
    "question",
    [
        "What is the weather?",
        "Which train gets us to Paris before noon?",
        "From Oxford: which train gets us to Ely before noon?",
        "Which train gets five adults to Ely before noon?",
    ],
)
async def test_what_the_scripted_answers_know_nothing_of_is_unknown(
    tmp_path: Path, question: str, file: str
) -> None:
    other = (await ran(CODEACT, tmp_path, {"question": question}, file=file)).state
    assert other.error is not None
    assert (other.error.error, other.error.exit_code) == ("ScriptedAnswerMissingError", 1)
    assert "Unknown: These answers know trains from Leeds or York to Ely" in other.error.message


async def test_another_limit_and_another_start_are_answered_by_what_the_code_finds(tmp_path: Path) -> None:
    task = "From York: which train gets us to Ely before noon, for as little as possible?"
    state = (await ran(CODEACT, tmp_path, {"question": task})).state
    assert speakers(state, "talk") == ["codeact", "user"]
    assert str(state.outputs["answer"].data).startswith("Take B2 at 08:30")
    assert "£74.75" in str(state.outputs["answer"].data)


async def test_calling_tools_one_a_turn_takes_more_chats(state: RunState, tmp_path: Path) -> None:
    calls = (await ran(CODEACT, tmp_path / "other", file="tool_calls.json")).state
    chats = {
        one: [s for s in run.steps if "agent#chat" in s] for one, run in (("code", state), ("calls", calls))
    }
    assert {one: len(found) for one, found in chats.items()} == {"code": 4, "calls": 5}
