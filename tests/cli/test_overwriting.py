"""What commands write never takes away what somebody made: it is refused before anything is written."""

import os
from pathlib import Path

import pytest

from tests.cli.conftest import Call


@pytest.fixture
def written(project: Path, call: Call) -> list[tuple[Path, bytes]]:
    """A project that was run once; all of its files, and what is in them."""
    assert call("run", project, "--input", "question=why").code == 0
    (project / "notes.txt").write_text("What I thought.")
    (project / "photo.png").write_bytes(b"\x89PNG of the garden")
    found = [one for one in project.rglob("*") if one.is_file() and one.suffix not in {".db", ".lock"}]
    return [(one, one.read_bytes()) for one in found]


@pytest.mark.parametrize(
    "command",
    [
        ("export", "{project}", "-o"),
        ("runs", "bundle", "latest", "--project", "{project}", "-o"),
    ],
    ids=["export", "bundle"],
)
def test_no_command_writes_over_what_it_did_not_make(
    command: tuple[str, ...], project: Path, call: Call, written: list[tuple[Path, bytes]]
) -> None:
    wanted = [one.format(project=project) for one in command]
    for path, before in written:
        told = call(*wanted, path)
        assert told.code == 2, path
        assert "would be lost" in told.err or "has to end in" in told.err
        assert path.read_bytes() == before


def test_what_is_read_is_not_even_written_over_by_force(project: Path, call: Call) -> None:
    flow = project / "flow.json"
    before = flow.read_bytes()
    linked, hard = project / "linked.py", project / "hard.py"
    linked.symlink_to(flow)
    os.link(flow, hard)
    for target in (flow, linked, hard):
        told = call("export", project, "-o", target, "--force")
        assert told.code == 2
        assert "is one of the files being read" in told.err
    assert flow.read_bytes() == before


def test_what_it_made_before_is_written_anew_and_the_rest_with_force(
    project: Path, call: Call, tmp_path: Path
) -> None:
    assert call("run", project, "--input", "question=why").code == 0
    mine = tmp_path / "mine.py"
    mine.write_text("print('mine')\n")
    assert call("export", project, "-o", mine).code == 2
    assert call("export", project, "-o", mine, "--force").code == 0
    assert call("export", project, "-o", mine).code == 0
    assert "Exported by Stepwire" in mine.read_text("utf-8")
    bundle = tmp_path / "run.swrun"
    for _ in range(2):
        assert call("runs", "bundle", "latest", "--project", project, "-o", bundle).code == 0


def test_items_of_a_memory_go_over_items_only(project: Path, call: Call, tmp_path: Path) -> None:
    items, other = tmp_path / "items.jsonl", tmp_path / "other.jsonl"
    items.write_text('{"id": "1", "text": "An owl."}\n')
    assert call("memory", "import", "birds", items, "--kind", "memory.notes", "--project", project).code == 0
    other.write_text('{"case": "what I tried"}\n')
    told = call("memory", "export", "birds", "--project", project, "-o", other)
    assert told.code == 2, told.err
    assert "is no file of a memory's items" in told.err
    assert call("memory", "export", "birds", "--project", project, "-o", items).code == 0
