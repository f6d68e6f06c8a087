"""What goes where a memory is full: by age, by use, or by importance."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from nodes.memory.notes import notes
from nodes.memory.vector import vector
from studio.app.memories.run_memories import run_items
from studio.errors import ToolError
from studio.runtime.replay.takeover import replayed
from studio.sdk import Item, Memory, Note, Query
from studio.sdk.item_layers import PlainMemories
from studio.sdk.testing import NOON, ScriptedContext
from studio.trace.differences.compare import first_difference
from studio.trace.events.memories import MemoryWritten
from tests.nodes.memory.lending import lent
from tests.runtime.bench import REGISTRY, Ran, flow_of, run

TEXTS = {"key": "The second key hangs behind the shed door.", "soup": "Simmer the lentils for half an hour."}
TEXTS |= {"tyre": "The front tyre of the bicycle is flat."}
ASKED = {"key": "behind which door is the key", "soup": "lentils", "tyre": "the flat tyre of the bicycle"}
IMPORTANT = {"key": 5, "soup": 2, "tyre": 9}


class Passing(ScriptedContext):
    """A context whose time passes."""

    minutes = 0

    def now(self, *, working: bool = False) -> datetime:
        del working
        return NOON + timedelta(minutes=self.minutes)


async def remember(memory: Memory, context: Passing, *names: str) -> None:
    for name in names:
        context.minutes += 1
        fields = {"key": name, "importance": IMPORTANT[name]}
        await memory.remember(context, [Note(TEXTS[name], fields)])


async def recall(memory: Memory, context: Passing, *names: str) -> None:
    for name in names:
        context.minutes += 1
        fields = {"key": name} if memory.place.kind == "memory.notes" else {}
        [one] = await memory.recall(context, Query(ASKED[name], 1, fields=fields))
        assert one.item.text == TEXTS[name]


@pytest.mark.parametrize(("kind", "limit"), [(notes, "most"), (vector, "limit")])
@pytest.mark.parametrize(
    ("evicts", "gone", "why"),
    [
        ("oldest", "key", "at most"),
        ("least recently used", "soup", "at most; last used"),
        ("least used", "tyre", "at most; uses: 1"),
        ("least important", "soup", "at most; importance 2"),
    ],
)
async def test_what_goes_is_what_is_set(kind: Any, limit: str, evicts: str, gone: str, why: str) -> None:
    context = Passing()
    async with lent(kind, {limit: 3, "evicts": evicts}, context) as memory:
        await remember(memory, context, "key", "soup", "tyre")
        await recall(memory, context, "soup", "soup", "tyre", "key", "key")
        await memory.remember(context, [Note("A new one.", {"key": "new", "importance": 3})])
    kept = context.memories["step"]
    [removed] = [one for one in kept.writes if one.operation == "remove"]
    assert why in removed.why
    left = {one.text for one in kept.items.all()}
    assert left == {"A new one.", *(text for name, text in TEXTS.items() if name != gone)}


@pytest.mark.parametrize(("kind", "limit"), [(notes, "most"), (vector, "limit")])
async def test_what_is_full_may_refuse_what_is_new(kind: Any, limit: str) -> None:
    context = Passing()
    async with lent(kind, {limit: 1, "evicts": "refuse"}, context) as memory:
        await remember(memory, context, "key", "key")
        with pytest.raises(ToolError, match=r"More than 1 \w+ do not fit"):
            await remember(memory, context, "soup")
    assert [one.text for one in context.memories["step"].items.all()] == [TEXTS["key"]]


@pytest.mark.parametrize("kind", [notes, vector])
async def test_what_is_remembered_anew_keeps_how_often_it_was_of_use(kind: Any) -> None:
    context = Passing()
    async with lent(kind, {"evicts": "least used"}, context) as memory:
        await remember(memory, context, "key")
        await recall(memory, context, "key", "key")
        await remember(memory, context, "key")
    [one] = context.memories["step"].items.all()
    assert one.data["uses"] == 2


async def test_nothing_goes_that_who_writes_may_not_change() -> None:
    context = Passing()
    rules = ["ada: write a*", "ben: write b*"]
    async with lent(notes, {"most": 2, "evicts": "oldest", "permissions": rules}, context) as memory:
        await memory.remember(context, [Note("x", {"key": "b"}, "ben")])
        await memory.remember(context, [Note("x", {"key": "a"}, "ada")])
        await memory.remember(context, [Note("x", {"key": "a2"}, "ada")])
        assert [one.id for one in context.memories["step"].items.all()] == ["b", "a2"]
        with pytest.raises(ToolError, match="do not fit"):
            await memory.remember(context, [Note("x", {"key": "a3"}, "ada"), Note("x", {"key": "a4"}, "ada")])


async def test_an_agent_is_asked_how_important_it_is_where_that_matters() -> None:
    for kind, tool in ((notes, "write_note"), (vector, "remember_in_step")):
        for evicts, asked in (("oldest", False), ("least important", True)):
            context = Passing()
            async with lent(kind, {"evicts": evicts}, context) as memory:
                [keeps] = [one for one in memory.tools(context, "ada") if one.name == tool]
            known: Any = keeps.parameters["properties"]
            assert ("importance" in known) is asked


FLOW = flow_of(
    {
        "notes": ("memory.notes", {"name": "board", "most": 2, "evicts": "least used"}),
        "keys": ("value.json", {"value": ["old", "old", "new", "old"]}),
        "each": "control.for_each",
        "fields": ("value.formula", {"formula": '{"key": key}'}),
        "recall": "memory.recall",
        "all": "control.collect",
        "more": ("memory.remember", {}, {"texts": ["Three."], "fields": {"key": "third"}}),
        "out": "io.flow_output",
    },
    [
        "keys.value -> each.items",
        "each.item -> fields.key",
        "fields.value -> recall.fields",
        "notes.memory -> recall.memory",
        "recall.text -> all.value",
        "all.values -> out.value",
        "all.then -> more.after",
        "notes.memory -> more.memory",
    ],
)
BEFORE = [Item("old", "One.", {"key": "old"}), Item("new", "Two.", {"key": "new"})]
"""Notes as they were kept before uses were counted."""


def told(ran: Ran) -> list[tuple[str, str, str]]:
    events = [entry.event for entry in ran.entries]
    written = [one for one in events if isinstance(one, MemoryWritten)]
    return [(one.operation, one.item.data["id"], one.why) for one in written]


async def test_uses_at_once_add_up_and_what_goes_is_told_and_replayed() -> None:
    ran = await run(FLOW, memories=PlainMemories({"board": BEFORE}))
    assert told(ran)[:-2] == [("use", key, "") for key in ("old", "old", "new", "old")]
    assert told(ran)[-2:] == [
        ("remove", "new", "evicted: 2 notes at most; uses: 1"),
        ("put", "third", ""),
    ]
    [old, third] = run_items(ran.state, "board", BEFORE)
    assert (old.id, old.text, old.data["uses"]) == ("old", "One.", 3)
    assert (third.id, "uses" in third.data) == ("third", False)
    again = await run(FLOW, past=replayed(ran.entries, FLOW, REGISTRY))
    assert again.outputs == ran.outputs
    assert first_difference(ran.entries, again.entries) is None
