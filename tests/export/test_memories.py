"""Memories in scripts: what takes effect when, for whom, and what is kept in a file."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from studio.flow.records import Flow
from tests.export import scripts, verifying
from tests.export.random_flows import KINDS
from tests.export.scripts import both, call, export
from tests.export.verifying import edited, verified
from tests.runtime import bench
from tests.runtime.bench import flow_of

OUT = "io.flow_output"
BIRDS = ["owl", "wren", "heron", "tit"]
GIVEN: dict[str, Any] = {"words": ("value.json", {"value": BIRDS})}


@pytest.fixture(autouse=True)
def kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (bench, scripts, verifying):
        monkeypatch.setattr(module, "REGISTRY", KINDS)


def mapped(at_once: int, failed: str = "drop", **scribe: Any) -> Flow:
    """Items that note themselves in a memory, and then a step that looks."""
    return flow_of(
        {
            **GIVEN,
            "birds": "test.words",
            "each": ("control.for_each", {"at_once": at_once}),
            "scribe": ("test.scribe", {"name": "each", **scribe}),
            "all": ("control.collect", {"failed": failed}),
            "last": ("test.scribe", {"name": "last"}, {"one": "robin"}),
            "out": OUT,
            "also": OUT,
        },
        [
            "words.value -> each.items",
            "each.item -> scribe.one",
            "birds.memory -> scribe.memory",
            "scribe.text -> all.value",
            "all.values -> out.value",
            "all.then -> last.after",
            "birds.memory -> last.memory",
            "last.text -> also.value",
        ],
    )


def row(*names: str, **settings: Any) -> Flow:
    """Steps that note something in a memory, one after the other."""
    nodes: dict[str, Any] = {"birds": "test.words"}
    wires: list[str] = []
    for place, name in enumerate(names):
        nodes[name] = ("test.scribe", {"name": name, **settings}, {"one": BIRDS[place]})
        nodes[f"out_{name}"] = OUT
        wires += [f"birds.memory -> {name}.memory", f"{name}.text -> out_{name}.value"]
        wires += [f"{names[place - 1]}.then -> {name}.after"] if place else []
    return flow_of(nodes, wires)


FLOWS = {
    "steps after one another": row("one", "two", "three"),
    "what one of them forgets": row("one", "two", "three", forgets="wren"),
    "items at once, which see what was there before": mapped(8),
    "items in turn, which see one another": mapped(1),
    "an item that fails, and leaves nothing": mapped(8, fails_on="wren"),
    "one that fails in turn": mapped(1, fails_on="wren"),
    "a failing one that is kept": mapped(2, "keep", fails_on="heron"),
    "a failing one that ends the run": mapped(2, "fail", fails_on="heron"),
}


@pytest.mark.parametrize("name", FLOWS)
def test_what_a_script_remembers_takes_effect_when_and_where_it_does_in_a_run(
    name: str, tmp_path: Path
) -> None:
    engine, script = both(FLOWS[name], tmp_path)
    assert script == engine
    if "ends the run" not in name:
        assert "owl" in str(engine)


@pytest.mark.parametrize("name", FLOWS)
def test_a_script_is_played_against_what_the_run_read_and_wrote(name: str, tmp_path: Path) -> None:
    assert verified(FLOWS[name], tmp_path).difference is None


def test_a_script_that_writes_something_else_is_found_out(tmp_path: Path) -> None:
    flow = FLOWS["steps after one another"]
    found = verified(flow, tmp_path, edit=edited("{one} of {name}", "{one} by {name}")).difference
    assert found is not None
    assert found.what == "request"
    assert "writes to the memory `birds`" in found.sentence
    assert "owl" in found.sentence


def test_a_script_that_asks_for_something_else_is_found_out(tmp_path: Path) -> None:
    flow = FLOWS["steps after one another"]
    found = verified(flow, tmp_path, edit=edited('kept.read("all"', 'kept.read("some"')).difference
    assert found is not None
    assert "reads a memory" in found.sentence


def test_an_attempt_that_failed_leaves_nothing(tmp_path: Path) -> None:
    flow = flow_of(
        {
            "birds": "test.words",
            "one": ("test.scribe", {"fails_on": "owl"}, {"one": "owl"}, {"retries": 1, "on_error": "output"}),
            "two": ("test.scribe", {"name": "two"}, {"one": "wren"}),
            "out": OUT,
        },
        [
            "birds.memory -> one.memory",
            "birds.memory -> two.memory",
            "one.error -> two.after",
            "two.text -> out.value",
        ],
    )
    engine, script = both(flow, tmp_path)
    assert script == engine == {"out": " -> wren of two (two)"}


CALLED: Mapping[str, Flow] = {
    "nested.json": flow_of(
        {
            "birds": "test.words",
            "word": ("io.flow_input", {"type": "text"}),
            "scribe": ("test.scribe", {"name": "inner"}),
            "given": OUT,
        },
        ["birds.memory -> scribe.memory", "word.value -> scribe.one", "scribe.text -> given.value"],
    )
}


def test_the_memory_of_a_called_flow_is_another_than_the_callers_of_the_same_name(tmp_path: Path) -> None:
    flow = flow_of(
        {
            "birds": "test.words",
            "one": ("test.scribe", {"name": "one"}, {"one": "owl"}),
            "two": ("control.subflow", {"flow": "nested.json"}, {"word": "wren"}),
            "three": ("control.subflow", {"flow": "nested.json"}, {"word": "tit"}),
            "out": OUT,
            "also": OUT,
        },
        [
            "birds.memory -> one.memory",
            "one.then -> two.after",
            "two.then -> three.after",
            "two.given -> out.value",
            "three.given -> also.value",
        ],
    )
    engine, script = both(flow, tmp_path, flows=CALLED)
    assert script == engine
    assert engine["also"].startswith("wren of inner (scribe) -> ")


def kept() -> Flow:
    """A step that notes a word in a memory that lasts."""
    return flow_of(
        {
            "word": ("io.flow_input", {"type": "text"}),
            "birds": ("test.words", {"name": "Birds & co", "keep": "project"}),
            "one": ("test.scribe", {"name": "it", "forgets": "wren"}),
            "out": OUT,
        },
        ["birds.memory -> one.memory", "word.value -> one.one", "one.text -> out.value"],
    )


def test_a_script_keeps_a_memory_in_a_file_beside_it(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    export(kept(), script)
    said = [call(script, [f"--word={one}"]).outputs["out"] for one in ("owl", "wren", "tit")]
    assert said == [
        " -> owl of it (one)",
        "owl of it (one) -> owl of it (one)",
        "owl of it (one) -> owl of it (one), tit of it (one)",
    ]
    assert [one.name for one in tmp_path.glob("*.sqlite")] == ["Birds%20%26%20co.memory.sqlite"]


def test_a_failing_script_leaves_nothing_in_the_file(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    flow = mapped(2, "fail", fails_on="heron")
    export(flow, script)
    assert call(script).code == 1
    assert not list(tmp_path.glob("*.sqlite"))


@pytest.mark.parametrize("damage", ["no database", "of another kind"])
def test_a_file_that_is_none_of_the_memory_is_told_and_stays_as_it_is(damage: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    export(kept(), script)
    call(script, ["--word=owl"])
    path = next(tmp_path.glob("*.sqlite"))
    if damage == "no database":
        path.write_bytes(b"no database at all" * 100)
    else:
        with closing(sqlite3.connect(path)) as file, file:
            file.execute("UPDATE items SET kind = 'memory.other'")
    before = path.read_bytes()
    ended = call(script, ["--word=tit"])
    assert ended.code == 1
    assert "error: StepError: The memory `Birds & co`" in ended.err
    assert path.read_bytes() == before


def test_a_played_script_touches_no_file(tmp_path: Path) -> None:
    assert verified(kept(), tmp_path, {"word": "owl"}).difference is None
    assert not list(tmp_path.rglob("*.sqlite"))


def test_a_script_without_memories_has_nothing_of_them(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    text = export(
        flow_of({"word": ("text.text", {"text": "owl"}), "out": OUT}, ["word.text -> out.value"]), path
    )
    assert "memor" not in text.casefold()
    assert "class Memories" in export(mapped(8), path)
    assert "sqlite" not in path.read_text("utf-8")


def test_the_trace_of_a_script_tells_what_it_read(tmp_path: Path) -> None:
    script, trace = tmp_path / "script.py", tmp_path / "trace.jsonl"
    export(FLOWS["steps after one another"], script)
    assert call(script, [f"--trace={trace}"]).code == 0
    assert trace.read_text().count('"memory_read"') == 9
