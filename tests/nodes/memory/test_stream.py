import array
import json
import math
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.memory.stream import stream
from studio.building_blocks.memories.stream_ranking import Weights, ranked
from studio.errors import ChatError, StepError
from studio.sdk import Item, Json, Memory, Note, Query
from studio.sdk.item_layers import PlainItems
from studio.sdk.testing import NOON, ScriptedAnswer, ScriptedContext, open_binding

LEVEL: dict[str, Json] = {"reflects_at": 0}


async def lent(context: ScriptedContext, settings: dict[str, Json]) -> Memory:
    return await anext(open_binding(stream, {"name": "diary", **settings}, context))


def event(text: str, importance: float) -> Note:
    return Note(text, {"importance": importance})


def dated(name: str, hours: float, importance: float, used: str = "") -> Item:
    data: dict[str, Json] = {"type": "event", "importance": importance, **({"used": used} if used else {})}
    return Item(name, name, data, (NOON - timedelta(hours=hours)).isoformat())


def order(items: list[Item], weights: Weights) -> list[str]:
    return [one.item.id for one in ranked(PlainItems(items), b"", NOON.isoformat(), weights, 10)]


def test_what_is_recent_comes_first_by_its_weight_alone() -> None:
    items = [dated("old", 48, 10), dated("new", 1, 1)]
    assert order(items, Weights(recency=1, importance=0)) == ["new", "old"]
    assert order(items, Weights(recency=0, importance=1)) == ["old", "new"]


def test_the_parts_are_weighed_against_one_another() -> None:
    items = [dated("old and important", 48, 10), dated("new", 0, 1), dated("between", 24, 9)]
    assert order(items, Weights(recency=3))[0] == "new"
    assert order(items, Weights(recency=0.1))[0] == "old and important"


def test_what_was_used_is_recent_again() -> None:
    items = [dated("old", 48, 5, used=NOON.isoformat()), dated("new", 1, 5)]
    assert order(items, Weights()) == ["old", "new"]


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(1, 3), st.booleans(), st.floats(-1, 1)), max_size=30),
    st.integers(1, 4),
)
def test_the_best_of_all_are_found_without_scoring_each(
    made: list[tuple[int, int, bool, float]], most: int
) -> None:
    items: list[Item] = []
    hours = 300
    for number, (passed, importance, is_used, cosine) in enumerate(made):
        hours -= passed
        item = dated(f"{number}", hours, importance, used=NOON.isoformat() if is_used else "")
        vector = array.array("f", [cosine, math.sqrt(1 - cosine**2)]).tobytes() if number % 3 else b""
        items.append(replace(item, vector=vector))
    known, towards = PlainItems(items), array.array("f", [1, 0]).tobytes()
    found = ranked(known, towards, NOON.isoformat(), Weights(1, 0.7, 1.3), most)
    every = ranked(known, towards, NOON.isoformat(), Weights(1, 0.7, 1.3), len(items) + 1)
    assert [(one.item.id, one.score) for one in found] == [(one.item.id, one.score) for one in every[:most]]


async def test_what_is_near_in_meaning_is_recalled_with_the_reason() -> None:
    context = ScriptedContext()
    memory = await lent(context, LEVEL)
    await memory.remember(context, [event("The barn burned down.", 5), event("Bread was baked.", 5)])
    found = await memory.recall(context, Query("a fire on the farm", most=1))
    assert [one.item.text for one in found] == ["The barn burned down."]
    assert found[0].why.startswith("relevance 0.")
    assert found[0].why.endswith("importance 5 of 10, 0 seconds ago")


async def test_importance_that_nobody_gave_is_rated_in_one_chat() -> None:
    context = ScriptedContext(['{"ratings": [2, 9]}'])
    memory = await lent(context, LEVEL)
    made = await memory.remember(context, [Note("Teeth."), event("Ate.", 4), Note("A fire.")])
    assert [one.data["importance"] for one in made] == [2, 4, 9]
    assert context.requests[0].messages[1].content == "1. Teeth.\n2. A fire."


async def test_ratings_that_do_not_fit_leave_nothing_behind() -> None:
    context = ScriptedContext(['{"ratings": [2]}', '{"ratings": [11, 2]}'])
    memory = await lent(context, LEVEL)
    with pytest.raises(StepError):
        await memory.remember(context, [Note("Teeth."), Note("A fire.")])
    assert not context.memories


def reflecting() -> list[ScriptedAnswer]:
    insights: list[dict[str, Json]] = [
        {"text": "The farm is in danger.", "importance": 9, "because": [1, 2, 99]},
        {"text": "Owls rule.", "importance": 3, "because": [77]},
    ]
    return ['{"questions": ["Is the farm safe?"]}', json.dumps({"insights": insights})]


async def test_it_reflects_when_enough_has_happened_and_cites_the_evidence() -> None:
    context = ScriptedContext(reflecting())
    memory = await lent(context, {"reflects_at": 15, "questions": 1})
    await memory.remember(context, [event("The barn burned.", 9)])
    assert not context.requests
    await memory.remember(context, [event("The well dried up.", 8)])
    first, second, insight = context.memories["diary"].items.all()
    assert insight.text == "The farm is in danger."
    assert insight.data["type"] == "reflection"
    assert insight.data["question"] == "Is the farm safe?"
    assert insight.data["importance"] == 9
    assert insight.data["evidence"] in ([first.id, second.id], [second.id, first.id])
    assert [one.why for one in context.memories["diary"].writes] == ["", "", "insight"]


async def test_after_a_reflection_importance_is_counted_anew() -> None:
    context = ScriptedContext(reflecting())
    memory = await lent(context, {"reflects_at": 15, "questions": 1})
    await memory.remember(context, [event("The barn burned.", 9), event("The well dried up.", 8)])
    await memory.remember(context, [event("The cow left.", 8)])
    assert len(context.requests) == 2


async def test_a_reflection_without_insight_is_not_made_again_at_once() -> None:
    context = ScriptedContext(['{"questions": ["Why?"]}', '{"insights": []}'])
    memory = await lent(context, {"reflects_at": 5, "questions": 1})
    await memory.remember(context, [event("The barn burned.", 9)])
    await memory.remember(context, [event("Teeth.", 1)])
    assert len(context.requests) == 2


async def test_reflections_are_recalled_alone_where_that_is_asked_for() -> None:
    context = ScriptedContext(reflecting())
    memory = await lent(context, {"reflects_at": 15, "questions": 1})
    await memory.remember(context, [event("The barn burned.", 9), event("The well dried up.", 8)])
    found = await memory.recall(context, Query("farm", fields={"type": "reflection"}))
    assert [one.item.text for one in found] == ["The farm is in danger."]


async def test_the_least_important_is_evicted_first_and_of_these_the_oldest() -> None:
    context = ScriptedContext()
    memory = await lent(context, {**LEVEL, "limit": 10})
    await memory.remember(context, [event(f"event {n}", 5 if n % 2 else 2) for n in range(12)])
    left = [one.text for one in context.memories["diary"].items.all()]
    assert left == [f"event {n}" for n in range(12) if n not in {0, 2}]
    assert [one.why for one in context.memories["diary"].writes[-2:]] == ["evicted", "evicted"]


async def test_recalling_refreshes_where_it_is_told_to_and_can_be_found_again() -> None:
    context = ScriptedContext()
    memory = await lent(context, {**LEVEL, "refreshes": True})
    await memory.remember(context, [event("The barn burned.", 5)])
    await memory.recall(context, Query("barn"))
    [again] = await memory.recall(context, Query("barn"))
    assert (again.item.data["used"], again.item.data["uses"]) == (NOON.isoformat(), 1)
    assert again.why.startswith("relevance"), "it has its vector still"


async def test_what_is_forgotten_is_named_or_found() -> None:
    context = ScriptedContext()
    memory = await lent(context, LEVEL)
    made = await memory.remember(context, [event("The barn burned.", 5), event("Bread.", 5)])
    gone = await memory.forget(context, Query(fields={"ids": [made[1].id]}))
    assert [one.text for one in gone] == ["Bread."]
    assert [one.text for one in await memory.forget(context, Query("fire", most=1))] == ["The barn burned."]


async def test_words_take_what_they_mean_and_not_what_is_recent_or_important() -> None:
    context = ScriptedContext(reflecting())
    memory = await lent(context, {"reflects_at": 20, "questions": 1})
    await memory.remember(context, [event("The barn burned.", 3), event("Ate soup.", 10), event("Slept.", 9)])
    assert [one.text for one in await memory.forget(context, Query("soup"))] == ["Ate soup."]
    assert not await memory.forget(context, Query())
    gone = await memory.forget(context, Query(fields={"type": "reflection"}))
    assert [one.text for one in gone] == ["The farm is in danger."]
    assert len(context.memories["diary"].items) == 2


@pytest.mark.parametrize("answers", [[ChatError("It is down.")], ["what?", "what?"]])
async def test_events_are_kept_where_reflecting_fails_and_it_is_tried_again(answers: Any) -> None:
    context = ScriptedContext([*answers, *reflecting()])
    memory = await lent(context, {"reflects_at": 5, "questions": 1})
    await memory.remember(context, [event("The barn burned.", 9)])
    assert context.lines[0].startswith("Nothing was reflected upon, and all is kept: ")
    await memory.remember(context, [event("Teeth.", 1)])
    texts = [one.text for one in context.memories["diary"].items.all()]
    assert texts == ["The barn burned.", "Teeth.", "The farm is in danger."]


async def test_a_budget_of_tokens_leaves_out_what_does_not_fit() -> None:
    context = ScriptedContext()
    memory = await lent(context, LEVEL)
    await memory.remember(context, [event("The barn burned. " * 20, 9), event("Bread.", 1)])
    found = await memory.recall(context, Query("barn", tokens=20))
    assert [one.item.text for one in found] == ["Bread."]
