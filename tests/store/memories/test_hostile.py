"""Files of memories that somebody made to do harm to who only looks."""

import os
import zlib
from pathlib import Path

import pytest
from pydantic_core import to_json

from studio.sdk.items import Item
from studio.store.memories import contents
from studio.store.memories.rows import APPLICATION, COLUMNS, FORMAT
from studio.store.memories.sql import Database
from tests.store.memories.kept import opened, path_of, put, save, texts, trouble

ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"


def change(path: Path, *statements: str) -> None:
    database = Database.of(path, can_write=True, patience=0)
    for one in statements:
        database.do(one)
    database.close()


@pytest.mark.parametrize("form", [FORMAT, FORMAT + 1])
def test_a_view_in_the_place_of_the_items_is_not_read(tmp_path: Path, form: int) -> None:
    columns = "x row, x place, 1 born, NULL gone, 'a' id, '' text, x'' data, '' at, '' by, x'' labels"
    change(
        path_of(tmp_path),
        f"PRAGMA application_id = {APPLICATION}",
        f"PRAGMA user_version = {form}",
        "CREATE TABLE memory(id, name, kind, version, oldest, places)",
        "INSERT INTO memory VALUES (1, 'notes', 'memory.notes', 1, 0, 1)",
        f"CREATE VIEW items AS {ENDLESS} SELECT {columns}, x'' vector, 0 sum FROM c WHERE x < 0",  # noqa: S608
    )
    assert trouble(tmp_path) != ""
    assert save(tmp_path, "k", put("a one")) != ""


@pytest.mark.parametrize(
    "more",
    [
        "CREATE TRIGGER t AFTER UPDATE ON memory BEGIN DELETE FROM items; END",
        "CREATE VIEW v AS SELECT 1",
        "CREATE VIRTUAL TABLE f USING fts5(x)",
        "CREATE TABLE other(x CHECK (length(randomblob(100000000)) > 0))",
    ],
)
def test_what_does_not_belong_into_a_file_is_not_run_and_the_items_stay(tmp_path: Path, more: str) -> None:
    assert save(tmp_path, "k", put("a one", "b two")) == ""
    memory = opened(tmp_path)
    change(path_of(tmp_path), more)
    assert "does" in memory.save("later", put("c three"))
    memory.close()
    assert "2 of its items" in trouble(tmp_path)
    assert save(tmp_path, "k2", put("c three")) == ""
    assert texts(tmp_path) == ["a one", "b two", "c three"]


def test_what_leads_out_of_the_project_is_neither_read_nor_written(tmp_path: Path) -> None:
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    here.mkdir()
    assert save(elsewhere, "k", put("a secret")) == ""
    path_of(here).symlink_to(path_of(elsewhere))
    assert texts(here) == []
    assert "is not a memory" in save(here, "k2", put("b two"))
    assert texts(elsewhere) == ["a secret"]


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(path_of(tmp_path))
    assert "is not a memory" in trouble(tmp_path)


def test_a_held_file_is_not_waited_for_with_each_save(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert save(tmp_path, "k", put("a one")) == ""
    memory = opened(tmp_path)
    other = Database.of(path_of(tmp_path), can_write=True, patience=0)
    other.do("BEGIN IMMEDIATE")
    monkeypatch.setattr(contents, "PATIENCE", 0.05)
    assert "in use" in memory.save("first", put("b two"))
    monkeypatch.setattr(contents, "PATIENCE", 1000.0)
    assert "in use" in memory.save("second", put("c three"))
    other.do("ROLLBACK")
    assert memory.save("third", put("d four")) == ""
    memory.close()
    other.close()
    assert texts(tmp_path) == ["a one", "d four"]


@pytest.mark.parametrize(
    "item",
    [
        Item("a", "x", data=["not", "an", "object"]),  # type: ignore[arg-type]
        Item(b"a", "x"),  # type: ignore[arg-type]
        Item("a", "x", labels=(1,)),  # type: ignore[arg-type]
    ],
)
def test_a_row_whose_sum_is_right_but_which_is_no_item_is_left_out(tmp_path: Path, item: Item) -> None:
    assert save(tmp_path, "k", put("b two")) == ""
    database = Database.of(path_of(tmp_path), can_write=True, patience=0)
    content = (item.id, item.text, to_json(item.data), "", "", to_json(item.labels), b"")
    total = zlib.crc32(b"1 1")
    for one in content:
        total = zlib.crc32(one.encode() if isinstance(one, str) else one, total)
    slots = ", ".join("?" * 11)
    database.do(f"INSERT INTO items({COLUMNS}) VALUES ({slots})", (1, 1, None, *content, total))  # noqa: S608
    database.close()
    assert "1 of its items" in trouble(tmp_path)
    assert texts(tmp_path) == ["b two"]
