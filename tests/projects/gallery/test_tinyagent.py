"""TinyAgent: few tools are shown, what can run at once does, and what fails is planned anew."""

import asyncio
import json
from pathlib import Path

import pytest

from studio.ids import StepId
from studio.places import gallery_projects
from studio.trace.events import ToolAnswered, ToolCalled
from studio.trace.fold.state import RunState
from tests.projects.gallery.systems import System, ran, speakers


@pytest.fixture(scope="module")
def folder() -> Path:
    return next(one for one in gallery_projects() if one.name == "tinyagent")


@pytest.fixture(scope="module")
def system(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> System:
    return asyncio.run(ran(folder, tmp_path_factory.mktemp("tinyagent")))


def prompt(state: RunState) -> str:
    """What the planner was told."""
    request = state.steps[StepId("planner#chat.1")].request
    assert request is not None
    return request["messages"][0]["content"]


def tools_shown(state: RunState) -> set[str]:
    lines = prompt(state).splitlines()
    return {line.split(":")[0].removeprefix("- ") for line in lines if line.startswith("- ")}


def test_the_planner_is_shown_the_tools_that_fit_the_command(system: System) -> None:
    assert tools_shown(system.state) == {"contact_email", "create_event", "create_reminder"}


async def test_a_text_message_is_shown_the_tool_that_looks_up_where_it_goes(
    folder: Path, tmp_path: Path
) -> None:
    state = (await ran(folder, tmp_path, {"question": "Text Ada that I am late."})).state
    assert "contact_phone" in tools_shown(state)
    assert speakers(state, "executor") == ["contact_phone", "send_message"]
    assert state.outputs["answer"].data == "Done. Message to Ada: sent to 555 0101."


def test_the_planner_is_told_how_times_are_written_and_what_is_looked_up_first(system: System) -> None:
    assert "such as `Friday at 12:30`" in prompt(system.state)
    assert "look these up first" in prompt(system.state)


@pytest.mark.parametrize("asked", ["Sort these words: pear, fig.", "Invite me to something."])
async def test_another_command_is_unknown(asked: str, folder: Path, tmp_path: Path) -> None:
    state = (await ran(folder, tmp_path, {"question": asked})).state
    assert state.error is not None
    assert (state.error.error, state.error.exit_code) == ("ScriptedAnswerMissingError", 1)
    assert "Unknown: These answers know invitations" in state.error.message


async def test_what_cannot_be_done_is_not_told_as_done(folder: Path, tmp_path: Path) -> None:
    state = (await ran(folder, tmp_path, {"question": "Text Linus that I am late."})).state
    assert str(state.outputs["answer"].data).startswith("Not done. Phone of Linus: ")


def test_with_all_tools_in_the_prompt_the_planner_takes_more_tokens(
    system: System, folder: Path, tmp_path: Path
) -> None:
    state = asyncio.run(ran(folder, tmp_path / "runs", file="all_tools.json")).state
    assert len(tools_shown(state)) == 10
    used = [one.steps[StepId("planner#chat.1")].tokens for one in (system.state, state)]
    assert used[1] > 1.15 * used[0]
    assert state.outputs["answer"].data == system.state.outputs["answer"].data


def test_what_needs_nothing_of_one_another_runs_at_the_same_time(system: System) -> None:
    kinds = [
        (type(one.event).__name__, str(one.step))
        for one in system.entries
        if isinstance(one.event, ToolCalled | ToolAnswered) and one.step.startswith("executor")
    ]
    first = [step for kind, step in kinds[:3] if kind == "ToolCalled"]
    assert first == ["executor#tool.1", "executor#tool.2", "executor#tool.3"]
    assert speakers(system.state, "executor")[:3] == ["contact_email", "contact_email", "create_reminder"]


def test_what_fails_is_planned_anew_on_what_was_done(system: System) -> None:
    parts = system.state.steps[StepId("executor")].parts
    assert {name: one.status for name, one in parts.items()} == {
        "ada": "done",
        "grace": "failed",
        "reminder": "done",
        "event": "dropped",
        "phone_of_grace": "done",
        "message_to_grace": "done",
        "event_without": "done",
    }
    assert parts["event"].detail["reason"] == "It needs `grace`."
    assert speakers(system.state, "executor")[3:] == ["contact_phone", "create_event", "send_message"]


def test_results_are_passed_in_the_place_of_placeholders(system: System) -> None:
    calls = {
        one.event.tool: one.event.arguments for one in system.entries if isinstance(one.event, ToolCalled)
    }
    assert calls["create_event"]["invited"] == ["ada@example.org"]
    assert calls["send_message"]["number"] == "555 0102"


def test_the_answer_says_what_was_done_and_how_far_the_plan_held(system: System) -> None:
    outputs = {name: one.data for name, one in system.state.outputs.items()}
    assert "Message to Grace: sent to 555 0102" in str(outputs["answer"])
    assert outputs["adherence"] == 0.5
    assert "reminder" in json.dumps(outputs["report"])
