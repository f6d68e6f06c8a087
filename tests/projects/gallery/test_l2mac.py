"""L2MAC runs each instruction by an agent that knows no other, and runs again what its check refuses."""

from pathlib import Path
from typing import Any

import pytest

from studio.ids import StepId
from studio.places import projects
from studio.trace.state import RunState
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
    instructions = [str(state.steps[StepId(f"clock.{n}/fetch")].outputs["value"].data) for n in (1, 2, 3, 4)]
    assert instructions[2].startswith(instructions[1])
    assert instructions[2].endswith(
        "It was tried before, and failed:\ntest_tally.py: of two wrens 0 were seen"
    )
    assert "report.py" in instructions[3]


async def test_each_agent_begins_with_its_instruction_alone(state: RunState) -> None:
    for number in (1, 2, 3, 4):
        first = asked(state, f"clock.{number}/worker")[0]
        instruction = str(state.steps[StepId(f"clock.{number}/fetch")].outputs["value"].data)
        assert [one["role"] for one in first] == ["system", "user"]
        assert first[1]["content"].endswith(instruction)
        assert first[1]["content"].count("Instruction: ") == 1


async def test_what_is_wrong_is_read_from_the_store_and_mended_in_place(state: RunState) -> None:
    assert speakers(state, "clock.3/worker") == ["view", "str_replace", "str_replace"]
    written = state.steps[StepId("clock.3/worker")].remembered
    assert {one.item.data["id"] for one in written} == {"tally.py"}
    assert state.steps[StepId("clock.3/check")].outputs["result"].data["ok"] is True
    assert state.outputs["answer"].data == ["report.py", "tally.py", "test_report.py", "test_tally.py"]


async def test_one_conversation_leaves_the_mistake_in_and_holds_all_that_it_wrote(tmp_path: Path) -> None:
    other = (await ran(L2MAC, tmp_path / "other", file="one_conversation.json")).state
    verdict: Any = other.outputs["verdict"].data
    assert verdict == {"ok": False, "report": "test_tally.py: of two wrens 0 were seen"}
    there = [words(one) for one in asked(other, "agent")]
    assert there == sorted(there)
    assert there[-1] > 2 * there[0]
