"""RCR-Router: roles are given different choices, and as many answers come of fewer tokens."""

from pathlib import Path
from typing import Any

import pytest

from studio.app.measurements.measurement import measure
from studio.ids import StepId
from studio.places import projects
from studio.trace.fold.state import RunState
from tests.projects.gallery.systems import ran
from tests.trusted import HERE

ROUTER = projects() / "rcr_router"
ROLES = (0, 1, 2)


@pytest.fixture
async def state(tmp_path: Path) -> RunState:
    return (await ran(ROUTER, tmp_path)).state


def routed(state: RunState, number: int, role: int, port: str = "items") -> list[str]:
    """What a role was given in a round, or what was left out, the best first."""
    found: Any = state.steps[StepId(f"rounds.{number}/each.{role}/route")].outputs[port].data
    return [str(one["text"]) for one in found]


async def test_each_role_is_given_another_choice_of_the_same_passages(state: RunState) -> None:
    choices = [frozenset(one for one in routed(state, 1, role) if " noted: " not in one) for role in ROLES]
    assert len(set(choices)) == 3
    assert all(any("lighthouse on Gannet Point was drawn" in text for text in one) for one in choices)


async def test_no_note_quotes_another(state: RunState) -> None:
    notes = {text for number in (1, 2) for role in ROLES for text in routed(state, number, role)}
    assert all(text.count(" noted: ") <= 1 for text in notes)


def test_readers_answer_as_often_as_with_everything_and_role_alone_is_not_enough() -> None:
    flows = [ROUTER / name for name in ("flow.json", "full_context.json", "static_routing.json")]
    problems = ROUTER / "data" / "problems.jsonl"
    routed, full, static = measure(flows, problems, environ=HERE, chat="readers", runs=1).flows
    assert routed.accuracy.value == full.accuracy.value == 1
    assert routed.mean("tokens") < 0.7 * full.mean("tokens")
    assert static.accuracy.value < 0.3
