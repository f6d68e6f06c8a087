"""A machine takes the first open move, goes back to what was, and ends in a stated way."""

import re
from collections.abc import Sequence
from typing import Any

import pytest

from nodes.plan.state_machine import state_machine
from studio.errors import SettingsError
from studio.sdk import Agent, StepError, Turn
from studio.sdk.node import node_type_of
from studio.sdk.testing import ScriptedContext, run_bench
from tests.nodes.plan.lenders import Asked, answering

STATES: list[Any] = [
    {"name": "draft", "does": "writer", "asks": "{{task}}|{{reason}}"},
    {"name": "check", "does": "critic"},
    {"name": "done"},
]
MOVES: list[Any] = [
    {"at": "draft", "to": "check"},
    {"at": "check", "to": "done", "when": 'text == "good"'},
    {"at": "check", "to": "draft", "back": True},
]


async def worked(
    agents: Sequence[Agent] = (),
    *,
    inputs: dict[str, Any] | None = None,
    context: ScriptedContext | None = None,
    **settings: Any,
) -> dict[str, Any]:
    given = {"task": "wrens", "agents": agents, **(inputs or {})}
    return await run_bench(state_machine, given, {"states": STATES, "moves": MOVES, **settings}, context)


async def test_the_first_open_move_is_taken_until_no_move_leads_on() -> None:
    heard: list[Turn] = []
    found = await worked([answering("writer", ["one"]), answering("critic", ["good"], heard)])
    assert found["visited"] == ["draft", "check", "done"]
    assert (found["state"], found["ended"], found["reply"]) == ("done", "end", "good")
    assert [one.prompt for one in heard] == ["one"]


async def test_going_back_undoes_what_was_learnt_since_and_says_why() -> None:
    heard: list[Turn] = []
    writer = answering("writer", [{"title": "first"}, {"length": 2}], heard)
    critic = answering("critic", ["thin", "good"])
    context = ScriptedContext()
    found = await worked([writer, critic], inputs={"data": {"since": 1}}, context=context)
    assert [one.prompt for one in heard] == ["wrens|", "wrens|thin"]
    assert found["data"] == {"since": 1, "length": 2}
    told = {one.id: one for one in context.parts}
    assert [one.status for one in told.values()] == ["dropped", "dropped", "done", "done", "done"]
    assert told["1_draft"].detail == {"reason": "went back: thin"}
    assert told["2_check"].after == ("1_draft",)


async def test_a_state_is_entered_no_more_often_than_it_may_be() -> None:
    writer, critic = answering("writer", ["a", "b"]), answering("critic", ["thin", "thin"])
    found = await worked([writer, critic], visits=2)
    assert found["visited"] == ["draft", "check", "draft", "check"]
    assert (found["ended"], found["state"]) == ("nowhere", "check")


async def test_the_next_move_is_tried_where_a_state_is_used_up() -> None:
    moves = [*MOVES, {"at": "check", "to": "done"}]
    writer, critic = answering("writer", ["a", "b"]), answering("critic", ["thin", "thin"])
    found = await worked([writer, critic], visits=2, moves=moves)
    assert found["visited"][-1] == "done"


async def test_it_ends_after_so_many_steps() -> None:
    found = await worked([answering("writer", ["a"]), answering("critic", ["thin"])], steps=2)
    assert (found["ended"], len(found["visited"])) == ("steps", 2)


async def test_a_failure_goes_on_by_a_move_that_asks_for_it_and_fails_the_step_otherwise() -> None:
    with pytest.raises(StepError, match="`draft`: no ink"):
        await worked([answering("writer", [StepError("no ink")]), answering("critic", [])])
    moves = [{"at": "*", "to": "draft", "when": "failed and visits < 2"}, *MOVES]
    writer, critic = answering("writer", [StepError("no ink"), "a"]), answering("critic", ["good"])
    context = ScriptedContext()
    found = await worked([writer, critic], moves=moves, context=context)
    assert found["visited"] == ["draft", "draft", "check", "done"]
    assert found["ended"] == "end"
    assert [one.status for one in context.parts if one.id == "1_draft"] == ["running", "failed"]


async def test_tools_take_what_they_know_of_the_data_and_add_to_it() -> None:
    count = Asked("count", lambda number: {"number": number + 1}, "number")
    states = [{"name": "count", "does": "count"}, {"name": "done"}]
    moves = [{"at": "count", "to": "done", "when": 'data["number"] > 2'}, {"at": "count", "to": "count"}]
    inputs = {"data": {"number": 0}, "tools": [count.tool]}
    found = await worked(inputs=inputs, states=states, moves=moves)
    assert count.asked == [0, 1, 2]
    assert found["data"] == {"number": 3}


async def test_the_node_s_own_chat_works_where_nobody_is_named() -> None:
    context = ScriptedContext(["Hello."])
    found = await worked(context=context, states=[{"name": "greet", "asks": "Greet {{task}}."}], moves=[])
    assert found["reply"] == "Hello."
    assert context.requests[0].messages[-1].content == "Greet wrens."


async def test_unknown_states_and_names_are_said_before_anybody_works() -> None:
    with pytest.raises(StepError, match="no state `nowhere`"):
        await worked(moves=[{"at": "draft", "to": "nowhere"}])
    with pytest.raises(StepError, match="no agent or tool `writer`"):
        await worked()


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"states": []}, "there is no state"),
        ({"states": [{"name": "a"}, {"name": "a"}]}, "`a` cannot be the name"),
        ({"moves": [{"at": "a", "to": "b", "when": "colour == 1"}]}, "a to b: .*colour"),
    ],
)
def test_settings_that_make_no_machine_are_refused(settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(SettingsError) as caught:
        node_type_of(state_machine).complete_settings(settings)
    assert re.search(problem, str(caught.value.details))
