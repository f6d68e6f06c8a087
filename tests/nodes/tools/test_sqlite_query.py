"""A database as a tool."""

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from nodes.tools.sqlite_query import parameters_of, sqlite_query
from studio.llm.client import ToolCall
from studio.runtime.resources.folder import ProjectFolder
from studio.sdk import Folder
from studio.sdk.testing import ScriptedContext, call_tools
from tests.export.equality import Row, both
from tests.runtime.bench import flow_of


class OnDisk(ScriptedContext):
    """A context whose folder is a real one, and whose work aside is on a thread."""

    def __init__(self, root: Path) -> None:
        super().__init__()
        self._root = root

    def folder(self, path: str = "") -> Folder:
        return ProjectFolder(self._root, path)

    async def aside(self, work: Any) -> Any:
        return await asyncio.to_thread(work)


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    with closing(sqlite3.connect(tmp_path / "birds.db")) as made:
        made.execute("CREATE TABLE bird (name TEXT, seen INTEGER)")
        made.executemany("INSERT INTO bird VALUES (?, ?)", [("wren", 2), ("heron", 1), ("owl", None)])
        made.commit()
    (tmp_path / "other.db").write_bytes((tmp_path / "birds.db").read_bytes())
    return tmp_path


def contents(root: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in root.iterdir()}


async def asked(root: Path, query: str, settings: Any = None, **parameters: object) -> Any:
    arguments = json.dumps({"query": query, "parameters": parameters})
    [text] = await call_tools(
        sqlite_query,
        {"file": "birds.db", **(settings or {})},
        [ToolCall("1", "query", arguments)],
        OnDisk(root),
    )
    try:
        return json.loads(text)
    except ValueError:
        return text


async def test_rows_come_as_json_and_values_never_become_sql(birds: Path) -> None:
    sql = "SELECT name, seen FROM bird WHERE name = :name"
    assert await asked(birds, sql, name="owl") == {"rows": [{"name": "owl", "seen": None}]}
    assert await asked(birds, sql, name="' OR 1=1 --") == {"rows": []}


async def test_of_many_rows_the_first_are_told(birds: Path) -> None:
    said = await asked(birds, "SELECT name FROM bird", {"most": 2})
    assert said == {"rows": [{"name": "wren"}, {"name": "heron"}], "more": "There are more than 2 rows."}


@pytest.mark.parametrize(
    "statement",
    [
        *("DELETE FROM bird", "CREATE TABLE a (b)", "PRAGMA user_version = 3", "DROP TABLE bird"),
        *("ATTACH 'other.db' AS o", "VACUUM INTO 'copy.db'", "SELECT load_extension('x')"),
        "SELECT 1; DELETE FROM bird",
    ],
)
async def test_it_only_reads(birds: Path, statement: str) -> None:
    before = contents(birds)
    assert "cannot be run" in await asked(birds, statement)
    assert contents(birds) == before


async def test_where_writing_is_allowed_it_writes_its_own_file_alone(birds: Path) -> None:
    before = (birds / "other.db").read_bytes()
    write = {"write": True}
    assert await asked(birds, "DELETE FROM bird WHERE seen > :n", write, n=1) == {"changed": 1}
    assert await asked(birds, "SELECT count(*) AS n FROM bird") == {"rows": [{"n": 2}]}
    for statement in (
        f"ATTACH '{birds}/other.db' AS o",
        f"VACUUM INTO '{birds}/copy.db'",
        "PRAGMA wal_checkpoint",
    ):
        assert "cannot be run" in await asked(birds, statement, write)
    assert (birds / "other.db").read_bytes() == before
    assert not (birds / "copy.db").exists()


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ("SELECT :a", 10**30),
        ("SELECT :a", [1]),
        ("SELECT :a", "\ud800"),
        ("SELECT '\ud800'", 1),
        ("SELECT 1; SELECT 2", 1),
        ("SELECT hex(zeroblob(4000000)) AS x FROM bird", 1),
    ],
)
async def test_what_no_database_can_answer_is_said_in_words(birds: Path, query: str, value: object) -> None:
    assert "The query cannot" in (said := await asked(birds, query, a=value)) or "characters in total" in said


async def test_two_databases_of_one_agent_are_told_apart(birds: Path) -> None:
    names: list[str] = []
    for name in ("query", "moths"):
        async for tools in sqlite_query(OnDisk(birds), file="birds.db", name=name):
            names += [tool.name for tool in tools]
    assert names == ["list_tables", "query", "moths_tables", "moths"]


async def test_what_takes_too_long_is_cut_off(birds: Path) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    assert "interrupted" in await asked(birds, endless, {"seconds": 0.1})


async def test_when_the_step_is_stopped_the_query_is_as_well(birds: Path) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()

    class Watched(OnDisk):
        async def aside(self, work: Any) -> Any:
            def watched() -> Any:
                loop.call_soon_threadsafe(begun.set)
                try:
                    return work()
                finally:
                    loop.call_soon_threadsafe(ended.set)

            return await asyncio.to_thread(watched)

    begun = asyncio.Event()
    calls = [ToolCall("1", "query", json.dumps({"query": endless}))]
    settings = {"file": "birds.db", "seconds": 60}
    task = asyncio.create_task(call_tools(sqlite_query, settings, calls, Watched(birds)))
    await begun.wait()
    task.cancel()
    async with asyncio.timeout(5):
        await ended.wait()


async def test_nothing_outside_of_the_project_is_opened(birds: Path) -> None:
    (birds / "inner").mkdir()
    assert "leads out" in await asked(birds / "inner", "SELECT 1", {"file": "../birds.db"})
    assert "no file" in await asked(birds, "SELECT 1", {"file": "none.db"})


def test_the_names_in_a_query_become_arguments() -> None:
    query = "SELECT ':no', x::y -- :nor\n FROM t WHERE a = :one AND b = :Two OR c = :one"
    assert parameters_of(query)["required"] == ["one", "Two"]


FLOW = flow_of(
    {
        "call": ("control.call_tool", {"fields": ["least"]}, {"least": 1}),
        "data": (
            "tools.sqlite_query",
            {"file": "birds.db", "query": "SELECT name FROM bird WHERE seen > :least"},
        ),
        "out": "io.flow_output",
    },
    ["data.tool -> call.tool[0]", "call.json -> out.value"],
)


def test_a_query_of_the_flow_gives_the_same_in_a_run_and_in_a_script(birds: Path) -> None:
    ran = both(Row(FLOW), birds, homes=(birds, birds))
    assert ran.outputs == {"out": {"rows": [{"name": "wren"}]}}
