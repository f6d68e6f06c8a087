"""Routine: a plan after a routine that is recalled, mended before it is followed to the letter."""

import asyncio
from pathlib import Path

import pytest

from studio.ids import StepId
from studio.places import gallery_projects
from studio.trace.events import ToolCalled
from tests.projects.gallery.systems import System, ran, speakers, turns_of

STEPS = ["find_employee", "leave_balance", "check_leave", "book_leave", "notify"]


@pytest.fixture(scope="module")
def folder() -> Path:
    return next(one for one in gallery_projects() if one.name == "routine")


@pytest.fixture(scope="module")
def system(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> System:
    return asyncio.run(ran(folder, tmp_path_factory.mktemp("routine")))


def test_the_routine_that_fits_the_request_is_recalled(system: System) -> None:
    [read] = [one for one in system.state.steps[StepId("planner")].recalled if one.purpose == "recall"]
    assert [str(one.data)[:60].count("Leave of an employee") for one in read.found] == [1]
    [first, *_] = turns_of(system.state, "planner")
    assert first.request is not None
    assert "1. Find the employee: by the name" in first.request["messages"][1]["content"]
    assert "A new badge" not in first.request["messages"][1]["content"]


async def test_another_request_recalls_another_routine(folder: Path, tmp_path: Path) -> None:
    state = (await ran(folder, tmp_path, {"question": "Linus has lost the badge."})).state
    assert speakers(state, "executor") == ["find_employee", "notify", "notify"]


def test_a_plan_that_cannot_be_followed_is_sent_back_before_anything_is_done(system: System) -> None:
    first, second = turns_of(system.state, "planner")
    assert "vacation_days" in first.text
    assert second.request is not None
    remark = second.request["messages"][-1]["content"]
    assert "by `vacation_days`; there is only" in remark
    assert "`book_leave` wants `permit` as well" in remark
    begun = [entry.number for entry in system.entries if isinstance(entry.event, ToolCalled)]
    ended = next(entry.number for entry in reversed(system.entries) if entry.step == "planner")
    assert min(begun) > ended


def test_every_step_of_the_routine_is_called_in_its_order_with_what_came_before(system: System) -> None:
    assert speakers(system.state, "executor") == STEPS
    calls = {
        one.event.tool: one.event.arguments for one in system.entries if isinstance(one.event, ToolCalled)
    }
    assert calls["leave_balance"] == {"employee": 17}
    assert calls["check_leave"] == {"days": 3, "days_left": 12, "office": "Lund"}
    assert calls["book_leave"]["permit"] == "permit Lund-9"
    assert calls["notify"] == {
        "person": "Grace",
        "text": "Ada has booked 3 days of leave from 1 June: B-17-3 by permit Lund-9.",
    }
    assert system.state.outputs["adherence"].data == 1


async def test_a_step_that_fails_takes_along_what_needs_it_and_nothing_else(
    folder: Path, tmp_path: Path
) -> None:
    state = (await ran(folder, tmp_path, {"question": "Linus asks for 5 days of leave from 3 August."})).state
    parts = state.steps[StepId("executor")].parts
    assert {name: one.status for name, one in parts.items()} == {
        "employee": "done",
        "balance": "done",
        "permit": "failed",
        "booking": "dropped",
        "notice": "dropped",
    }
    assert speakers(state, "executor") == STEPS[:3]
    assert state.outputs["failed"].data == ["permit", "booking", "notice"]
    assert "5 days are asked for, and 1 are left" in str(state.outputs["answer"].data)


async def test_who_plans_while_calling_leaves_steps_out(folder: Path, tmp_path: Path) -> None:
    state = (await ran(folder, tmp_path, file="free.json")).state
    assert speakers(state, "free") == ["find_employee", "book_leave"]
    assert state.outputs["adherence"].data == 0.4


async def test_a_room_for_guests_has_a_routine_of_its_own(folder: Path, tmp_path: Path) -> None:
    state = (await ran(folder, tmp_path, {"question": "Mary expects 4 guests on Monday."})).state
    assert state.outputs["answer"].data == "told kitchen Cork: Mary expects 4 guests on Monday."


def test_the_planner_is_told_what_to_do_where_the_nearest_routine_is_for_something_else(
    system: System,
) -> None:
    [first, *_] = turns_of(system.state, "planner")
    assert first.request is not None
    assert (
        "If the routine is for something else, plan one task alone" in first.request["messages"][0]["content"]
    )


@pytest.mark.parametrize("asked", ["Zoe wants a new chair.", "Linus asks for a new badge holder."])
@pytest.mark.parametrize("file", ["", "free.json"])
async def test_a_request_that_no_answer_is_for_is_unknown(
    file: str, asked: str, folder: Path, tmp_path: Path
) -> None:
    state = (await ran(folder, tmp_path, {"question": asked}, file=file)).state
    assert state.error is not None
    assert (state.error.error, state.error.exit_code) == ("ScriptedAnswerMissingError", 1)
    assert "Unknown: These answers know days of leave" in state.error.message
