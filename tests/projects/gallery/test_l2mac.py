"""L2MAC runs each instruction by an agent that knows no other, and runs again what its check refuses."""

from pathlib import Path
from typing import Any

import pytest

from studio.ids import StepId
from studio.places import projects
from studio.trace.fold.state import RunState
from tests.projects.gallery.systems import ran, speakers

L2MAC = projects() / "l2mac"


@pytest.fixture
async def state(tmp_path: Path) -> RunState:
    return (await ran(L2MAC, tmp_path)).state


def asked(state: RunState, worker: str) -> list[list[dict[str, Any]]]:
    """The messages of each chat of a step."""
    calls = [state.steps[one] for one in state.steps[StepId(worker)].children]
    return [one.request["messages"] for one in calls if one.request is not None]


def words(messages: list[dict[str, Any]]) -> int:
    return sum(len(f"{one.get('content')} {one.get('tool_calls', '')}".split()) for one in messages)


async def test_the_counter_stays_where_a_check_fails_and_the_reason_goes_along(state: RunState) -> None:
    course: Any = state.outputs["course"].data
    assert [one["counter"] for one in course] == [1, 1, 2, 3]
    assert course[1]["note"] == "test_tally.py: of two wrens 0 were seen"
    instructions = [str(state.steps[StepId(f"clock.{n}/fetch")].outputs["text"].data) for n in (1, 2, 3, 4)]
    failed = "\nIt was tried before, and failed:\ntest_tally.py: of two wrens 0 were seen"
    assert instructions[1].rpartition("Instruction: ")[2] + failed in instructions[2]
    assert failed not in instructions[3]
    assert "report.py" in instructions[3]


async def test_each_agent_begins_with_its_instruction_alone(state: RunState) -> None:
    for number in (1, 2, 3, 4):
        first = asked(state, f"clock.{number}/worker")[0]
        instruction = str(state.steps[StepId(f"clock.{number}/fetch")].outputs["text"].data)
        assert [one["role"] for one in first] == ["system", "user"]
        assert first[1]["content"].endswith(instruction)
        assert first[1]["content"].count("Instruction: ") == 1


async def test_each_knows_the_whole_task_the_files_and_what_the_one_before_said(
    state: RunState,
) -> None:
    for number, there in ((1, "none"), (2, "tally.py"), (4, "tally.py, test_tally.py")):
        told = str(asked(state, f"clock.{number}/worker")[0][1]["content"])
        assert "The whole task: Write a Python library that keeps a tally of birds seen" in told
        assert f"Files that are there: {there}\n" in told
        assert ("Whoever worked before you said: " in told) is (number > 1)


async def test_what_is_wrong_is_read_from_the_store_and_mended_in_place(state: RunState) -> None:
    assert speakers(state, "clock.3/worker") == ["view", "str_replace", "str_replace"]
    written = state.steps[StepId("clock.3/worker")].remembered
    assert {one.item.data["id"] for one in written} == {"tally.py"}
    assert state.steps[StepId("clock.3/check")].outputs["result"].data["ok"] is True
    assert state.outputs["answer"].data == ["report.py", "tally.py", "test_report.py", "test_tally.py"]


async def test_one_conversation_leaves_the_mistake_in_and_holds_all_that_it_wrote(tmp_path: Path) -> None:
    other = (await ran(L2MAC, tmp_path / "other", file="one_conversation.json")).state
    verdict: Any = other.outputs["verdict"].data
    assert (verdict["ok"], verdict["report"]) == (False, "test_tally.py: of two wrens 0 were seen")
    there = [words(one) for one in asked(other, "agent")]
    assert there == sorted(there)
    assert there[-1] > 2 * there[0]


@pytest.mark.parametrize("file", ["", "one_conversation.json"])
async def test_another_task_is_unknown(file: str, tmp_path: Path) -> None:
    other = (await ran(L2MAC, tmp_path, {"task": "Write a chess engine."}, file=file)).state
    assert other.error is not None
    assert (other.error.error, other.error.exit_code) == ("ScriptedAnswerMissingError", 1)
    assert "Unknown: These answers know one task" in other.error.message
