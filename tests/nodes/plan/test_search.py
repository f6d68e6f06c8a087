"""A search goes where its method says, tells its tree, and keeps to its budget."""

import asyncio
import heapq
import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.plan.search import search
from studio.sdk import Part, StepError, Turn
from studio.sdk.testing import ScriptedContext, run_bench
from tests.nodes.plan.lenders import Asked, answering

WORTH = {"a": 0.5, "b": 0.9, "c": 0.1, "ab": 0.3, "ba": 0.2, "bb": 0.6, "aa": 1.0}


def nexts(text: str) -> list[str]:
    return [text + one for one in "abc"] if len(text) < 2 else []


async def looked(context: ScriptedContext | None = None, **settings: Any) -> tuple[dict[str, Any], Asked]:
    """Search for words over a, b and c, from nothing, by what they are worth."""
    expand, score = Asked("expand", nexts), Asked("score", lambda text: WORTH.get(text, 0.0))
    found = await run_bench(
        search,
        {"start": "", "tools": [expand.tool, score.tool]},
        {"expand": "expand", "score": "score", "ends_when": "score >= 1", **settings},
        context,
    )
    return found, expand


async def test_best_first_expands_the_best_score_wherever_it_is() -> None:
    found, expand = await looked()
    assert expand.asked == ["", "b", "bb", "a"]
    assert (found["best"], found["path"], found["ended"]) == ("aa", ["", "a", "aa"], "goal")


async def test_beam_keeps_the_best_of_a_level_and_says_so_of_the_others() -> None:
    context = ScriptedContext()
    found, expand = await looked(context, method="beam", width=1)
    assert expand.asked == ["", "b", "bb"]
    assert found["best"] == "b"
    dropped = {one.title for one in last(context).values() if one.status == "dropped"}
    assert {"a", "c", "ba", "bc"} <= dropped
    wider, _ = await looked(method="beam", width=2)
    assert wider["best"] == "aa"


async def test_the_budget_of_expansions_is_kept() -> None:
    found, expand = await looked(expansions=2)
    assert len(expand.asked) == found["expanded"] == 2
    assert (found["ended"], found["found"], found["best"]) == ("budget", False, "b")


async def test_several_are_expanded_at_the_same_time_and_put_in_in_order() -> None:
    running: list[int] = [0, 0]

    async def slow(arguments: Mapping[str, object]) -> str:
        running[0] += 1
        running[1] = max(running)
        for _ in range(3 if arguments["state"] == "b" else 1):
            await asyncio.sleep(0)
        running[0] -= 1
        return json.dumps(nexts(str(arguments["state"])))

    expand = Asked("expand", nexts).tool
    score = Asked("score", lambda text: WORTH.get(text, 0.0)).tool
    tools = [type(expand)(expand.name, "", expand.parameters, slow), score]
    settings: dict[str, Any] = {"expand": "expand", "score": "score", "at_once": 2, "expansions": 3}
    found = await run_bench(search, {"start": "", "tools": tools}, settings)
    assert running[1] == 2
    tree: Any = found["tree"]
    assert [one["id"] for one in tree][4:] == [
        "start.2.1",
        "start.2.2",
        "start.2.3",
        "start.1.1",
        "start.1.2",
        "start.1.3",
    ]


async def test_what_was_reached_before_is_left_out() -> None:
    ring = Asked("expand", lambda number: [(number + 1) % 3, (number + 2) % 3])
    settings: dict[str, Any] = {"expand": "expand", "scoring": "with the state"}
    found = await run_bench(search, {"start": 0, "tools": [ring.tool]}, settings)
    tree: Any = found["tree"]
    assert [one["state"] for one in tree] == [0, 1, 2]
    assert found["ended"] == "exhausted"


def last(context: ScriptedContext) -> dict[str, Part]:
    """The parts of the step, as told last."""
    return {one.id: one for one in context.parts}


async def test_the_tree_is_told_with_scores_and_reasons() -> None:
    context = ScriptedContext()
    await looked(context, least=0.2)
    parts = last(context)
    assert parts["start.1"].of == "start"
    assert parts["start.1"].detail["score"] == 0.5
    assert (parts["start.1"].title, parts["start.1"].text) == ("a", "")
    assert parts["start.3"].status == "dropped"
    assert parts["start.3"].detail["reason"] == "scored below 0.2"
    assert parts["start.1.1"].detail["reason"] == "the goal"
    assert {one.status for one in parts.values()} == {"done", "dropped"}
    assert [one.status for one in context.parts if one.id == "start"] == ["waiting", "running", "done"]


async def test_a_branch_that_fails_ends_alone_and_a_start_that_fails_ends_the_step() -> None:
    expand = Asked("expand", lambda text: ValueError("no way on") if text == "b" else nexts(text))
    score = Asked("score", lambda text: WORTH.get(text, 0.0))
    context = ScriptedContext()
    settings: dict[str, Any] = {"expand": "expand", "score": "score", "ends_when": "score >= 1"}
    found = await run_bench(search, {"start": "", "tools": [expand.tool, score.tool]}, settings, context)
    assert found["best"] == "aa"
    assert last(context)["start.2"].status == "failed"
    assert last(context)["start.2"].detail["reason"] == "no way on"
    with pytest.raises(StepError, match="no way on"):
        await run_bench(search, {"start": "b", "tools": [expand.tool, score.tool]}, settings)


async def test_who_is_not_lent_is_said_before_anybody_is_asked() -> None:
    with pytest.raises(StepError, match="no agent or tool `nobody`; attached: `expand`, `score`"):
        await looked(expand="nobody")


async def test_agents_are_told_the_goal_the_way_and_the_form() -> None:
    heard: list[Turn] = []
    first = {"next": [{"title": "Think", "state": "a thought"}]}
    second = {"next": [{"title": "Think on", "state": "a second thought"}]}
    thinker = answering("thinker", [first, second], heard)
    critic = answering("critic", [{"reason": "Thin.", "score": 0.3}, {"reason": "Good.", "score": 0.8}])
    found = await run_bench(
        search,
        {"start": "nothing", "goal": "Wisdom", "agents": [thinker, critic]},
        {"expand": "thinker", "score": "critic", "ends_when": "score > 0.7"},
    )
    assert found["path"] == ["nothing", "a thought", "a second thought"]
    assert "Wisdom" in heard[1].prompt
    assert "1. Think\n" in heard[1].prompt
    assert heard[1].answer_schema is not None


async def test_without_names_the_node_s_own_chat_expands_and_scores() -> None:
    answers = [json.dumps({"next": [{"title": "x", "state": "x"}]}), json.dumps({"reason": "", "score": 1})]
    context = ScriptedContext(answers)
    found = await run_bench(search, {"start": "s"}, {"ends_when": "score == 1"}, context)
    assert (found["best"], len(context.requests)) == ("x", 2)


MAZE = st.dictionaries(
    st.integers(0, 7),
    st.lists(st.tuples(st.integers(0, 7), st.integers(1, 9)), max_size=4, unique_by=lambda one: one[0]),
)


@given(MAZE)
async def test_a_star_finds_the_cheapest_way_where_scores_do_not_overrate(maze: dict[int, Any]) -> None:
    expand = Asked("expand", lambda at: [{"state": to, "cost": cost} for to, cost in maze.get(at, ())])
    left = cheapest_to(7, maze)
    score = Asked("score", lambda at: left.get(at, 0) // 2)
    settings: dict[str, Any] = {
        "method": "A*",
        "expand": "expand",
        "score": "score",
        "ends_when": "state == 7",
        "expansions": 1000,
        "depth": 50,
        "branches": 10,
    }
    found: Any = await run_bench(search, {"start": 0, "tools": [expand.tool, score.tool]}, settings)
    assert found["found"] == (0 in left)
    if found["found"]:
        prices = {(at, to): cost for at, ways in maze.items() for to, cost in ways}
        steps = zip(found["path"], found["path"][1:], strict=False)
        assert sum(prices[step] for step in steps) == left[0]


def cheapest_to(goal: int, maze: Mapping[int, Any]) -> dict[int, int]:
    """What the way from each place to the goal costs at least."""
    back: dict[int, list[tuple[int, int]]] = {}
    for at, ways in maze.items():
        for to, cost in ways:
            back.setdefault(to, []).append((at, cost))
    costs, queue = dict[int, int](), [(0, goal)]
    while queue:
        cost, at = heapq.heappop(queue)
        if at not in costs:
            costs[at] = cost
            for before, price in back.get(at, ()):
                heapq.heappush(queue, (cost + price, before))
    return costs


async def test_monte_carlo_comes_back_to_what_it_had_passed_over() -> None:
    """The first step that looks best leads nowhere; the mean below it falls until the other is tried."""
    values = {"good": 0.9, "poor": 0.5, **{f"good{n}": 0.0 for n in "123"}, "poor1": 1.0}
    ways = {"": ["good", "poor"], "good": ["good1", "good2", "good3"], "poor": ["poor1"]}
    expand, score = Asked("expand", lambda at: ways.get(at, [])), Asked("score", lambda at: values[at])
    settings: dict[str, Any] = {"method": "MCTS", "expand": "expand", "score": "score", "exploration": 0.3}
    context = ScriptedContext()
    inputs = {"start": "", "tools": [expand.tool, score.tool]}
    found = await run_bench(search, inputs, {**settings, "ends_when": "score >= 1"}, context)
    assert expand.asked == ["", "good", "poor"]
    assert found["path"] == ["", "poor", "poor1"]
    good = last(context)["start.1"]
    assert (good.detail["visits"], good.detail["mean"]) == (4, 0.225)


async def test_monte_carlo_ends_when_all_is_known() -> None:
    found, expand = await looked(method="MCTS", ends_when="", expansions=100)
    assert found["ended"] == "exhausted"
    assert len(expand.asked) == len(set(expand.asked)) == 13
    assert found["best"] == "aa"
