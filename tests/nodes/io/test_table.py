import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.io.append_row import append_row
from nodes.io.table import table
from studio.errors import SettingsError
from studio.runtime.resources.folder import ProjectFolder
from studio.sdk import Folder, ToolError
from studio.sdk.node import node_type_of
from studio.sdk.testing import ScriptedContext, run_bench
from studio.sdk.tool import Effect


class OnDisk(ScriptedContext):
    """A context whose folder is a real one."""

    def __init__(self, root: Path) -> None:
        super().__init__()
        self._root = root

    def folder(self, path: str = "") -> Folder:
        return ProjectFolder(self._root, path)


async def rows_of(text: str, name: str = "a.csv", **settings: Any) -> Any:
    context = ScriptedContext(files={name: text})
    return (await run_bench(table, {}, {"file": name, **settings}, context))["rows"]


async def test_csv_has_names_quotes_and_blank_lines() -> None:
    text = '\ufeffname,note\nwren,"one\ntwo"\n\ntit\n'
    assert await rows_of(text) == [{"name": "wren", "note": "one\ntwo"}, {"name": "tit", "note": ""}]
    assert await rows_of("a\tb\n1\t2", "a.tsv") == [{"a": "1", "b": "2"}]
    assert await rows_of("a;b\n1;2\n3;4", delimiter=";", most=1) == [{"a": "1", "b": "2"}]
    assert await rows_of("") == []


@pytest.mark.parametrize(
    ("text", "said"), [("a,b\n1,2,3", "Row 1"), ("a,a\n1,2", "same name"), ('a\n"x', "Line 2")]
)
async def test_what_is_wrong_with_csv_is_said(text: str, said: str) -> None:
    with pytest.raises(ToolError, match=said):
        await rows_of(text)


async def test_json_lines_hold_any_value() -> None:
    assert await rows_of('{"a": 1}\n\n[2]\n', "a.jsonl") == [{"a": 1}, [2]]
    with pytest.raises(ToolError, match="Line 2"):
        await rows_of('{"a": 1}\nNaN', "a.jsonl")


async def test_a_file_that_says_nothing_of_its_format_is_asked_about() -> None:
    with pytest.raises(ToolError, match="extension"):
        await rows_of("a\n1", "rows.txt")
    assert await rows_of("a\n1", "rows.txt", format="csv") == [{"a": "1"}]
    with pytest.raises(SettingsError):
        await rows_of("a\n1", delimiter="::")


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    with closing(sqlite3.connect(tmp_path / "birds.db")) as made:
        made.execute("PRAGMA journal_mode = WAL")
        made.execute("CREATE TABLE bird (name TEXT, count INTEGER, sound BLOB)")
        made.execute("INSERT INTO bird VALUES ('wren', 2, x'00'), ('tit', 1, NULL)")
        made.commit()
    return tmp_path


async def queried(root: Path, query: str, parameters: Any = None, **settings: Any) -> Any:
    given = {"parameters": parameters} if parameters is not None else {}
    settings = {"file": "birds.db", "query": query, **settings}
    return (await run_bench(table, given, settings, OnDisk(root)))["rows"]


async def test_a_query_takes_values_that_cannot_become_sql(birds: Path) -> None:
    query = "SELECT name, count FROM bird WHERE name = :name"
    assert await queried(birds, query, {"name": "wren"}) == [{"name": "wren", "count": 2}]
    assert await queried(birds, query, {"name": "' OR 1 = 1 --"}) == []
    assert await queried(birds, "SELECT name FROM bird ORDER BY 1", most=1) == [{"name": "tit"}]


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM bird",
        "CREATE TABLE x (y)",
        "ATTACH 'other.db' AS other",
        "VACUUM INTO 'copy.db'",
        "PRAGMA writable_schema = 1",
        "SELECT load_extension('x')",
        "SELECT 1; SELECT 2",
        "SELECT name, name FROM bird",
        "SELECT sound FROM bird",
        "SELECT :missing",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) AS i FROM n",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
        "SELECT hex(zeroblob(9999999)) AS x",
        "",
        "nonsense",
    ],
)
async def test_a_query_can_only_read_and_not_for_ever(birds: Path, query: str) -> None:
    before = (birds / "birds.db").read_bytes()
    with pytest.raises(ToolError):
        await queried(birds, query)
    assert (birds / "birds.db").read_bytes() == before
    assert ProjectFolder(birds).names() == ["birds.db"]


async def test_a_database_that_is_being_written_is_not_read(birds: Path) -> None:
    with closing(sqlite3.connect(birds / "birds.db")) as writer:
        writer.execute("INSERT INTO bird VALUES ('owl', 1, NULL)")
        writer.commit()
        with pytest.raises(ToolError, match="in use"):
            await queried(birds, "SELECT name FROM bird")


async def test_nothing_outside_of_the_project_is_read(birds: Path) -> None:
    (birds / "inner").mkdir()
    with pytest.raises(ToolError, match="leads out"):
        await queried(birds / "inner", "SELECT 1 AS one", file="../birds.db")


async def appended(rows: list[Any], files: dict[str, str], **settings: Any) -> dict[str, str]:
    context = ScriptedContext(files=files)
    for row in rows:
        await run_bench(append_row, {"row": row}, settings, context)
    return context.files


async def test_rows_go_under_the_columns_that_are_there() -> None:
    rows = [{"b": 1, "a": "x, y"}, {"a": None}]
    assert await appended(rows, {"a.csv": "a,b"}, file="a.csv") == {"a.csv": 'a,b\n"x, y",1\n,\n'}
    assert await appended([{"a": [1], "b": "ü"}], {}, file="new.csv") == {"new.csv": "a,b\n[1],ü\n"}
    assert await appended([{"a": 1}, "ü"], {}, file="a.jsonl") == {"a.jsonl": '{"a": 1}\n"ü"\n'}


@pytest.mark.parametrize(
    ("row", "file", "said"),
    [
        ({"c": 1}, "a.csv", "no column `c`"),
        ([1], "a.csv", "object"),
        ({}, "a.csv", "object"),
        (1, "a.db", "sqlite"),
    ],
)
async def test_a_row_that_has_no_place_is_refused(row: Any, file: str, said: str) -> None:
    with pytest.raises(ToolError, match=said):
        await appended([row], {"a.csv": "a,b\n"}, file=file)


def test_appending_is_a_side_effect() -> None:
    assert node_type_of(append_row).effect is Effect.SIDE_EFFECT


cells = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\r\x00"))


@given(st.lists(st.fixed_dictionaries({"a": cells, "b": cells}), max_size=4))
async def test_what_was_appended_is_read_back(rows: list[dict[str, str]]) -> None:
    context = ScriptedContext()
    for row in rows:
        await run_bench(append_row, {"row": row}, {"file": "a.csv"}, context)
    if rows:
        assert (await run_bench(table, {}, {"file": "a.csv"}, context))["rows"] == rows
