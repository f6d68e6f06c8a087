import pytest

from nodes.memory.forget import forget
from nodes.memory.recall import recall
from nodes.memory.remember import remember
from studio.errors import StepError
from studio.llm.client import Message
from studio.sdk import Memory, MemoryPlace
from studio.sdk.testing import ScriptedContext, run_bench
from tests.nodes.memory.plain_memories import plain_memory


async def filled(*texts: str) -> tuple[ScriptedContext, Memory]:
    context, memory = ScriptedContext(), plain_memory("facts")
    await run_bench(remember, {"memory": memory, "texts": list(texts)}, {}, context)
    return context, memory


async def test_what_is_remembered_is_recalled_with_the_reason() -> None:
    context, memory = await filled("A wren sang.", "A heron stood.")
    found = await run_bench(recall, {"memory": memory, "query": "wren"}, {}, context)
    assert found["text"] == "A wren sang."
    item: dict[str, object] = {
        "id": "facts_0",
        "text": "A wren sang.",
        "data": {},
        "at": "2026-05-04T12:00:00+00:00",
        "by": "step",
        "score": 1.0,
        "why": "has “wren”",
    }
    assert found["items"] == [item]
    assert "messages" not in found


async def test_a_conversation_is_recalled_as_messages_without_instructions() -> None:
    context, memory = ScriptedContext(), plain_memory("talk", is_conversation=True)
    said = [Message("system", "Be brief."), Message("user", "Who sang?"), Message("assistant", "A wren.")]
    await run_bench(remember, {"memory": memory, "messages": said}, {"by": "warden"}, context)
    found = await run_bench(recall, {"memory": memory}, {}, context)
    assert found["messages"] == said[1:]
    assert {one.by for one in context.memories["talk"].items.all()} == {"warden"}


async def test_at_most_so_many_are_asked_for() -> None:
    context, memory = await filled("wren one", "wren two")
    found = await run_bench(recall, {"memory": memory, "query": "wren"}, {"most": 1}, context)
    assert found["text"] == "wren one"


async def test_what_says_nothing_is_not_remembered() -> None:
    context, memory = await filled("", "  ")
    assert context.memories == {}
    assert (await run_bench(remember, {"memory": memory}, {}, context))["items"] == []


@pytest.mark.parametrize(
    ("inputs", "settings", "left"),
    [
        ({"query": "wren"}, {}, ["A heron stood."]),
        ({"ids": ["facts_1", "facts_9"]}, {}, ["A wren sang."]),
        ({"fields": {"ids": ["facts_0"]}}, {}, ["A heron stood."]),
        ({}, {"everything": True}, []),
    ],
)
async def test_what_is_named_is_forgotten(
    inputs: dict[str, object], settings: dict[str, bool], left: list[str]
) -> None:
    context, memory = await filled("A wren sang.", "A heron stood.")
    gone = await run_bench(forget, {"memory": memory, **inputs}, {**settings}, context)
    assert [one.text for one in context.memories["facts"].items.all()] == left
    assert gone["count"] == 2 - len(left)
    assert {one.why for one in context.memories["facts"].writes if one.operation == "remove"} == {"forgotten"}


async def test_nothing_is_forgotten_where_nothing_says_what() -> None:
    context, memory = await filled("A wren sang.")
    with pytest.raises(StepError, match="Nothing to"):
        await run_bench(forget, {"memory": memory, "query": " "}, {}, context)
    assert len(context.memories["facts"].items) == 1


def test_a_memory_knows_of_which_kind_it_is() -> None:
    assert plain_memory("facts").place == MemoryPlace("facts", "memory.plain")
