"""RCR-Router gives each role what it needs within its budget, and routes what was written back."""

from pathlib import Path
from typing import Any

import pytest

from studio.app.measurements.measurement import measure
from studio.ids import StepId
from studio.places import projects
from studio.trace.fold.state import RunState
from tests.projects.gallery.systems import ran

ROUTER = projects() / "rcr_router"
BUDGET = 150
ROLES = (0, 1, 2)


@pytest.fixture
async def state(tmp_path: Path) -> RunState:
    return (await ran(ROUTER, tmp_path)).state


def routed(state: RunState, number: int, role: int, port: str = "items") -> list[str]:
    """What a role was given in a round, or what was left out, the best first."""
    found: Any = state.steps[StepId(f"rounds.{number}/each.{role}/route")].outputs[port].data
    return [str(one["text"]) for one in found]


def given(state: RunState) -> list[int]:
    """The tokens of each choice."""
    return [int(one.outputs["tokens"].data) for one in state.steps.values() if one.node == "route"]


async def test_no_choice_takes_more_than_its_budget_and_what_it_leaves_out_is_told(state: RunState) -> None:
    assert len(given(state)) == 6
    assert max(given(state)) <= BUDGET
    assert all(routed(state, number, role, "left_out") for number in (1, 2) for role in ROLES)


async def test_each_role_is_given_another_choice_of_the_same_passages(state: RunState) -> None:
    choices = [frozenset(one for one in routed(state, 1, role) if " noted: " not in one) for role in ROLES]
    assert len(set(choices)) == 3
    assert all(any("lighthouse on Gannet Point was drawn" in text for text in one) for one in choices)


def heard(state: RunState, number: int, role: int) -> set[str]:
    """Of whose words a role was told in a round."""
    return {text.partition(" noted: ")[0] for text in routed(state, number, role) if " noted: " in text}


async def test_what_was_written_back_is_routed_to_whoever_comes_next(state: RunState) -> None:
    assert [heard(state, 1, role) for role in ROLES] == [set(), {"planner"}, {"planner", "searcher"}]
    assert all({"searcher", "writer"} <= heard(state, 2, role) for role in ROLES)


async def test_what_the_writer_lacks_is_what_the_next_round_routes_by(state: RunState) -> None:
    second = "Tom Ruddock learned his trade in Oversby"
    assert [any(second in text for text in routed(state, 1, role)) for role in ROLES] == [True, False, False]
    assert "where Tom Ruddock learned a trade" in str(
        state.steps[StepId("rounds.2/stage")].outputs["value"].data
    )
    assert all(any(second in text for text in routed(state, 2, role)) for role in ROLES)


async def test_the_writer_answers_when_both_facts_have_come_together(state: RunState) -> None:
    words = [
        str(state.steps[StepId(f"rounds.{number}/each.2/agent")].outputs["reply"].data) for number in (1, 2)
    ]
    assert words == ["NEXT: where Tom Ruddock learned a trade.", "ANSWER: Oversby"]
    assert not any(str(name).startswith("rounds.3/") for name in state.steps)
    assert state.outputs["answer"].data == "Oversby"


async def test_no_note_quotes_another(state: RunState) -> None:
    notes = {text for number in (1, 2) for role in ROLES for text in routed(state, number, role)}
    assert all(text.count(" noted: ") <= 1 for text in notes)


def test_readers_answer_as_often_as_with_everything_and_role_alone_is_not_enough() -> None:
    flows = [ROUTER / name for name in ("flow.json", "full_context.json", "static_routing.json")]
    problems = ROUTER / "data" / "problems.jsonl"
    routed, full, static = measure(flows, problems, environ={}, chat="readers", runs=1).flows
    assert routed.accuracy.value == full.accuracy.value == 1
    assert routed.mean("tokens") < 0.7 * full.mean("tokens")
    assert static.accuracy.value < 0.3


async def test_without_a_budget_each_is_told_everything(state: RunState, tmp_path: Path) -> None:
    full = (await ran(ROUTER, tmp_path / "full", file="full_context.json")).state
    assert full.outputs["answer"].data == state.outputs["answer"].data
    assert min(given(full)) > 3 * BUDGET


async def test_another_question_is_not_answered(tmp_path: Path) -> None:
    state = (await ran(ROUTER, tmp_path, {"question": "Who owns the Mill Bridge?"})).state
    assert state.error is not None
    assert "Unknown: These answers" in state.error.message
