"""Agents answer in rounds and rate one another; the weakest are let go."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from nodes.team.committee import committee
from nodes.team.committee.importance import importance, weakest
from studio.sdk import Agent, StepError
from studio.sdk.testing import ScriptedContext, run_bench
from tests.nodes.team.members import Member, failing, saying


def answer(text: str, **marks: int) -> str:
    ratings = [{"agent": name, "score": mark} for name, mark in marks.items()]
    return json.dumps({"reason": "so I heard", "answer": text, **({"ratings": ratings} if marks else {})})


def three() -> list[Member]:
    """Ada and Ben hold different things, and both think little of what Cleo says."""
    return [
        saying("ada", answer("a wren"), answer("a tit", ben=5, cleo=1), answer("a tit", ben=5)),
        saying("ben", answer("a tit"), answer("a robin", ada=3, cleo=2), answer("a tit", ada=4)),
        saying("cleo", answer("a swan"), answer("a swan", ada=2, ben=2)),
    ]


async def met(
    agents: Sequence[Agent], given: Any = None, context: ScriptedContext | None = None, **settings: Any
) -> dict[str, Any]:
    return await run_bench(
        committee, {"task": "What sang?", "agents": agents, **(given or {})}, settings, context
    )


async def test_the_one_that_is_marked_lowest_is_let_go_and_asked_no_more() -> None:
    context, team = ScriptedContext(), three()
    out = await met(team, None, context)
    assert out["dropped"] == ["cleo"]
    assert [len(one.heard) for one in team] == [3, 3, 2]
    assert (out["reply"], out["share"], out["ended"]) == ("a tit", 1.0, "agreed")
    gone = {one.id: one for one in context.parts}["cleo_2"]
    assert gone.status == "dropped"
    assert gone.detail["why"] == "marked 1.50, lowest of 3 in round 2"
    assert gone.detail["rated"] == 1.5
    assert "cleo" not in team[0].heard[2]


async def test_edges_say_who_hears_and_marks_whom() -> None:
    team = three()
    edges = {"ada": ["ben"], "ben": ["ada", "cleo"], "cleo": ["ada"]}
    await met(team, {"edges": edges}, None, rounds=2)
    asked = [(one.turns[1].answer_schema or {})["properties"]["ratings"] for one in team]
    marked = [one["items"]["properties"]["agent"]["enum"] for one in asked]
    assert marked == [["ben"], ["ada", "cleo"], ["ada"]]
    assert ["cleo:" in one.heard[1] for one in team] == [False, True, False]


async def test_each_marks_the_others_and_not_itself() -> None:
    team = three()
    await met(team)
    first, second = team[0].turns[:2]
    assert "ratings" not in (first.answer_schema or {})["properties"]
    asked = (second.answer_schema or {})["properties"]["ratings"]["items"]["properties"]["agent"]["enum"]
    assert asked == ["ben", "cleo"]
    assert "from 1 (misleads) to 5" in second.prompt


def ranked(*labels: str) -> str:
    return json.dumps({"reason": "It is right.", "best": labels})


async def test_a_ranker_that_is_told_no_names_chooses_who_stays() -> None:
    context, team = ScriptedContext([ranked("answer_1", "answer_3")]), three()
    out = await met(team, None, context, removed_by="ranker", agreed=0.9)
    asked = context.requests[0].messages[-1].content
    assert [asked.count(one) for one in ("a tit", "a robin", "a swan")] == [1, 1, 1]
    assert not any(name in asked for name in ("ada", "ben", "cleo"))
    assert "answer_2: so I heard Answer: a swan" in asked
    assert (out["dropped"], out["reply"]) == (["cleo"], "a tit")
    assert [len(one.heard) for one in team] == [3, 3, 2]
    why = {one.id: one for one in context.parts}["cleo_2"].detail["why"]
    assert why == "not among the best 2 of 3 after round 2"


@pytest.mark.parametrize("settings", [{"rounds": 2}, {"rounds": 1}])
async def test_a_ranker_is_not_asked_where_no_round_follows(settings: dict[str, Any]) -> None:
    out = await met(three(), removed_by="ranker", agreed=0, **settings)
    assert (out["dropped"], out["ended"]) == ([], "rounds")


async def test_a_ranker_is_not_asked_where_all_may_stay() -> None:
    team = [*three()[:2], saying("cleo", answer("a swan"), answer("a swan", ada=2), answer("a swan", ada=2))]
    out = await met(team, removed_by="ranker", agreed=0, rounds=3, least=3)
    assert out["dropped"] == []


async def test_importance_is_what_each_passed_on_to_the_answer_that_won() -> None:
    out = await met(three())
    # Round 3: both gave it, 1/2 each. Round 2: each heard the other alone. Round 1: as the marks say.
    ada, ben, cleo = (
        1 / 2 + 1 / 2 + 1 / 2 * 3 / 5,
        1 / 2 + 1 / 2 + 1 / 2 * 5 / 6,
        1 / 2 * 2 / 5 + 1 / 2 * 1 / 6,
    )
    expected = {"ada": ada / 3, "ben": ben / 3, "cleo": cleo / 3}
    assert out["importance"] == pytest.approx(expected, abs=1e-5)
    assert out["ranking"] == ["ben", "ada", "cleo"]


async def test_those_who_agree_at_once_share_all_of_it() -> None:
    team = [saying("ada", answer("a wren")), saying("ben", answer("A wren")), saying("cleo", answer("a tit"))]
    out = await met(team, agreed=0.6)
    assert out["importance"] == {"ada": 0.5, "ben": 0.5, "cleo": 0.0}
    assert (out["ended"], out["dropped"], len(out["rounds"])) == ("agreed", [], 3)


async def test_only_those_who_are_named_take_part() -> None:
    team = three()
    out = await met(team, {"only": ["cleo"]})
    assert (out["reply"], out["ended"]) == ("a swan", "agreed")
    assert [len(one.heard) for one in team] == [0, 0, 1]
    with pytest.raises(StepError, match="`dora`"):
        await met(three(), {"only": ["ada", "dora"]})
    with pytest.raises(StepError, match="names no agent"):
        await met(three(), {"only": []})


async def test_nobody_is_let_go_before_its_round_or_below_the_least() -> None:
    team = [saying(name, answer(name), answer(name, **{o: 3 for o in "abc" if o != name})) for name in "abc"]
    out = await met(team, rounds=2, lets_go=3, lets_go_from=3)
    assert (out["dropped"], out["ended"]) == ([], "rounds")
    team = [saying(name, answer(name), answer(name, **{o: 3 for o in "abc" if o != name})) for name in "abc"]
    out = await met(team, rounds=2, lets_go=3, least=2)
    assert out["dropped"] == ["c"]


async def test_a_rule_over_the_members_ends_it() -> None:
    out = await met(three(), agreed=0, ends_when="members < 3")
    assert (out["ended"], out["dropped"]) == ("rule", ["cleo"])


async def test_whom_one_forgot_to_mark_gets_the_middle() -> None:
    team = three()
    forgetful = saying("ada", answer("a wren"), answer("a wren", cleo=1))
    context = ScriptedContext()
    await met([forgetful, *team[1:]], None, context, rounds=2)
    assert {one.id: one for one in context.parts}["ben_2"].detail["rated"] == 2.5


@pytest.mark.parametrize("marks", [{"ben": 5}, ["ben"], [{"agent": "ben", "score": "high"}], "good"])
async def test_marks_that_a_person_gives_in_another_form_do_not_count(marks: Any) -> None:
    edited = json.dumps({"answer": "a swan", "ratings": marks})
    team = [*three()[:2], saying("cleo", answer("a swan"), edited)]
    out = await met(team, agreed=0, rounds=2)
    assert out["dropped"] == ["cleo"]


async def test_one_that_fails_takes_the_step_along_or_is_done_without() -> None:
    with pytest.raises(StepError, match="no ears"):
        await met([failing("ada", "no ears"), saying("ben", answer("a tit"))])
    out = await met([failing("ada", "no ears"), saying("ben", answer("a tit"))], at_fault="go on", rounds=1)
    assert (out["reply"], out["importance"]) == ("a tit", {"ben": 1.0})


@given(some.lists(some.floats(0, 5), min_size=1, max_size=6))
def test_the_weakest_are_those_with_the_lowest_marks(marks: list[float]) -> None:
    team = [f"m{place}" for place in range(len(marks))]
    means = dict(zip(team, marks, strict=True))
    gone = weakest(team, means, 2)
    assert len(gone) == min(2, len(team))
    assert all(means[one] >= means[gone[0]] for one in team)
    assert weakest(team, dict.fromkeys(team, 1.0), 1) == team[-1:]


@given(some.lists(some.floats(0.5, 5), min_size=6, max_size=6))
def test_nothing_of_what_all_are_worth_is_lost(marks: list[float]) -> None:
    a, b, c, d, e, f = marks
    ratings = [{"x": {"y": a, "z": b}, "y": {"x": c, "z": d}, "z": {"x": e, "y": f}}] * 2
    assert sum(importance({"x": 0.5, "y": 0.5}, ratings).values()) == pytest.approx(1, abs=1e-5)
