import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.memory.experience import experience
from studio.building_blocks.memories.credible_bounds import beta_below, lower_bound
from studio.errors import ToolError
from studio.llm.client import ToolCall
from studio.sdk import Json, Memory, Note, Query
from studio.sdk.testing import ScriptedContext, open_binding

BUILD = "The build fails because a module is missing."
PARTY = "My neighbour celebrates loudly at night."


async def lent(context: ScriptedContext, settings: dict[str, Json] | None = None) -> Memory:
    return await anext(open_binding(experience, {"name": "lessons", **(settings or {})}, context))


def tried(situation: str, action: str, score: float) -> Note:
    return Note(situation, {"action": action, "score": score})


async def test_what_worked_most_times_comes_before_what_worked_once() -> None:
    context = ScriptedContext()
    memory = await lent(context)
    notes = [tried(BUILD, "reinstall", one) for one in (1, 1, 1, 1, 0, 1)]
    await memory.remember(context, [tried(BUILD, "pray", 1), *notes, tried(BUILD, "retry", 0)])
    found = await memory.recall(context, Query("A missing module makes the build fail."))
    assert [one.item.data["action"] for one in found] == ["reinstall", "pray", "retry"]
    best = found[0].item.data
    assert (best["tries"], best["mean"]) == (6, round(5 / 6, 6))
    assert found[0].score == pytest.approx(lower_bound([1, 1, 1, 1, 0, 1]))
    assert "6 tries, mean 0.83" in found[0].why


async def test_other_situations_are_counted_apart() -> None:
    context = ScriptedContext()
    memory = await lent(context)
    made = await memory.remember(
        context,
        [
            tried(BUILD, "wait", 0),
            tried(PARTY, "wait", 1),
            tried("A module is missing in the build.", "wait", 0),
        ],
    )
    assert [one.data["cluster"] for one in made] == [made[0].id, made[1].id, made[0].id]
    [found] = await memory.recall(context, Query("The neighbours have a loud party tonight."))
    assert found.item.data["tries"] == 1
    assert found.item.text.startswith("wait: tried 1 times, mean 1.00, at least 0.22 (with 95% probability).")


async def test_without_a_like_situation_it_gives_nothing() -> None:
    context = ScriptedContext()
    memory = await lent(context)
    await memory.remember(context, [tried(BUILD, "reinstall", 1)])
    assert await memory.recall(context, Query("Where do herons breed?")) == []
    assert await memory.recall(context, Query("")) == []


@pytest.mark.parametrize(
    "fields",
    [{"score": 1}, {"action": "wait"}, {"action": " ", "score": 1}, {"action": "wait", "score": 1.5}],
)
async def test_a_try_has_an_action_and_a_score(fields: dict[str, Json]) -> None:
    context = ScriptedContext()
    memory = await lent(context)
    with pytest.raises(ToolError, match="`action`"):
        await memory.remember(context, [tried(BUILD, "wait", 1), Note(BUILD, fields)])
    assert not context.memories


async def test_the_oldest_tries_are_evicted_and_count_no_more() -> None:
    context = ScriptedContext()
    memory = await lent(context, {"limit": 10})
    await memory.remember(context, [tried(BUILD, "wait", 0)] * 2 + [tried(BUILD, "reinstall", 1)] * 10)
    found = await memory.recall(context, Query(BUILD))
    assert [(one.item.data["action"], one.item.data["tries"]) for one in found] == [("reinstall", 10)]
    assert [one.why for one in context.memories["lessons"].writes[-2:]] == ["evicted", "evicted"]


async def test_the_tries_in_a_situation_are_forgotten() -> None:
    context = ScriptedContext()
    memory = await lent(context)
    await memory.remember(
        context, [tried(BUILD, "wait", 0), tried(PARTY, "wait", 1), tried(BUILD, "pray", 0)]
    )
    assert len(await memory.forget(context, Query(BUILD))) == 2
    assert [one.text for one in context.memories["lessons"].items.all()] == [PARTY]


async def test_an_agent_tells_how_it_came_out_and_asks_what_worked() -> None:
    context = ScriptedContext()
    memory = await lent(context)
    tools = {one.name: one for one in memory.tools(context, "warden")}
    said = f'{{"situation": "{BUILD}", "action": "reinstall", "score": 0.5, "outcome": "slow"}}'
    await context.call(tools["note_outcome_in_lessons"], ToolCall("1", "", said))
    answer = await context.call(
        tools["what_worked_in_lessons"], ToolCall("2", "", f'{{"situation": "{BUILD}"}}')
    )
    assert answer.startswith("- reinstall: tried 1 times, mean 0.50")
    [item] = context.memories["lessons"].items.all()
    assert (item.by, item.data["outcome"]) == ("warden", "slow")


@given(st.integers(1, 30), st.integers(1, 30), st.floats(0.001, 0.999))
def test_the_beta_distribution_is_the_binomial_tail(a: int, b: int, x: float) -> None:
    n = a + b - 1
    tail = math.fsum(math.comb(n, k) * x**k * (1 - x) ** (n - k) for k in range(a, n + 1))
    assert beta_below(x, a, b) == pytest.approx(tail, abs=1e-9)


@given(st.lists(st.floats(0, 1), max_size=40), st.sampled_from([0.5, 0.9, 0.99]))
def test_the_bound_holds_with_the_probability_that_is_asked(scores: list[float], sure: float) -> None:
    bound, won = lower_bound(scores, sure), math.fsum(scores)
    assert beta_below(bound, 1 + won, 1 + len(scores) - won) == pytest.approx(1 - sure, abs=1e-6)
    assert lower_bound([*scores, 1.0], sure) > bound
