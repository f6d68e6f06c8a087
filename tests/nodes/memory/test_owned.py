"""Everybody has a stream of their own behind one node, where a field says whose is meant."""

from nodes.memory.stream import stream
from studio.sdk import Memory, Note, Query
from studio.sdk.testing import ScriptedContext, open_binding


def note(text: str, of: str = "") -> Note:
    return Note(text, {"importance": 5, **({"of": of} if of else {})})


async def texts(memory: Memory, context: ScriptedContext, of: str = "") -> list[str]:
    found = await memory.recall(context, Query("owl", fields={"of": of} if of else {}))
    return sorted(one.item.text for one in found)


async def test_one_recalls_nothing_of_another() -> None:
    context = ScriptedContext()
    memory: Memory = await anext(open_binding(stream, {"name": "diary"}, context))
    made = await memory.remember(context, [note("An owl.", "Ada"), note("A wren.", "Ben"), note("An elk.")])
    assert [one.text for one in made] == ["An owl.", "A wren.", "An elk."]
    assert await texts(memory, context, "Ada") == ["An owl."]
    assert await texts(memory, context, "Ben") == ["A wren."]
    assert await texts(memory, context) == ["An elk."]
    assert set(context.memories) == {"diary", "diary.Ada", "diary.Ben"}


async def test_one_forgets_for_themselves_alone() -> None:
    context = ScriptedContext()
    memory: Memory = await anext(open_binding(stream, {"name": "diary"}, context))
    await memory.remember(context, [note("An owl.", "Ada"), note("An owl.", "Ben")])
    gone = await memory.forget(context, Query("an owl", fields={"of": "Ada"}))
    assert [one.text for one in gone] == ["An owl."]
    assert await texts(memory, context, "Ada") == []
    assert await texts(memory, context, "Ben") == ["An owl."]


async def test_one_reflects_on_their_own() -> None:
    context = ScriptedContext(['{"questions": ["Q?"]}', '{"insights": []}'])
    memory: Memory = await anext(open_binding(stream, {"name": "diary", "reflects_at": 8}, context))
    await memory.remember(context, [note("An owl.", "Ada"), note("A wren.", "Ben")])
    assert not context.requests, "neither has enough yet, as both together would"
    await memory.remember(context, [note("A second owl.", "Ada")])
    assert len(context.requests) == 2
    assert "wren" not in str(context.requests)
