"""A lead that knows nobody posts requests, and those volunteer who can help."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from nodes.memory.notes import notes
from nodes.team.blackboard import blackboard
from studio.sdk import Agent, Memory, StepError
from studio.sdk.testing import ScriptedContext, open_binding, run_bench
from tests.nodes.team.members import Member, failing, saying


def posts(text: str) -> str:
    return json.dumps({"reason": "", "next": "request", "text": text})


def answers(text: str) -> str:
    return json.dumps({"reason": "", "next": "answer", "text": text})


def can(confidence: float = 0.5, *, can_help: bool = True) -> str:
    return json.dumps({"reason": "", "can_help": can_help, "confidence": confidence})


CANNOT = can(can_help=False)


def birds(*texts: str) -> Member:
    return saying("ada", *texts, description="Has the notes on birds.")


async def solved(
    context: ScriptedContext, agents: Sequence[Agent], permissions: Sequence[str] = (), **settings: Any
) -> dict[str, Any]:
    lending = open_binding(notes, {"name": "board", "permissions": list(permissions)}, context)
    board: Memory = await anext(lending)
    try:
        inputs = {"task": "What sang?", "memory": board, "agents": agents}
        return await run_bench(blackboard, inputs, settings, context)
    finally:
        await lending.aclose()


def on_board(context: ScriptedContext) -> dict[str, str]:
    return {one.id: one.text for one in context.memories["board"].items.all()}


async def test_those_volunteer_that_can_help_and_their_answers_are_posted() -> None:
    context = ScriptedContext([posts("Which bird sang?"), answers("a wren")])
    ada, ben = birds(can(), "A wren sang."), saying("ben", CANNOT)
    out = await solved(context, [ada, ben])
    assert (out["reply"], out["ended"], out["speaker"]) == ("a wren", "answered", "lead")
    assert out["requests"] == [
        {
            "request": "Which bird sang?",
            "volunteers": ["ada"],
            "answers": [{"speaker": "ada", "text": "A wren sang."}],
        }
    ]
    assert on_board(context) == {"request/1": "Which bird sang?", "request/1/ada": "A wren sang."}
    assert len(ben.heard) == 1


async def test_the_lead_knows_nobody_and_each_decides_by_what_it_is() -> None:
    context = ScriptedContext([posts("Which bird sang?"), answers("a wren")])
    ada = birds(can(), "A wren sang.")
    await solved(context, [ada])
    first, second = (one.messages[-1].content for one in context.requests)
    assert "ada" not in first
    assert "[request/1/ada] ada: A wren sang." in second
    assert ada.roles == ["You are `ada`: Has the notes on birds."] * 2


async def test_where_nobody_can_help_the_lead_reads_that_and_may_ask_otherwise() -> None:
    context = ScriptedContext([posts("Which moth?"), posts("Which bird?"), answers("a wren")])
    out = await solved(context, [birds(CANNOT, can(), "A wren.")])
    assert [one["volunteers"] for one in out["requests"]] == [[], ["ada"]]
    assert (
        "[request/1/nobody] lead: No agent could help with this." in context.requests[1].messages[-1].content
    )
    parts = {one.id: one for one in context.parts}
    assert {one: part.status for one, part in parts.items()} == {
        "request_1": "failed",
        "request_2": "done",
        "ada_2": "done",
    }
    assert parts["ada_2"].of == "request_2"


async def test_the_surest_answer_where_only_so_many_may() -> None:
    context = ScriptedContext([posts("Which bird?"), answers("a wren")])
    ada, ben = birds(can(0.2)), saying("ben", can(0.9), "A wren.")
    out = await solved(context, [ada, ben], most=1)
    assert out["requests"][0]["volunteers"] == ["ben"]


async def test_the_lead_has_to_answer_after_the_last_request() -> None:
    last = json.dumps({"reason": "", "text": "I guess a wren"})
    context = ScriptedContext([posts("Which bird?"), last])
    out = await solved(context, [birds(can(), "A wren.")], rounds=1)
    assert (out["reply"], out["ended"]) == ("I guess a wren", "rounds")
    assert [("next" in json.dumps(one.response_schema)) for one in context.requests] == [True, False]


async def test_a_rule_makes_the_lead_answer() -> None:
    last = json.dumps({"reason": "", "text": "nothing"})
    context = ScriptedContext([posts("Which moth?"), last])
    out = await solved(context, [birds(CANNOT)], ends_when="volunteers == 0")
    assert (out["reply"], out["ended"]) == ("nothing", "rule")


async def test_what_the_lead_says_that_does_not_fit_is_sent_back() -> None:
    context = ScriptedContext(['{"next": "wait"}', answers("a wren")])
    assert (await solved(context, [birds()]))["reply"] == "a wren"
    context = ScriptedContext(['{"next": "wait"}'] * 2)
    with pytest.raises(StepError, match="not the required JSON"):
        await solved(context, [birds()])


async def test_the_board_permits_who_may_read_and_write() -> None:
    context = ScriptedContext([posts("Which bird?"), answers("nothing")])
    ada = birds(can(), "A wren.")
    out = await solved(context, [ada], ["lead: write *", "ada: none *"])
    assert on_board(context) == {"request/1": "Which bird?"}
    assert "On the board" not in ada.heard[1]
    assert any("`request/1/ada` is not posted" in line for line in context.lines)
    assert out["requests"][0]["answers"]


async def test_one_that_fails_takes_the_step_along_or_does_not_volunteer() -> None:
    with pytest.raises(StepError, match="no ears"):
        await solved(ScriptedContext([posts("Which bird?")]), [failing("ada", "no ears")])
    context = ScriptedContext([posts("Which bird?"), answers("nothing")])
    out = await solved(context, [failing("ada", "no ears")], at_fault="go on")
    assert out["requests"][0]["volunteers"] == []
    with pytest.raises(StepError, match="agents"):
        await solved(ScriptedContext([]), [])
