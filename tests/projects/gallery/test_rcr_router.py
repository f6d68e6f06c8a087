"""RCR-Router gives each role what it needs within its budget, and routes what was written back."""

from pathlib import Path
from typing import Any

import pytest

from studio.ids import StepId
from studio.places import projects
from studio.trace.state import RunState
from tests.projects.gallery.systems import ran

ROUTER = projects() / "rcr_router"
BUDGET = 220
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
    choices = [[one for one in routed(state, 1, role) if ": " not in one[:12]] for role in ROLES]
    assert len({frozenset(one) for one in choices}) == 3
    assert all(any("Ada Finch, an engineer" in text for text in one) for one in choices)


def heard(state: RunState, number: int, role: int) -> set[str]:
    """Of whose words a role was told in a round."""
    names = {text.partition(": ")[0] for text in routed(state, number, role)}
    return names & {"planner", "searcher", "writer"}


async def test_what_was_written_back_is_routed_to_whoever_comes_next(state: RunState) -> None:
    assert [heard(state, 1, role) for role in ROLES] == [set(), {"planner"}, {"planner", "searcher"}]
    everybody = {"planner", "searcher", "writer"}
    assert [heard(state, 2, role) for role in ROLES] == [everybody, everybody, everybody - {"planner"}]


async def test_the_writer_answers_when_both_facts_have_come_together(state: RunState) -> None:
    words = [
        str(state.steps[StepId(f"rounds.{number}/each.2/agent")].outputs["reply"].data) for number in (1, 2)
    ]
    assert words == ["It is missing who is meant.", "ANSWER: Kettlewick."]
    assert not any(str(name).startswith("rounds.3/") for name in state.steps)
    assert state.outputs["answer"].data == "Kettlewick"


async def test_without_a_budget_more_than_twice_the_tokens_are_sent(state: RunState, tmp_path: Path) -> None:
    full = (await ran(ROUTER, tmp_path / "full", file="full_context.json")).state
    assert full.outputs["answer"].data == state.outputs["answer"].data
    assert min(given(full)) > 1.5 * BUDGET
    assert full.tokens > 2 * state.tokens


async def test_by_the_role_alone_the_searcher_is_not_told_of_the_bridge(
    state: RunState, tmp_path: Path
) -> None:
    static = (await ran(ROUTER, tmp_path / "static", file="static_routing.json")).state
    assert not any("Mill Bridge" in text for text in routed(static, 1, 1))
    assert any("Mill Bridge" in text for text in routed(state, 1, 1))
    assert max(given(static)) <= BUDGET
