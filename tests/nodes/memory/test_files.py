"""Memory files: paths, the tools of agents, bounds."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.memory.files import files
from nodes.memory.files.text_files import inserted, numbered, path_in, replaced
from studio.errors import ToolError
from studio.llm.client import ToolCall
from studio.sdk.memory import Memory, Note, Query
from studio.sdk.testing import ScriptedContext

FILES = {"birds/may.txt": "4 May\nA dunnock sang.", "birds/june.txt": "A heron.", "garden.txt": "Beans."}


@asynccontextmanager
async def lent(context: ScriptedContext, **settings: Any) -> AsyncGenerator[Memory]:
    async for memory in files(context, **settings):
        await memory.remember(context, [Note(text, {"path": path}) for path, text in FILES.items()])
        yield memory


class Agent:
    """Who calls the tools of a memory."""

    def __init__(self, memory: Memory, context: ScriptedContext, by: str = "writer") -> None:
        self.context = context
        self.tools = {one.name: one for one in memory.tools(context, by)}

    async def call(self, name: str, **arguments: object) -> str:
        return await self.context.call(
            self.tools[f"memory_{name}"], ToolCall("1", name, json.dumps(arguments))
        )


def kept(context: ScriptedContext) -> dict[str, str]:
    return {one.id: one.text for one in context.memories["step"].items.all()}


async def recalled(memory: Memory, context: ScriptedContext, text: str = "", **query: Any) -> list[str]:
    return [one.item.id for one in await memory.recall(context, Query(text, **query))]


async def test_files_are_found_by_path_by_folder_by_words_and_else_the_latest() -> None:
    context = ScriptedContext()
    async with lent(context, gives=2) as memory:
        assert await recalled(memory, context, fields={"path": "/memories/garden.txt"}) == ["garden.txt"]
        assert await recalled(memory, context, fields={"path": "birds"}) == [
            "birds/may.txt",
            "birds/june.txt",
        ]
        assert await recalled(memory, context, "Who sang in May?") == ["birds/may.txt"]
        assert await recalled(memory, context, "heron", fields={"path": "birds"}) == ["birds/june.txt"]
        assert await recalled(memory, context, "beans", fields={"path": "birds"}) == []
        assert await recalled(memory, context) == ["garden.txt", "birds/june.txt"]


async def test_of_a_long_file_the_lines_around_what_was_found_are_given() -> None:
    context = ScriptedContext()
    async with lent(context, passage=30) as memory:
        text = "\n".join([*(f"day {number}" for number in range(1, 50)), "A wren sang.", "The end."])
        await memory.remember(context, [Note(text, {"path": "diary.txt"})])
        [one] = await memory.recall(context, Query("wren"))
        assert one.item.text == "day 48\nday 49\nA wren sang.\nThe end."[:30]
        assert one.why == "says wren; lines 48 to 51 of 51"
        [whole] = await memory.recall(context, Query(fields={"path": "diary.txt"}))
        assert whole.item.text == text


async def test_an_agent_views_folders_and_lines() -> None:
    context = ScriptedContext()
    async with lent(context) as memory:
        agent = Agent(memory, context)
        assert list(agent.tools) == [
            f"memory_{name}" for name in ("view", "create", "str_replace", "insert", "delete", "rename")
        ]
        assert await agent.call("view") == (
            "Files in the memory:\n- birds/june.txt (8 characters)\n- birds/may.txt (21 characters)\n"
            "- garden.txt (6 characters)"
        )
        assert await agent.call("view", path="birds/") == (
            "Files in birds:\n- birds/june.txt (8 characters)\n- birds/may.txt (21 characters)"
        )
        assert await agent.call("view", path="birds/may.txt") == "     1\t4 May\n     2\tA dunnock sang."
        assert await agent.call("view", path="birds/may.txt", view_range=[2, -1]) == "     2\tA dunnock sang."
        assert "no lines 3 to 4" in await agent.call("view", path="birds/may.txt", view_range=[3, 4])
        assert "There is no `bird`" in await agent.call("view", path="bird")
        assert [one[0] for one in context.memories["step"].reads[-3:]] == ["recall"] * 3


async def test_an_agent_creates_and_changes_files() -> None:
    context = ScriptedContext()
    async with lent(context) as memory:
        agent = Agent(memory, context)
        assert await agent.call("create", path="/memories/new.txt", file_text="a\nb") == "Written: `new.txt`."
        assert await agent.call("str_replace", path="new.txt", old_str="b", new_str="c") == (
            "Changed: `new.txt`."
        )
        assert await agent.call("insert", path="new.txt", insert_line=1, insert_text="x\n") == (
            "Changed: `new.txt`."
        )
        assert kept(context)["new.txt"] == "a\nx\nc"
        assert context.memories["step"].items.all()[-1].by == "writer"
        assert "does not say that" in await agent.call("str_replace", path="new.txt", old_str="q", new_str="")
        assert "no line 4" in await agent.call("insert", path="new.txt", insert_line=4, insert_text="x")
        assert "There is no file `no.txt`" in await agent.call(
            "str_replace", path="no.txt", old_str="q", new_str=""
        )
        await agent.call("create", path="twice.txt", file_text="on\nand on")
        assert "says that 2 times, in lines 1, 2" in await agent.call(
            "str_replace", path="twice.txt", old_str="on", new_str=""
        )
        assert kept(context)["twice.txt"] == "on\nand on"


async def test_an_agent_renames_and_deletes_files_and_folders() -> None:
    context = ScriptedContext()
    async with lent(context) as memory:
        agent = Agent(memory, context)
        assert await agent.call("rename", old_path="birds", new_path="old/birds") == (
            "Renamed: `old/birds/june.txt`, `old/birds/may.txt`."
        )
        assert kept(context)["old/birds/may.txt"] == FILES["birds/may.txt"]
        assert "is there already" in await agent.call("rename", old_path="garden.txt", new_path="old")
        assert "There is no `birds`" in await agent.call("rename", old_path="birds", new_path="x")
        assert "There is no `old`" in await agent.call("rename", old_path="old", new_path="old/older")
        assert await agent.call("delete", path="old") == (
            "Deleted: `old/birds/june.txt`, `old/birds/may.txt`."
        )
        assert "There is no `old`" in await agent.call("delete", path="old")
        assert "cannot be deleted" in await agent.call("delete", path="/memories")
        assert list(kept(context)) == ["garden.txt"]


@pytest.mark.parametrize("path", ["../a", "a/../b", "a//b", "a\nb", "x" * 201])
async def test_a_path_that_is_none_is_refused(path: str) -> None:
    context = ScriptedContext()
    async with lent(context) as memory:
        with pytest.raises(ToolError, match="is no path"):
            await memory.remember(context, [Note("x", {"path": path})])
        assert "is no path" in await Agent(memory, context).call("view", path=path)
    assert set(kept(context)) == set(FILES)


async def test_files_stay_within_their_bounds() -> None:
    context = ScriptedContext()
    async with lent(context, most=3, longest=30, together=40) as memory:

        async def write(path: str, characters: int) -> None:
            await memory.remember(context, [Note("x" * characters, {"path": path})])

        with pytest.raises(ToolError, match="31 characters; 30 fit"):
            await write("garden.txt", 31)
        with pytest.raises(ToolError, match="4 files of 3"):
            await write("more.txt", 1)
        with pytest.raises(ToolError, match="41 characters of 40"):
            await write("garden.txt", 12)
        await write("garden.txt", 11)
        assert kept(context)["garden.txt"] == "x" * 11


async def test_a_file_without_a_path_gets_one() -> None:
    context = ScriptedContext()
    async with lent(context) as memory:
        one, other = await memory.remember(context, [Note("a"), Note("b")])
        assert one.id != other.id
        assert one.id.startswith("notes/")


async def test_files_are_forgotten_by_path_by_id_by_folder_and_by_words() -> None:
    context = ScriptedContext()
    async with lent(context) as memory:

        async def forget(text: str = "", **fields: Any) -> list[str]:
            return [one.id for one in await memory.forget(context, Query(text, fields=fields))]

        assert await forget("dunnock") == ["birds/may.txt"]
        assert await forget(path="birds") == ["birds/june.txt"]
        assert await forget(ids=["garden.txt", "no.txt"]) == ["garden.txt"]
        with pytest.raises(ToolError, match="Nothing to delete"):
            await forget()


LINE = st.text(alphabet="ab", max_size=3)
TEXT = st.lists(LINE, min_size=1, max_size=5).map("\n".join)


@given(TEXT, TEXT, st.data())
def test_what_was_inserted_stands_there_and_the_rest_is_as_it_was(text: str, new: str, data: Any) -> None:
    lines = text.split("\n") if text else []
    line = data.draw(st.integers(0, len(lines)))
    got = inserted(text, line, new + "\n").split("\n")
    added = new.split("\n")
    assert got[line : line + len(added)] == added
    assert got[:line] + got[line + len(added) :] == lines


@given(TEXT)
def test_numbered_lines_are_the_lines(text: str) -> None:
    assert [one.split("\t", 1)[1] for one in numbered(text).split("\n")] == text.split("\n")


@given(TEXT, st.text(alphabet="ab\n", min_size=1, max_size=3))
def test_a_text_is_replaced_where_it_stands_once_only(text: str, old: str) -> None:
    if text.count(old) == 1:
        assert replaced(text, old, "X", "a").replace("X", old) == text
    else:
        with pytest.raises(ToolError):
            replaced(text, old, "X", "a")


def test_the_root_of_memories_may_be_written_or_left_out() -> None:
    assert [path_in(one) for one in ("/memories/a/b.txt", "a/b.txt", "/a/b.txt/", "/memories", "/")] == [
        "a/b.txt", "a/b.txt", "a/b.txt", "", "",
    ]  # fmt: skip
