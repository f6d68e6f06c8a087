"""Texts that are found by what they mean."""

from dataclasses import replace

import pytest

from nodes.memory.vector import vector
from studio.app.memories.written_items import with_vectors
from studio.llm.client import ToolCall
from studio.sdk import Item, Note, Query, ToolError
from studio.sdk.testing import NOON, ScriptedContext
from tests.nodes.memory.lending import lent

KEY, SOUP, TYRE = (
    "The second key hangs on a nail behind the shed door.",
    "Simmer the lentils with cumin for half an hour.",
    "The bicycle has a new tyre in front.",
)
NOTES = [Note(text) for text in (KEY, SOUP, TYRE)]


def items_in(context: ScriptedContext) -> list[Item]:
    return [*context.memories["step"].items.all()]


async def test_what_means_much_the_same_is_recalled_first_with_its_method_and_cosine() -> None:
    context = ScriptedContext()
    async with lent(vector, {"most": 2}, context) as memory:
        await memory.remember(context, NOTES)
        found = await memory.recall(context, Query("What do I need to unlock it?"))
        assert memory.description.endswith("vectors by WordLlama 256.")
    assert found[0].item.text == KEY
    assert len(found) == 2
    assert found[0].score > found[1].score
    assert found[0].why == f"means much the same: cosine {found[0].score:.2f} of vectors by WordLlama 256"
    assert not context.embedded, "nobody was asked"


async def test_an_item_tells_what_it_was_made_of() -> None:
    context = ScriptedContext(node="facts")
    async with lent(vector, {}, context) as memory:
        [made] = await memory.remember(context, [Note(KEY, {"place": "shed"}, "ada")])
    assert made.data == {"place": "shed", "embedded_by": "WordLlama 256"}
    assert (made.at, made.by, len(made.vector)) == (NOON.isoformat(), "ada", 1024)


async def test_similarity_and_tokens_and_count_bound_what_is_recalled() -> None:
    context = ScriptedContext()
    async with lent(vector, {"similar": 0.3, "most": 3}, context) as memory:
        await memory.remember(context, NOTES)
        assert [one.item.text for one in await memory.recall(context, Query("lentils with cumin"))] == [SOUP]
        assert not await memory.recall(context, Query("lentils with cumin", tokens=5))
    async with lent(vector, {"similar": -1, "most": 3}, context) as memory:
        assert len(await memory.recall(context, Query("lentils with cumin"))) == 3
        assert len(await memory.recall(context, Query("lentils with cumin", most=2))) == 2


async def test_with_nothing_to_look_for_the_latest_are_given() -> None:
    context = ScriptedContext()
    async with lent(vector, {"most": 2}, context) as memory:
        await memory.remember(context, NOTES)
        found = await memory.recall(context, Query())
    assert [(one.item.text, one.why) for one in found] == [
        (TYRE, "among the latest"),
        (SOUP, "among the latest"),
    ]


async def test_a_text_that_is_remembered_again_is_renewed_and_not_doubled() -> None:
    context = ScriptedContext()
    async with lent(vector, {}, context) as memory:
        first = await memory.remember(context, [Note(KEY, {"seen": 1, "by": "ada"}), *NOTES[1:]])
        [again] = await memory.remember(context, [Note(KEY, {"seen": 2}), Note(KEY, {"seen": 3}), Note(" ")])
    assert again.id == first[0].id
    assert again.data == {"seen": 3, "by": "ada", "embedded_by": "WordLlama 256"}
    assert [one.text for one in items_in(context)] == [KEY, SOUP, TYRE]


async def test_the_oldest_are_evicted_but_not_those_that_are_said_again() -> None:
    context = ScriptedContext()
    async with lent(vector, {"limit": 3}, context) as memory:
        await memory.remember(context, NOTES)
        await memory.remember(context, [Note(KEY), Note("A new one.")])
    assert [one.text for one in items_in(context)] == [KEY, TYRE, "A new one."]
    [gone] = [one for one in context.memories["step"].writes if one.operation == "remove"]
    assert gone.why == "evicted: 3 items at most"


async def test_items_of_another_method_are_found_by_words_and_get_new_vectors_with_time() -> None:
    context = ScriptedContext()
    async with lent(vector, {}, context) as memory:
        await memory.remember(context, NOTES)
    changed = {"method": "profile", "profile": "embedder"}
    async with lent(vector, changed, context) as memory:
        assert memory.description.endswith("vectors by profile embedder.")
        [found] = await memory.recall(context, Query("the lentils"))
        assert found.item.text == SOUP
        assert found.why == "says lentil; its vector is by WordLlama 256, not by profile embedder"
        await memory.remember(context, [Note("Something new.")])
        assert context.lines == ["3 older items of `step` get vectors by profile embedder."]
        assert {one.data["embedded_by"] for one in items_in(context)} == {"profile embedder"}
        [found, *_] = await memory.recall(context, Query("the lentils"))
    assert found.item.text == SOUP
    assert found.why.startswith("means much the same: cosine")
    assert [one.text for one in items_in(context)] == [KEY, SOUP, TYRE, "Something new."]
    assert set(context.profiles) == {"embedder"}


async def test_forgetting_takes_what_is_found_or_named() -> None:
    context = ScriptedContext()
    async with lent(vector, {}, context) as memory:
        made = await memory.remember(context, NOTES)
        gone = await memory.forget(context, Query("unlock the shed", most=1))
        assert [one.text for one in gone] == [KEY]
        ids: list[str] = [made[1].id]
        await memory.forget(context, Query(fields={"ids": [*ids]}))
    assert [one.text for one in items_in(context)] == [TYRE]


async def test_words_take_the_nearest_alone_and_no_words_take_nothing() -> None:
    context = ScriptedContext()
    async with lent(vector, {"similar": -1}, context) as memory:
        await memory.remember(context, NOTES)
        assert [one.text for one in await memory.forget(context, Query("cumin for the lentils"))] == [SOUP]
        with pytest.raises(ToolError, match="not said what"):
            await memory.forget(context, Query(fields={"place": "shed"}))
    assert [one.text for one in items_in(context)] == [KEY, TYRE]


async def test_more_texts_at_once_than_there_may_be_leave_the_last() -> None:
    context = ScriptedContext()
    async with lent(vector, {"limit": 2}, context) as memory:
        made = await memory.remember(context, NOTES)
    assert [one.text for one in made] == [SOUP, TYRE]
    assert items_in(context) == [replace(one, vector=b"") for one in made]


async def test_an_agent_may_ask_it_and_put_something_in() -> None:
    context = ScriptedContext()
    async with lent(vector, {"name": "facts"}, context) as memory:
        asks, keeps = memory.tools(context, "ada")
        assert (asks.name, keeps.name) == ("recall_from_facts", "remember_in_facts")
        await context.call(keeps, ToolCall("1", keeps.name, '{"text": "The owl nests in the barn."}'))
        said = await context.call(asks, ToolCall("2", asks.name, '{"query": "Where does the bird live?"}'))
    assert said == "- The owl nests in the barn."
    [item] = context.memories["facts"].items.all()
    assert item.by == "ada"


def edited(item: Item, text: str) -> Item:
    """The item as a person leaves it."""
    [made] = with_vectors("memory.vector", [replace(item, text=text, vector=b"")])
    return made


async def test_what_a_person_edits_is_found_by_what_it_says_now() -> None:
    context = ScriptedContext()
    async with lent(vector, {"most": 1}, context) as memory:
        [made, *_] = await memory.remember(context, NOTES)
        context.memories["step"].put(edited(made, "Feed the goldfish on Fridays."))
        context.memories["step"].put(edited(Item("added", ""), "The ladder leans behind the curtain."))
        for query, text in (("What do fish eat?", "Feed"), ("stairs", "The ladder")):
            [found] = await memory.recall(context, Query(query))
            assert found.item.text.startswith(text)
            assert found.item.data["embedded_by"] == "WordLlama 256"


async def test_an_edit_of_what_a_language_model_embedded_waits_for_it_and_is_found_by_words() -> None:
    context = ScriptedContext()
    async with lent(vector, {"method": "profile", "most": 1}, context) as memory:
        [made, *_] = await memory.remember(context, NOTES)
        context.memories["step"].put(edited(made, "Feed the goldfish on Fridays."))
        [found] = await memory.recall(context, Query("goldfish"))
        assert found.why == "says goldfish; its vector is by nobody, not by profile"
        await memory.remember(context, [Note("Something new.")])
        [found] = await memory.recall(context, Query("goldfish"))
    assert found.item.data["embedded_by"] == "profile"
