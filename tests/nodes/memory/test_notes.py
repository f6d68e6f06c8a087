"""Notes: keys, finding, and who may do what."""

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from nodes.memory.notes import LONGEST_KEY, notes
from studio.building_blocks.agents.remembrance import Remembrance
from studio.building_blocks.memories.context_window import tokens_of
from studio.errors import SettingsError, ToolError
from studio.llm.client import ToolCall
from studio.sdk.items import Item, Recalled
from studio.sdk.memory import Memory, Note, Query
from studio.sdk.node import node_type_of
from studio.sdk.testing import NOON, ScriptedContext

PERMISSIONS = ("critic: read draft*", "writer: write *", "reader*: none secret*", "reader*: read *")


@asynccontextmanager
async def lent(context: ScriptedContext, **settings: Any) -> AsyncGenerator[Memory]:
    async for memory in notes(context, **settings):
        yield memory


async def write(memory: Memory, context: ScriptedContext, by: str = "writer", **texts: str) -> None:
    await memory.remember(context, [Note(text, {"key": key}, by) for key, text in texts.items()])


async def found(memory: Memory, context: ScriptedContext, by: str = "", **query: Any) -> list[str]:
    return [one.item.id for one in await memory.recall(context, Query(by=by, **query))]


async def call(memory: Memory, context: ScriptedContext, by: str, tool: str, **arguments: object) -> str:
    [wanted] = [one for one in memory.tools(context, by) if one.name == tool]
    return await context.call(wanted, ToolCall("1", tool, json.dumps(arguments)))


def names(memory: Memory, context: ScriptedContext, by: str) -> list[str]:
    return [one.name for one in memory.tools(context, by)]


async def test_a_note_takes_the_place_of_the_one_with_its_key() -> None:
    context = ScriptedContext()
    async with lent(context) as memory:
        await write(memory, context, draft="One.", plan="Two.")
        await write(memory, context, draft="Three.")
        [one] = await memory.recall(context, Query(fields={"key": "draft"}))
    assert (one.item.text, one.why) == ("Three.", "its key is `draft`")
    assert len(context.memories["step"].items) == 2


async def test_notes_are_found_by_words_of_key_and_text_the_best_first() -> None:
    context = ScriptedContext()
    async with lent(context) as memory:
        await write(
            memory, context, hedge="A dunnock.", pond="Herons fish here.", lawn="A heron by the hedge."
        )
        said = await memory.recall(context, Query("Which heron sat in the hedges?"))
    assert [one.item.id for one in said] == ["lawn", "hedge", "pond"]
    assert said[0].why == "says heron, hedg"


async def test_keys_are_found_by_pattern_and_else_the_latest_come_first() -> None:
    context = ScriptedContext(
        memories={"step": [note_at(key, number) for number, key in enumerate(("a/1", "b/1", "a/2"))]}
    )
    async with lent(context, gives=2) as memory:
        assert await found(memory, context, fields={"key": "A/*"}) == ["a/2", "a/1"]
        assert await found(memory, context) == ["a/2", "b/1"]
        assert await found(memory, context, most=3) == ["a/2", "b/1", "a/1"]


async def test_no_more_is_recalled_than_there_is_room_for() -> None:
    context = ScriptedContext()
    async with lent(context) as memory:
        await write(memory, context, a="wren " * 8, b="wren " * 40)
        said = await memory.recall(context, Query("wren", tokens=20))
    assert [len(one.item.text.encode()) for one in said] == [40, 40]
    assert said[1].item.text.endswith(" … (cut)")


async def test_room_is_counted_alike_in_writing_without_spaces() -> None:
    context = ScriptedContext()
    async with lent(context) as memory:
        await write(memory, context, a="鳥" * 1000)
        [found] = await memory.recall(context, Query("鳥", tokens=100))
    assert 98 <= tokens_of(found.item.text) <= 100
    assert found.item.text.endswith("鳥 … (cut)")


async def test_a_note_without_a_key_gets_one_and_a_value_is_written_as_json() -> None:
    context = ScriptedContext()
    async with lent(context) as memory:
        made = await memory.remember(context, [Note("One."), Note("Two."), Note("", {"value": {"seen": 2}})])
    assert len({one.id for one in made}) == 3
    assert json.loads(made[2].text) == {"seen": 2}
    assert made[2].data["is_json"]
    assert (made[0].by, made[0].at) == ("step", NOON.isoformat())


@pytest.mark.parametrize("key", ["a" * (LONGEST_KEY + 1), "a\nb", "draft*", "a[b"])
async def test_a_key_under_which_nothing_is_found_again_is_refused(key: str) -> None:
    context = ScriptedContext()
    async with lent(context) as memory:
        with pytest.raises(ToolError, match="is no key"):
            await memory.remember(context, [Note("x", {"key": key})])


async def test_what_is_too_long_or_one_too_many_is_refused_and_what_is_there_can_be_written_anew() -> None:
    context = ScriptedContext()
    async with lent(context, most=2, longest=5) as memory:
        await write(memory, context, a="12345", b="1")
        with pytest.raises(ToolError, match="6 characters; 5 fit"):
            await write(memory, context, a="123456")
        with pytest.raises(ToolError, match="More than 2 notes do not fit"):
            await write(memory, context, c="1")
        await write(memory, context, a="2")
        with pytest.raises(ToolError, match="do not fit"):
            await write(memory, context, a="3", c="3")
        assert [one.item.text for one in await memory.recall(context, Query())] == ["1", "2"]


async def test_an_agent_finds_only_what_it_may_read() -> None:
    context = ScriptedContext()
    async with lent(context, permissions=PERMISSIONS) as memory:
        await write(memory, context, draft="A wren.", secrets="A wren too.", plan="No wren.")
        assert await found(memory, context, "critic", text="wren") == ["draft"]
        assert await found(memory, context, "reader_2", text="wren") == ["draft", "plan"]
        assert await found(memory, context, "writer", text="wren") == ["draft", "secrets", "plan"]
        assert await found(memory, context, "stranger", text="wren") == []
        assert await found(memory, context, "stranger") == []
        with pytest.raises(ToolError, match="`critic` may neither read nor change the note `plan`"):
            await found(memory, context, "critic", fields={"key": "plan"})


async def test_what_an_agent_may_not_write_is_refused_in_words_and_stays() -> None:
    context = ScriptedContext()
    async with lent(context, permissions=PERMISSIONS) as memory:
        await write(memory, context, draft="A wren.", plan="One.")
        with pytest.raises(ToolError, match="`critic` may read the note `draft`, but not change it"):
            await write(memory, context, "critic", draft="A heron.")
        with pytest.raises(ToolError, match="may neither"):
            await write(memory, context, plan="Two.", by="stranger")
        with pytest.raises(ToolError, match="not change it"):
            await memory.forget(context, Query(by="critic", fields={"ids": ["draft"]}))
        assert await memory.forget(context, Query("wren", by="critic")) == []
        assert await found(memory, context, "writer", fields={"key": "*"}) == ["plan", "draft"]


async def test_the_first_rule_that_fits_decides_in_small_and_capital_letters() -> None:
    context = ScriptedContext(node="Critic")
    async with lent(context, permissions=("CRITIC: none Secret*", "critic: write")) as memory:
        await memory.remember(context, [Note("x", {"key": "open"})])
        with pytest.raises(ToolError, match="may neither"):
            await memory.remember(context, [Note("x", {"key": "secret/1"})])


async def test_an_agent_gets_the_tools_that_it_may_use() -> None:
    context = ScriptedContext()
    async with lent(context, permissions=PERMISSIONS) as memory:
        assert names(memory, context, "critic") == ["read_note", "find_notes"]
        assert names(memory, context, "stranger") == []
    async with lent(context, prefix="board_") as memory:
        assert names(memory, context, "anybody") == [
            "board_read_note", "board_find_notes", "board_write_note", "board_delete_note",
        ]  # fmt: skip


async def test_tools_act_in_the_name_of_their_agent() -> None:
    context = ScriptedContext()
    async with lent(context, permissions=PERMISSIONS) as memory:
        assert await call(memory, context, "writer", "write_note", key="draft", text="A  wren.") == (
            "Noted under `draft`."
        )
        assert context.memories["step"].items.all()[0].by == "writer"
        assert await call(memory, context, "critic", "read_note", key="draft") == "A  wren."
        assert await call(memory, context, "critic", "find_notes", text="wrens") == "- draft: A wren."
        assert "may neither" in await call(memory, context, "critic", "read_note", key="plan")
        assert "no note `plan`" in await call(memory, context, "writer", "read_note", key="plan")
        assert await call(memory, context, "critic", "find_notes", key="p*") == "There are no such notes."
        assert await call(memory, context, "writer", "delete_note", key="draft") == "Deleted: `draft`."
        assert "no note" in await call(memory, context, "writer", "delete_note", key="draft")


async def test_an_agent_is_told_the_keys_of_what_it_is_reminded_of() -> None:
    context = ScriptedContext()
    async with lent(context, permissions=PERMISSIONS) as memory:
        await write(memory, context, draft="A wren.", plan="Look for a wren.")
        reminding = await Remembrance(context, "a wren", 0).remind(context, [memory], "critic")
    assert '<remembered from="step">\n- draft: A wren.\n</remembered>' in reminding.block


async def test_what_is_to_be_forgotten_has_to_be_said() -> None:
    context = ScriptedContext()
    async with lent(context) as memory:
        await write(memory, context, a="wren", b="wren", c="heron")
        with pytest.raises(ToolError, match="Nothing to delete"):
            await memory.forget(context, Query())
        gone = await memory.forget(context, Query("wren", most=1))
        assert [one.id for one in gone] == ["a"]
        assert [one.id for one in await memory.forget(context, Query(fields={"key": "b*"}))] == ["b"]
        assert [(one.operation, one.why) for one in context.memories["step"].writes[-2:]] == [
            ("remove", "forgotten")
        ] * 2


async def test_all_that_is_decided_by_what_is_there_goes_through_reads() -> None:
    """A replay gives back what was read, so nothing else may be known of the memory."""
    context, again = ScriptedContext(), ScriptedContext()
    async with lent(context, most=1) as memory:
        await write(memory, context, a="wren")
        with pytest.raises(ToolError):
            await write(memory, context, b="heron")
        await memory.forget(context, Query("wren"))
    kept = context.memories["step"]
    again.memories["step"] = replayed = Replayed([one for _, _, one in kept.reads])  # type: ignore[assignment]
    async with lent(again, most=1) as memory:
        await write(memory, again, a="wren")
        with pytest.raises(ToolError):
            await write(memory, again, b="heron")
        await memory.forget(again, Query("wren"))
    assert replayed.writes == [(one.operation, one.item.id) for one in kept.writes]


def test_a_line_that_is_no_rule_is_a_problem_of_the_settings() -> None:
    with pytest.raises(SettingsError) as refused:
        node_type_of(notes).complete_settings({"permissions": ["writer: write *", "critic may read"]})
    assert "`critic may read` is not a rule" in refused.value.details[0]


def note_at(key: str, hours: int) -> Item:
    at = datetime(2026, 5, 4, tzinfo=UTC) + timedelta(hours=hours)
    return Item(key, f"Note {key}", {"key": key}, at.isoformat())


class Replayed:
    """A memory of which only is known what was read of it before."""

    def __init__(self, reads: Sequence[Sequence[Recalled]]) -> None:
        self._reads = list(reads)
        self.writes: list[tuple[str, str]] = []

    def read(self, *_: object, **__: object) -> Sequence[Recalled]:
        return self._reads.pop(0)

    def put(self, item: Item, why: str = "") -> None:
        assert not why
        self.writes.append(("put", item.id))

    def remove(self, item_id: str, why: str = "") -> None:
        assert why
        self.writes.append(("remove", item_id))

    def use(self, item_id: str, at: str) -> None:
        assert at
        self.writes.append(("use", item_id))
