"""How long an item of each kind of memory may be."""

from collections.abc import Mapping

import pytest

from nodes.memory.experience import experience
from nodes.memory.graph import graph
from nodes.memory.stream import stream
from nodes.memory.summary import summary
from nodes.memory.vector import vector
from nodes.memory.window import window
from studio.errors import ToolError
from studio.sdk import Json, Note
from studio.sdk.testing import ScriptedContext
from tests.nodes.memory.lending import lent

TRY: Mapping[str, Json] = {"action": "retry", "score": 1}


@pytest.mark.parametrize(
    ("kind", "note"),
    [
        (vector, Note("x" * 20_001)),
        (vector, Note("short", {"source": "x" * 20_000})),
        (stream, Note("x" * 20_001, {"importance": 1})),
        (experience, Note("x" * 20_001, TRY)),
        (experience, Note("short", {**TRY, "outcome": "x" * 20_000})),
        (graph, Note(f"Ada | wrote | {'x' * 20_000}")),
        (window, Note("short", {"role": "user", "source": "x" * 20_000})),
    ],
)
async def test_what_is_too_long_is_refused_with_what_to_do_and_nothing_is_kept(
    kind: object, note: Note
) -> None:
    context = ScriptedContext()
    async with lent(kind, None, context) as memory:
        with pytest.raises(ToolError, match="characters; 20,000 fit") as refused:
            await memory.remember(context, [note])
        assert "Shorten it" in refused.value.hint
    kept = context.memories.get("step")
    assert kept is None or not kept.items.all()


@pytest.mark.parametrize("kind", [window, summary])
async def test_of_a_message_that_is_too_long_the_beginning_and_the_end_are_kept_and_it_is_told(
    kind: object,
) -> None:
    context = ScriptedContext()
    async with lent(kind, {"longest": 200}, context) as memory:
        await memory.remember(context, [Note("a" * 500 + "z" * 500), Note("b" * 200)])
    cut, whole = (one.text for one in context.memories["step"].items.all())
    assert len(cut) <= 200
    assert (cut[:70], cut[-70:]) == ("a" * 70, "z" * 70)
    assert whole == "b" * 200
    assert context.lines == ["Of a message of 1,000 characters the beginning and the end are kept."]


@pytest.mark.parametrize(("kind", "note"), [(vector, Note("12345")), (graph, Note("a|b|c"))])
async def test_what_has_just_as_many_characters_is_kept(kind: object, note: Note) -> None:
    context = ScriptedContext()
    async with lent(kind, {"longest": 5}, context) as memory:
        assert len(await memory.remember(context, [note])) == 1
