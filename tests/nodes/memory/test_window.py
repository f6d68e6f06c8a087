"""The window over a conversation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.memory.window import window
from studio.building_blocks.memories.context_window import tokens_of
from studio.building_blocks.memories.remembered_turns import begins_at, cut_to_tokens, latest
from studio.sdk import Item, Note, Query
from studio.sdk.testing import ScriptedContext
from tests.nodes.memory.lending import lent, talk

SAID = ("What sings?", "A dunnock.", "And there?", "A wren.", "And that?", "An owl.")


def texts_in(context: ScriptedContext) -> list[str]:
    return [one.text for one in context.memories["step"].items.all()]


async def test_the_last_turns_are_recalled_the_oldest_first_and_say_how_far_back_they_are() -> None:
    context = ScriptedContext()
    async with lent(window, {"turns": 2}, context) as memory:
        await memory.remember(context, talk(*SAID))
        found = await memory.recall(context, Query("whatever"))
    assert [one.item.text for one in found] == list(SAID[2:])
    assert [one.why for one in found] == ["1 turn back"] * 2 + ["the last turn"] * 2
    assert [one.item.data["role"] for one in found] == ["user", "assistant"] * 2
    assert memory.is_conversation


async def test_what_falls_out_is_evicted_in_whole_turns_with_a_reason() -> None:
    context = ScriptedContext()
    async with lent(window, {"turns": 2}, context) as memory:
        await memory.remember(context, talk(*SAID))
    assert texts_in(context) == list(SAID[2:])
    gone = [one for one in context.memories["step"].writes if one.operation == "remove"]
    assert [one.why for one in gone] == ["evicted: the window holds the last 2 turns"] * 2
    assert {purpose for purpose, _, _ in context.memories["step"].reads} == {"upkeep"}


async def test_what_falls_out_is_kept_where_it_is_wanted_and_not_recalled() -> None:
    context = ScriptedContext()
    async with lent(window, {"turns": 1, "older": "keep", "limit": 4}, context) as memory:
        await memory.remember(context, talk(*SAID))
        found = await memory.recall(context, Query())
    assert texts_in(context) == list(SAID[2:])
    assert [one.item.text for one in found] == list(SAID[4:])


async def test_tokens_bound_what_is_recalled_and_a_query_may_want_less() -> None:
    context = ScriptedContext()
    async with lent(window, {"turns": 0, "tokens": 12}, context) as memory:
        await memory.remember(context, talk(*SAID))
        assert [one.item.text for one in await memory.recall(context, Query())] == list(SAID[2:])
        narrow = await memory.recall(context, Query(tokens=6))
        assert [one.item.text for one in narrow] == list(SAID[4:])
        assert [one.item.text for one in await memory.recall(context, Query(most=1))] == ["An owl."]


async def test_a_last_turn_that_is_too_large_stays_and_is_recalled_cut() -> None:
    context = ScriptedContext()
    async with lent(window, {"tokens": 40}, context) as memory:
        await memory.remember(context, talk("Tell me all.", "long " * 400))
        [found] = await memory.recall(context, Query())
    assert tokens_of(found.item.text) <= 40
    assert "characters left out" in found.item.text
    assert texts_in(context) == ["Tell me all.", "long " * 400]


async def test_forgetting_takes_what_says_the_words_and_not_the_whole_window() -> None:
    context = ScriptedContext()
    async with lent(window, {}, context) as memory:
        made = await memory.remember(context, talk(*SAID))
        assert [one.text for one in await memory.forget(context, Query("wren"))] == ["A wren."]
        ids: list[str] = [made[0].id, "unknown"]
        assert await memory.forget(context, Query(fields={"ids": [*ids]})) == [made[0]]
    assert texts_in(context) == ["A dunnock.", "And there?", "And that?", "An owl."]


async def test_one_name_is_one_memory_and_without_a_name_it_is_the_nodes_own() -> None:
    context = ScriptedContext(node="talk")
    async with lent(window, {}, context) as own, lent(window, {"name": "shared"}, context) as shared:
        assert own.place.name == "talk"
        await shared.remember(context, [Note("hello", by="ada")])
        [found] = await shared.recall(context, Query())
    assert (found.item.by, found.item.data) == ("ada", {"role": "user"})
    assert not await own.recall(context, Query())


said = st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text(max_size=60)), max_size=20).map(
    lambda found: [Item(str(number), text, {"role": role}) for number, (role, text) in enumerate(found)]
)


@given(said, st.integers(0, 6), st.integers(0, 40), st.integers(0, 8))
def test_what_is_recalled_is_the_end_of_what_was_said_within_all_bounds(
    items: list[Item], turns: int, tokens: int, most: int
) -> None:
    found = latest(items, turns, tokens, most)
    assert [one.item.id for one in found] == [one.id for one in items[len(items) - len(found) :]]
    assert bool(found) == bool(items)
    assert not most or len(found) <= most
    assert not tokens or sum(tokens_of(one.item.text) for one in found) <= tokens
    asked = [one for one in found[1:] if one.item.data["role"] == "user"]
    assert not turns or len(asked) < turns


@given(said, st.integers(0, 6), st.integers(0, 40))
def test_as_much_is_held_as_there_is_room_for(items: list[Item], turns: int, tokens: int) -> None:
    place = begins_at(items, turns, tokens)
    if not place:
        return
    assert items[place].data["role"] == "user" or place == 0
    before = begins_at(items[:place], 1, 0)
    wider = items[before:]
    count = sum(one.data["role"] == "user" for one in wider[1:]) + 1
    size = sum(tokens_of(one.text) for one in wider)
    assert (turns and count > turns) or (tokens and size > tokens)


@pytest.mark.parametrize("text", ["a" * 500, "ü" * 500, "漢" * 500, "short"])
@pytest.mark.parametrize("tokens", [1, 7, 20, 60])
def test_cut_texts_stay_within_their_tokens(text: str, tokens: int) -> None:
    assert 0 < tokens_of(cut_to_tokens(text, tokens)) <= tokens
