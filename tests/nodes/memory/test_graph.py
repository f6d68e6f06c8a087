"""Graph: triples, given or drawn, and what is connected with what."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from nodes.memory.graph import graph
from studio.errors import StepError, ToolError
from studio.llm.client import ToolCall
from studio.sdk.memory import Memory, Note, Query
from studio.sdk.testing import ScriptedContext

KNOWN = """
Ada Lovelace | wrote | the Notes
the Notes | describe | the Analytical Engine
Babbage | designed | the Analytical Engine
Babbage | lived in | London
London | lies on | the Thames
Menabrea | wrote | a Sketch
"""


@asynccontextmanager
async def lent(context: ScriptedContext, **settings: Any) -> AsyncGenerator[Memory]:
    async for memory in graph(context, **settings):
        await memory.remember(context, [Note(KNOWN)])
        yield memory


async def said(memory: Memory, context: ScriptedContext, text: str = "", **fields: Any) -> list[str]:
    return [one.item.text for one in await memory.recall(context, Query(text, fields=fields))]


async def test_what_is_connected_with_what_is_named_is_found_the_nearest_first_with_its_path() -> None:
    context = ScriptedContext()
    async with lent(context, hops=3) as memory:
        found = await memory.recall(context, Query("Has Ada Lovelace's work to do with London?"))
    assert [(one.item.text, one.why) for one in found] == [
        ("Ada Lovelace wrote the Notes", "Ada Lovelace –wrote→ the Notes"),
        ("London lies on the Thames", "London –lies on→ the Thames"),
        ("Babbage lived in London", "London ←lived in– Babbage"),
        (
            "Babbage designed the Analytical Engine",
            "London ←lived in– Babbage –designed→ the Analytical Engine",
        ),
        (
            "the Notes describe the Analytical Engine",
            "Ada Lovelace –wrote→ the Notes –describe→ the Analytical Engine",
        ),
    ]


async def test_no_relation_is_followed_further_than_so_many_hops() -> None:
    context = ScriptedContext()
    async with lent(context, hops=1) as memory:
        assert await said(memory, context, "Ada Lovelace") == ["Ada Lovelace wrote the Notes"]
        assert len(await said(memory, context, "Ada Lovelace", hops=2)) == 2
        assert len(await said(memory, context, "Ada Lovelace", hops=99)) == 5


async def test_things_are_named_by_field_or_by_a_word_of_their_names_or_by_a_relation() -> None:
    context = ScriptedContext()
    async with lent(context, hops=1) as memory:
        assert await said(memory, context, "whatever", entities=["the THAMES"]) == [
            "London lies on the Thames"
        ]
        assert await said(memory, context, "Who is Lovelace?") == ["Ada Lovelace wrote the Notes"]
        assert await said(memory, context, "Who wrote something?") == [
            "Ada Lovelace wrote the Notes", "Menabrea wrote a Sketch",
        ]  # fmt: skip
        assert await said(memory, context, "dunnocks") == []
        assert (await said(memory, context))[:2] == ["Menabrea wrote a Sketch", "London lies on the Thames"]


async def test_of_names_that_overlap_the_longest_is_meant() -> None:
    context = ScriptedContext()
    async with lent(context, hops=1) as memory:
        await memory.remember(context, [Note("Ada | is | a language"), Note("engine | is | a word")])
        assert await said(memory, context, "What of Ada Lovelace?") == ["Ada Lovelace wrote the Notes"]


async def test_one_thing_written_in_two_ways_is_one() -> None:
    context = ScriptedContext()
    async with lent(context) as memory:
        before = len(context.memories["step"].items)
        [made] = await memory.remember(context, [Note("ada  lovelace | Wrote | Notes.")])
        assert len(context.memories["step"].items) == before
        assert (made.id, made.text) == ("ada lovelace | wrote | notes", "ada  lovelace Wrote Notes.")
        assert await said(memory, context, "C++") == []
        await memory.remember(context, [Note("C++ | grew out of | C")])
        assert await said(memory, context, "What is C++?", hops=1) == ["C++ grew out of C"]


async def test_triples_are_given_as_fields_too() -> None:
    context = ScriptedContext()
    async with lent(context) as memory:
        given: list[Any] = [["a", "is", 1], {"subject": "b", "relation": "is", "object": "c"}]
        made = await memory.remember(context, [Note("", {"triples": given, "subject": "d", "relation": "is", "object": "e"})])  # noqa: E501  # fmt: skip
        assert [one.text for one in made] == ["a is 1", "b is c", "d is e"]
        for wrong in ({"triples": [["a", "b"]]}, {"subject": "a"}, {"triples": "a"}):
            with pytest.raises(ToolError, match="not a triple"):
                await memory.remember(context, [Note("", wrong)])  # type: ignore[arg-type]
        with pytest.raises(ToolError, match="not a triple"):
            await memory.remember(context, [Note("Ada was here.")])


async def test_a_language_model_draws_triples_and_is_told_what_is_known() -> None:
    drawn = {"triples": [{"subject": "Ada Lovelace", "relation": "met", "object": "Babbage"}]}
    context = ScriptedContext(chat=[json.dumps(drawn), "nothing of that"])
    async with lent(context, triples="drawn") as memory:
        [made] = await memory.remember(context, [Note("Lovelace met Babbage.", by="writer")])
        assert (made.text, made.by) == ("Ada Lovelace met Babbage", "writer")
        told = context.requests[0].messages[0].content
        assert "- Ada Lovelace" in told
        assert "Menabrea" not in told
        assert context.memories["step"].reads[-2][0] == "upkeep"
        context = ScriptedContext(chat=["no JSON", "none again"])
    async with lent(context, triples="drawn") as memory:
        with pytest.raises(StepError, match="not the required JSON") as refused:
            await memory.remember(context, [Note("Lovelace met Babbage.")])
        assert "repairs" not in refused.value.hint
        assert "give the triples" in refused.value.hint


async def test_triples_are_forgotten_by_id_by_part_by_line_and_by_what_is_named() -> None:
    context = ScriptedContext()
    async with lent(context) as memory:

        async def forget(text: str = "", **fields: Any) -> list[str]:
            return [one.text for one in await memory.forget(context, Query(text, fields=fields))]

        assert await forget(ids=["london | lies on | thames", "nobody"]) == ["London lies on the Thames"]
        assert await forget(relation="Wrote", subject="Menabrea") == ["Menabrea wrote a Sketch"]
        assert await forget("ada lovelace | wrote | notes") == ["Ada Lovelace wrote the Notes"]
        assert await forget("everything of London") == ["Babbage lived in London"]
        assert await forget("everything of Paris") == []
        with pytest.raises(ToolError, match="Nothing to delete"):
            await forget()
        assert len(context.memories["step"].items) == 2


async def test_a_full_graph_takes_what_it_knows_and_nothing_more() -> None:
    context = ScriptedContext()
    async with lent(context, most=6) as memory:
        await memory.remember(context, [Note("Babbage | lived in | London")])
        with pytest.raises(ToolError, match="More than 6 triples do not fit"):
            await memory.remember(context, [Note("a | b | c")])


async def test_agents_follow_add_and_remove_relations() -> None:
    context = ScriptedContext()
    async with lent(context, prefix="facts_") as memory:
        tools = {one.name: one for one in memory.tools(context, "writer")}

        async def call(name: str, **arguments: str) -> str:
            return await context.call(tools[name], ToolCall("1", name, json.dumps(arguments)))

        triple = {"subject": "Ada", "relation": "knew", "object": "Somerville"}
        assert await call("facts_add_relation", **triple) == "Known from now on: Ada knew Somerville"
        assert context.memories["step"].items.all()[-1].by == "writer"
        assert await call("facts_find_related", about="Somerville") == (
            "- Ada knew Somerville (Somerville ←knew– Ada)"
        )
        assert await call("facts_remove_relation", **triple) == "Forgotten: Ada knew Somerville"
        assert "not known" in await call("facts_remove_relation", **triple)
        assert await call("facts_find_related", about="Somerville") == "Nothing is known of that."
