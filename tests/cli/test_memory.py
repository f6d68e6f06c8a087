"""`stepwire memory`: what a project remembers, looked through, edited, taken out and in, and mended."""

import json
from pathlib import Path
from typing import cast

import pytest

from studio.app.memories.item_lines import read_lines, write_lines
from studio.cli.main import main
from studio.flow.files import codec
from studio.sdk.items import Item
from studio.store.memories.file_names import MEMORIES, file_of
from tests.app.written_projects import write_project
from tests.cli.conftest import Call
from tests.export.test_memories import OUT, noting
from tests.runtime.bench import flow_of
from tests.script.commands import run_script

PLAN = Item("plan", "Ask Ada about the hedge.", {"of": "birds"}, "2026-11-21T10:00:00+00:00", "writer")
DRAFT = Item("draft", "A dunnock sang.", {}, "2026-11-21T10:01:00+00:00", "writer", labels=("io.input",))


@pytest.fixture
def kept(call: Call, project: Path) -> Path:
    """The project, with two notes."""
    write_lines([PLAN, DRAFT], project / "notes.jsonl")
    came = call(
        "memory", "import", "notes", project / "notes.jsonl", "--kind", "memory.notes", "--project", project
    )
    assert came.out == "2 items are now in `notes`.\n"
    return project


def ids(call: Call, project: Path) -> list[str]:
    found = call("memory", "show", "notes", "--project", project, "--json").json
    return [one["id"] for one in cast("list[dict[str, str]]", found)]


def test_memories_are_listed_with_kind_and_size(call: Call, kept: Path) -> None:
    listed = call("memory", "list", "--project", kept)
    assert listed.out.startswith("notes  memory.notes  2 items  ")
    (one,) = call("memory", "list", "--project", kept, "--json").json  # type: ignore[misc]
    assert (one["name"], one["items"], one["version"], one["trouble"]) == ("notes", 2, 1, "")


def test_a_project_without_memories_says_so(call: Call, project: Path) -> None:
    assert "no memories yet" in call("memory", "list", "--project", project).out
    missing = call("memory", "show", "notes", "--project", project)
    assert missing.code == 2
    assert "no memory `notes`" in missing.err


def test_items_are_shown_in_lines_and_wholly(call: Call, kept: Path) -> None:
    shown = call("memory", "show", "notes", "--limit", 1, "--project", kept).out
    assert shown.splitlines() == [
        "draft  2026-11-21 10:01:00  by writer  A dunnock sang.",
        "… 1 of 2; `--limit N` shows more.",
    ]
    whole = call("memory", "show", "notes", "plan", "--project", kept).out
    assert "  of  birds\n  | Ask Ada about the hedge." in whole


def test_words_are_searched_everywhere_in_an_item(call: Call, kept: Path) -> None:
    assert call("memory", "search", "notes", "BIRDS", "ada", "--project", kept).out.startswith("plan  ")
    assert call("memory", "search", "notes", "crow", "--project", kept).out.startswith("No item")


def test_what_was_forgotten_comes_back(call: Call, kept: Path) -> None:
    gone = call("memory", "remove", "notes", "plan", "--project", kept)
    assert gone.out.startswith("1 item")
    assert ids(call, kept) == ["draft"]
    assert call("memory", "remove", "notes", "--all", "--project", kept).code == 0
    assert ids(call, kept) == []
    call("memory", "undo", "notes", "--project", kept)
    call("memory", "undo", "notes", "--project", kept)
    assert ids(call, kept) == ["plan", "draft"]


def test_what_is_to_be_forgotten_has_to_be_said_and_to_be_there(call: Call, kept: Path) -> None:
    assert call("memory", "remove", "notes", "--project", kept).code == 2
    assert "no item `aim`" in call("memory", "remove", "notes", "aim", "--project", kept).err
    assert ids(call, kept) == ["plan", "draft"]


def test_an_export_has_all_of_every_item(call: Call, kept: Path, tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    assert call("memory", "export", "notes", "-o", path, "--project", kept).code == 0
    assert read_lines(path) == [PLAN, DRAFT]


def test_a_damaged_memory_is_told_and_mended(call: Call, kept: Path) -> None:
    path = file_of(kept / MEMORIES, "notes")
    path.write_bytes(b"\0" * 100 + path.read_bytes()[100:])
    assert "trouble  `notes.memory` is damaged" in call("memory", "list", "--project", kept).out
    assert call("memory", "remove", "notes", "--all", "--project", kept).code != 0
    mended = call("memory", "mend", "notes", "--project", kept)
    assert mended.code == 0
    assert "trouble" not in call("memory", "list", "--project", kept).out


def test_a_run_says_what_its_memories_were_and_what_is_wrong_with_them(call: Call, kept: Path) -> None:
    flow = {
        "format": "stepwire.flow",
        "version": 1,
        "nodes": {
            "notes": {"kind": "memory.notes", "settings": {"keep": "project"}},
            "note_it": {"kind": "memory.remember", "inputs": {"texts": ["x"], "fields": {"key": "aim"}}},
        },
        "wires": ["notes.memory -> note_it.memory"],
    }
    (kept / "flow.json").write_text(json.dumps(flow))
    assert call("run", kept).code == 0
    assert ids(call, kept) == ["plan", "draft", "aim"]
    shown = call("runs", "show", "latest", "--project", kept)
    assert "  memory   notes: memory.notes, 2 items of version 1 in the project, 1 changed" in shown.out

    fork = call("replay", "latest", "--live", "--set", 'note_it.texts=["y"]', "--project", kept)
    assert fork.code == 0
    assert call("memory", "show", "notes", "aim", "--project", kept).out.endswith("  | x\n")
    assert call("memory", "take", "latest", "--project", kept).code == 0
    assert call("memory", "show", "notes", "aim", "--project", kept).out.endswith("  | y\n")

    path = file_of(kept / MEMORIES, "notes")
    path.write_bytes(b"\0" * 100 + path.read_bytes()[100:])
    damaged = call("run", kept)
    assert damaged.code == 0
    assert "  memory   notes: `notes.memory` was damaged" in damaged.err


def test_what_an_older_exported_script_remembers_is_imported(call: Call, project: Path) -> None:
    stored = Path(__file__).parents[1] / "app" / "memories" / "birds.memory.sqlite"
    asked = ("memory", "import", "notes", stored, "--kind", "memory.notes", "--project", project)
    assert call(*asked).out == "2 items are now in `notes`.\n"
    assert sorted(ids(call, project)) == ["owl", "wren"]
    (project / "no.memory.sqlite").write_bytes(b"SQLite format 3\0 and no more")
    other = call("memory", "import", "notes", project / "no.memory.sqlite", "--project", project)
    assert (other.code, "not a memory of an exported script" in other.err) == (2, True)


def test_a_memory_of_a_called_flow_is_the_one_that_drawn_runs_use(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nodes = {"word": "io.flow_input", "inner": ("control.subflow", {"flow": "keep it.json"}), "out": OUT}
    outer = json.loads(codec.dumps(flow_of(nodes, [])))
    outer["wires"] = ["word.value -> inner.word", "inner.out -> out.value"]
    write_project(tmp_path, flow=outer)
    (tmp_path / "keep it.json").write_text(json.dumps({**noting({}), "name": "Notes on birds"}), "utf-8")
    path, folder = tmp_path / "flow.json", tmp_path / "data" / "memories"
    folder.mkdir(parents=True)
    file_of(folder, "notes_on_birds:notes").write_bytes(b"")
    arguments = ["export", str(path), "-o", str(tmp_path / "script.py"), "--kit"]
    assert main(arguments) == 0
    assert "earlier exports used `notes_on_birds:notes`" in capsys.readouterr().err
    file_of(folder, "notes_on_birds:notes").unlink()
    said: list[str] = []
    for word, run in (("bird one", _drawn), ("bird two", _written), ("bird three", _drawn)):
        said.append(run(tmp_path, word, capsys))
    assert [one.count("bird") for one in said] == [1, 2, 3]
    assert list(folder.iterdir()) == [file_of(folder, "keep_it_json:notes")]
    assert main(["apply", str(tmp_path / "script.py")]) == 0
    assert "have the same texts and settings" in capsys.readouterr().out


def _drawn(folder: Path, word: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["run", str(folder), "--input", f"word={word}"]) == 0
    return capsys.readouterr().out


def _written(folder: Path, word: str, capsys: pytest.CaptureFixture[str]) -> str:
    script = folder / "script.py"
    assert run_script(script, script.read_text("utf-8"), "--word", word) == 0
    return str(json.loads(capsys.readouterr().out)["out"])
