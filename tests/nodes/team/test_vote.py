"""Agents vote, each by itself; what most say wins, as the rule counts it."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from nodes.team.vote import vote
from studio.sdk import Agent, StepError
from studio.sdk.testing import ScriptedContext, run_bench
from tests.nodes.team.members import failing, saying


def sure(answer: str, confidence: float = 1.0) -> str:
    return json.dumps({"reason": "so I heard", "answer": answer, "confidence": confidence})


def ranking(*order: int) -> str:
    return json.dumps({"reason": "so I like", "ranking": [f"answer_{one}" for one in order]})


async def voted(
    agents: Sequence[Agent] = (), given: Any = None, context: ScriptedContext | None = None, **settings: Any
) -> dict[str, Any]:
    return await run_bench(vote, {"task": "What sang?", "agents": agents, **(given or {})}, settings, context)


async def test_what_most_say_wins_whatever_its_case() -> None:
    team = [saying("ada", sure("a wren")), saying("ben", sure("Dunnock")), saying("cleo", sure("dunnock."))]
    out = await voted(team)
    assert (out["reply"], out["share"], out["speaker"], out["ended"]) == (
        "Dunnock",
        0.666667,
        "ben",
        "decided",
    )
    assert out["tally"][1] == {"answer": "Dunnock", "votes": 2.0, "share": 0.666667, "by": ["ben", "cleo"]}
    assert [one.content for one in out["messages"]][:2] == ["What sang?", "ada: so I heard Answer: a wren"]


async def test_each_is_asked_the_same_and_hears_nothing_of_the_others() -> None:
    team = [saying("ada", sure("a wren")), saying("ben", sure("a wren"))]
    await voted(team)
    assert [one.heard for one in team] == [["What sang?"], ["What sang?"]]
    assert all(not one.turns[0].history for one in team)


async def test_an_answer_in_words_stands_behind_a_mark() -> None:
    team = [saying("ada", "Answer: no.\nSmall and brown.\nanswer: **a dunnock**"), saying("ben", "a dunnock")]
    out = await voted(team, answers_as="text", answer_after="Answer:")
    assert out["share"] == 1.0
    assert team[0].turns[0].answer_schema is None


async def test_one_agent_asked_several_times_is_told_apart() -> None:
    out = await voted([saying("ada", sure("a wren"), sure("a wren"), sure("a tit"))], times=3)
    assert [one["speaker"] for one in out["answers"]] == ["ada", "ada_2", "ada_3"]
    assert out["reply"] == "a wren"


async def test_votes_weigh_what_the_weights_say() -> None:
    team = [saying("ada", sure("a wren")), saying("ben", sure("a tit")), saying("ben", sure("a tit"))]
    out = await voted(team, {"weights": {"ada": 3.0}}, by="weights")
    assert (out["reply"], out["share"]) == ("a wren", 0.6)


async def test_votes_weigh_how_sure_one_is() -> None:
    team = [
        saying("ada", sure("a wren", 0.9)),
        saying("ben", sure("a tit", 0.2)),
        saying("ed", sure("a tit", 0.3)),
    ]
    assert (await voted(team, by="confidence"))["reply"] == "a wren"
    assert (await voted([saying(one.name, one.name) for one in team], by="confidence"))["ended"] == "tie"


@pytest.mark.parametrize(("by", "wins"), [("Borda", "b"), ("run-off", "b"), ("majority", "a")])
async def test_agents_rank_what_all_said_where_the_rule_wants_it(by: str, wins: str) -> None:
    said = [
        ("a", (1, 2, 3)),
        ("a", (1, 2, 3)),
        ("a", (1, 2, 3)),
        ("b", (2, 3, 1)),
        ("c", (3, 2, 1)),
        ("c", (2, 3, 1)),
        ("c", (2, 3, 1)),
    ]
    team = [saying(f"m{place}", sure(answer), ranking(*order)) for place, (answer, order) in enumerate(said)]
    out = await voted(team, by=by)
    assert out["reply"] == wins
    if by != "majority":
        assert "answer_1: a\n\nanswer_2: b\n\nanswer_3: c" in team[0].heard[1]


async def test_agents_choose_among_candidates() -> None:
    team = [
        saying(name, json.dumps({"reason": "", "choice": f"answer_{one}"}))
        for name, one in [("ada", 2), ("ben", 2)]
    ]
    out = await voted(team, {"candidates": ["a wren", "a tit"]})
    assert (out["reply"], out["speaker"]) == ("a tit", "candidate 2")
    assert "answer_1: a wren\n\nanswer_2: a tit\n\nChoose one by its label." in team[0].heard[0]


async def test_a_choice_that_names_nobody_abstains() -> None:
    team = [
        saying(name, json.dumps({"reason": "", "choice": f"answer_{one}"}))
        for name, one in [("ada", 9), ("ben", 2)]
    ]
    out = await voted(team, {"candidates": ["a wren", "a tit"]})
    assert (out["reply"], out["share"]) == ("a tit", 1.0)


async def test_candidates_are_votes_themselves_where_nobody_else_votes() -> None:
    out = await voted((), {"candidates": ["12", "13", "12.0"]})
    assert (out["reply"], out["share"]) == ("12", 0.666667)


async def test_a_judge_chooses_without_being_told_who_said_what() -> None:
    context = ScriptedContext(['{"reason": "It is small.", "best": "answer_2"}'])
    out = await voted(
        [saying("ada", sure("a wren")), saying("ben", sure("a tit"))], None, context, by="judge"
    )
    assert out["reply"] == "a tit"
    asked = context.requests[0].messages[-1].content
    assert "answer_2: so I heard Answer: a tit" in asked
    assert "ben" not in asked


async def test_a_judge_is_not_asked_where_all_agree() -> None:
    context = ScriptedContext([])
    assert (await voted([saying("ada", sure("a wren"))], None, context, by="judge"))["reply"] == "a wren"


async def test_a_tie_is_told_and_broken_as_the_setting_says() -> None:
    def team() -> list[Agent]:
        return [saying("ada", sure("a wren")), saying("ben", sure("a tit"))]

    assert {one: (await voted(team()))[one] for one in ("reply", "ended")} == {
        "reply": "a wren",
        "ended": "tie",
    }
    with pytest.raises(StepError, match="same number of votes"):
        await voted(team(), ties="fail")


async def test_who_is_short_of_the_share_needed_wins_nothing() -> None:
    team = [saying("ada", sure("a wren")), saying("ben", sure("a tit"))]
    out = await voted(team, needed=0.6)
    assert out.get("reply") is None
    assert out["ended"] == "short"


async def test_one_that_fails_takes_the_step_along_or_abstains() -> None:
    with pytest.raises(StepError, match="no ears"):
        await voted([failing("ada", "I have no ears"), saying("ben", sure("a tit"))])
    out = await voted([failing("ada", "no ears"), saying("ben", sure("a tit"))], at_fault="go on")
    assert (out["reply"], [one["speaker"] for one in out["answers"]]) == ("a tit", ["ben"])
    with pytest.raises(StepError, match="Nobody answered"):
        await voted([failing("ada", "no ears")], at_fault="go on")


async def test_without_anybody_to_vote_it_fails() -> None:
    with pytest.raises(StepError, match="There are no voters"):
        await voted()


async def test_an_answer_that_a_person_gave_in_an_agents_place_counts() -> None:
    out = await voted([saying("ada", "a robin"), saying("ben", "A robin!")])
    assert (out["reply"], out["share"]) == ("a robin", 1.0)


@pytest.mark.parametrize("given", ["very", None, True])
async def test_how_sure_a_person_is_counts_wholly_where_it_is_no_number(given: Any) -> None:
    edited = json.dumps({"answer": "a wren", "confidence": given})
    out = await voted([saying("ada", sure("a robin", 0.9)), saying("ben", edited)], by="confidence")
    assert (out["reply"], out["share"]) == ("a wren", 0.526316)
