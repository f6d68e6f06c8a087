"""Agents answer, hear one another, and answer anew."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from nodes.team.debate import debate
from studio.building_blocks.teams.topologies import heard_by
from studio.sdk import Agent, Said, StepError, Turn
from studio.sdk.testing import ScriptedContext, run_bench
from tests.nodes.team.members import Member, saying


def answer(text: str, reason: str = "so I heard") -> str:
    return json.dumps({"reason": reason, "answer": text})


def holding(name: str, *texts: str) -> Member:
    return saying(name, *(answer(one) for one in texts))


async def debated(
    agents: Sequence[Agent], context: ScriptedContext | None = None, **settings: Any
) -> dict[str, Any]:
    return await run_bench(debate, {"task": "What sang?", "agents": agents}, settings, context)


async def test_each_answers_by_itself_and_then_hears_the_others() -> None:
    ada, ben = holding("ada", "a wren", "a tit"), holding("ben", "a tit", "a tit")
    out = await debated([ada, ben], rounds=2, request="Now?")
    assert ada.heard == [
        "What sang?",
        "These are the answers of others:\n\nben: so I heard Answer: a tit\n\nNow?",
    ]
    said = [(one.role, one.content) for one in ada.turns[1].history]
    assert said == [("user", "What sang?"), ("assistant", answer("a wren"))]
    assert (out["reply"], out["agreement"], out["ended"]) == ("a tit", [0.5, 1.0], "agreed")
    assert [(one["round"], one["speaker"], one["changed"]) for one in out["rounds"]] == [
        (1, "ada", False),
        (1, "ben", False),
        (2, "ada", True),
        (2, "ben", False),
    ]


async def test_it_is_over_as_soon_as_enough_agree() -> None:
    team = [holding("ada", "a wren"), holding("ben", "a wren"), holding("cleo", "a tit")]
    out = await debated(team, rounds=5, agreed=0.6)
    assert (out["ended"], out["share"], len(out["agreement"])) == ("agreed", 0.666667, 1)


async def test_agreement_ends_nothing_where_it_is_not_asked_for() -> None:
    out = await debated([holding("ada", "a wren", "a wren")], rounds=2, agreed=0)
    assert (out["ended"], out["agreement"]) == ("rounds", [1.0, 1.0])


async def test_a_rule_ends_it() -> None:
    team = [holding("ada", "1", "2", "3"), holding("ben", "4", "5", "6")]
    out = await debated(team, rounds=3, ends_when="rounds == 2 and agreement < 0.6 or tokens > 1000")
    assert (out["ended"], len(out["agreement"])) == ("rule", 2)


async def test_one_agent_alone_refines_its_answer() -> None:
    ada = holding("ada", "a wren", "a tit")
    out = await debated([ada], rounds=2, agreed=0)
    assert "find what is wrong in it" in ada.heard[1]
    assert out["reply"] == "a tit"


@pytest.mark.parametrize(
    ("topology", "more", "heard"),
    [
        ("all", {}, ["bcd", "acd", "abd", "abc"]),
        ("ring", {}, ["bd", "ac", "bd", "ac"]),
        ("star", {}, ["bcd", "a", "a", "a"]),
        ("sparse", {"neighbours": 1}, ["b", "c", "d", "a"]),
        ("sparse", {"neighbours": 9}, ["bcd", "acd", "abd", "abc"]),
        ("given", {"lines": ["a: c, d", "c: a"]}, ["cd", "", "a", ""]),
    ],
)
def test_who_hears_whom_is_the_topology(topology: Any, more: dict[str, Any], heard: list[str]) -> None:
    assert ["".join(one) for one in heard_by("abcd", topology, **more).values()] == heard


@pytest.mark.parametrize("line", ["ada", "ada: nobody", "nobody: ada"])
async def test_lines_name_those_who_are_there(line: str) -> None:
    with pytest.raises(StepError, match="who hears whom"):
        await debated([holding("ada", "a wren"), holding("ben", "a tit")], topology="given", lines=[line])


async def test_edges_that_arrive_hold_instead_of_what_is_set() -> None:
    team = [holding(name, name, name, name) for name in ("ada", "ben", "cleo")]
    edges = [{"from": "ben", "to": "ada", "round": 2}, {"from": "cleo", "to": "ada", "round": 3}]
    given = {"task": "What sang?", "agents": team, "edges": edges}
    await run_bench(debate, given, {"rounds": 3, "topology": "star"})
    assert ["ben:" in team[0].heard[1], "cleo:" in team[0].heard[1]] == [True, False]
    assert ["ben:" in team[0].heard[2], "cleo:" in team[0].heard[2]] == [False, True]
    assert "answers of others" not in "".join([*team[1].heard, *team[2].heard])


@given(some.data())
def test_edges_say_the_same_as_an_object_as_a_list_and_as_lines(data: some.DataObject) -> None:
    names = ["ada", "ben", "cleo", "dan"]
    heard = {one: data.draw(some.lists(some.sampled_from(names), unique=True)) for one in names}
    as_list = [{"from": other, "to": one} for one, others in heard.items() for other in others]
    lines = [f"{one}: {', '.join(others)}" for one, others in heard.items()]
    found = heard_by(names, edges=heard)
    assert found == heard_by(names, edges=as_list) == heard_by(names, "given", lines=lines)
    assert {one: {*others} for one, others in found.items()} == {one: {*heard[one]} - {one} for one in names}


@pytest.mark.parametrize(
    ("edges", "why"),
    [
        ({"ada": ["dan"]}, "names `dan`, who is not in the team"),
        ({"dan": []}, "names `dan`, who is not in the team"),
        ({"ada": "ben"}, "whom `ada` hears is no list"),
        ([{"from": "ada"}], "entry 1 does not have `from` and `to`"),
        ([{"from": "ada", "to": "ben", "round": 0}], "the `round` of entry 1"),
        ("ada: ben", "neither an object nor a list"),
    ],
)
async def test_edges_that_say_nothing_are_told_before_anybody_is_asked(edges: Any, why: str) -> None:
    team = [holding("ada", "a wren"), holding("ben", "a tit")]
    with pytest.raises(StepError, match=why):
        await run_bench(debate, {"task": "What sang?", "agents": team, "edges": edges})
    assert not team[0].heard


@pytest.mark.parametrize(("form", "more"), [("JSON", {}), ("text", {"answer_after": "Answer:"})])
async def test_a_debate_goes_on_where_another_ended(form: str, more: dict[str, Any]) -> None:
    def said(text: str) -> str:
        return answer(text) if form == "JSON" else f"I think so. Answer: {text}"

    def three() -> list[Member]:
        return [saying(name, *(said(f"{name}{at}") for at in range(3))) for name in ("ada", "ben", "cleo")]

    settings = {"answers_as": form, "topology": "ring", **more}
    whole, parts = three(), three()
    at_once = await run_bench(debate, {"task": "Who?", "agents": whole}, {**settings, "rounds": 3})
    step: dict[str, Any] = {"rounds": None}
    for _ in range(3):
        inputs = {"task": "Who?", "agents": parts, "so_far": step["rounds"]}
        step = await run_bench(debate, inputs, {**settings, "rounds": 1})
    assert [one.heard for one in parts] == [one.heard for one in whole]
    histories = [[[m.content for m in turn.history] for turn in one.turns] for one in parts]
    assert histories == [[[m.content for m in turn.history] for turn in one.turns] for one in whole]
    assert (step["rounds"], step["messages"]) == (at_once["rounds"], at_once["messages"])
    with pytest.raises(StepError, match="no rounds to continue"):
        await run_bench(debate, {"task": "Who?", "agents": whole, "so_far": ["ada"]})


async def test_in_a_star_the_first_hears_all_and_the_others_only_it() -> None:
    team = [holding(name, name, name) for name in ("ada", "ben", "cleo")]
    await debated(team, rounds=2, topology="star")
    assert ["ben:" in team[0].heard[1], "cleo:" in team[0].heard[1]] == [True, True]
    assert ["ada:" in team[1].heard[1], "cleo:" in team[1].heard[1]] == [True, False]


async def test_a_judge_decides_what_the_majority_would_not() -> None:
    context = ScriptedContext(['{"reason": "It is brown.", "best": "answer_2"}'])
    team = [holding("ada", "a wren"), holding("ben", "a wren"), holding("cleo", "a tit")]
    out = await debated(team, context, rounds=1, decided_by="judge")
    assert (out["reply"], out["speaker"], out["share"]) == ("a tit", "cleo", 0.333333)


async def test_its_turns_are_parts_that_wait_for_those_they_hear() -> None:
    context = ScriptedContext()
    team = [holding("ada", "a wren", "a tit"), holding("ben", "a tit", "a tit")]
    await debated(team, context, rounds=2)
    told = {one.id: one for one in context.parts}
    assert list(told) == ["ada_1", "ben_1", "ada_2", "ben_2"]
    assert told["ada_1"].after == ()
    assert set(told["ada_2"].after) == {"ada_1", "ben_1"}
    assert (told["ada_2"].status, told["ada_2"].text) == ("done", "a tit")


def deaf_at(name: str, *rounds: int) -> Agent:
    turns = list[int]()

    async def work(turn: Turn) -> Said:
        assert turn.prompt
        turns.append(1)
        if len(turns) in rounds:
            raise StepError("no ears")
        return Said(answer("a wren"))

    return Agent(name, work=work)


async def test_one_that_fails_stands_by_what_it_said() -> None:
    context = ScriptedContext()
    team = [deaf_at("ada", 2), holding("ben", "a tit", "a tit")]
    out = await debated(team, context, rounds=2, at_fault="go on")
    assert (out["agreement"], out["reply"]) == ([0.5, 0.5], "a wren")
    assert {one.id: one.status for one in context.parts}["ada_2"] == "failed"


async def test_one_that_failed_at_first_is_asked_the_task_again() -> None:
    ben = holding("ben", "a tit", "a tit")
    out = await debated([deaf_at("ada", 1), ben], rounds=2, at_fault="go on", agreed=0)
    assert "find what is wrong" in ben.heard[1]
    assert [one["speaker"] for one in out["rounds"]] == ["ben", "ada", "ben"]


async def test_one_that_fails_takes_the_step_along() -> None:
    with pytest.raises(StepError, match="no ears"):
        await debated([deaf_at("ada", 1), holding("ben", "a tit")])
    with pytest.raises(StepError, match="Nobody answered"):
        await debated([deaf_at("ada", 1)], at_fault="go on")
    with pytest.raises(StepError, match="agents"):
        await debated([])
