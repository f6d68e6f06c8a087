"""What a flow cannot write, though it lies in the project, and what writing leaves behind."""

import os
import time
from pathlib import Path

import pytest

from studio.runtime.resources.folder import ProjectFolder
from studio.sdk import ToolError

FLOW = '{"format": "stepwire.flow", "version": 1, "name": "x", "nodes": {}, "wires": []}'


@pytest.mark.parametrize(
    "path",
    [
        "nodes/evil.py",
        "nodes/data.txt",
        "Nodes/evil.py",
        "bin/tool",
        "data/../bin/tool",
        "venv/bin/python",
        "venv/lib/python3.11/site-packages/json.py",
        "server/node_modules/left/index.js",
        "data/__pycache__/a.pyc",
        "openai.py",
        "sitecustomize.pth",
        "fast.SO",
        "project.json",
        "Project.json",
    ],
)
def test_nothing_is_written_where_programs_are_started_from(path: str, tmp_path: Path) -> None:
    folder = ProjectFolder(tmp_path)
    for write in (folder.write_text, folder.append_text):
        with pytest.raises(ToolError, match=r"programs are started|Stepwire document"):
            write(path, "import os")
    assert list(tmp_path.rglob("*")) == []


@pytest.mark.parametrize("path", ["data/tool.py", "data/nodes/a.txt", "out/binary.txt", "notes.txt", "bin"])
def test_what_only_looks_like_it_is_written(path: str, tmp_path: Path) -> None:
    ProjectFolder(tmp_path).write_text(path, "x")
    assert (tmp_path / path).read_text() == "x"


def test_a_folder_inside_the_project_is_no_way_around_it(tmp_path: Path) -> None:
    (tmp_path / "nodes").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "link").symlink_to(tmp_path / "nodes")
    with pytest.raises(ToolError, match="programs are started"):
        ProjectFolder(tmp_path, "nodes").write_text("evil.py", "x")
    with pytest.raises(ToolError, match="programs are started"):
        ProjectFolder(tmp_path).write_text("data/link/evil.py", "x")


def test_flows_and_projects_are_no_data(tmp_path: Path) -> None:
    (tmp_path / "flow.json").write_text(FLOW)
    (tmp_path / "plain.json").write_text("{}")
    folder = ProjectFolder(tmp_path)
    with pytest.raises(ToolError, match="Stepwire document"):
        folder.write_text("flow.json", "{}")
    folder.write_text("plain.json", "[]")
    assert (tmp_path / "flow.json").read_text() == FLOW


def test_a_program_is_not_written_over(tmp_path: Path) -> None:
    program = tmp_path / "run"
    program.write_text("true")
    program.chmod(0o755)
    folder = ProjectFolder(tmp_path)
    with pytest.raises(ToolError, match="is a program"):
        folder.append_text("run", "rm -r /")
    with pytest.raises(ToolError, match="is a program"):
        folder.database("run", write=True)
    assert program.read_text() == "true"


@pytest.mark.parametrize("path", ["a\0b", "a" * 300, "\ud800", "x/" * 3000])
def test_what_no_file_can_be_called_is_said_no_to(path: str, tmp_path: Path) -> None:
    folder = ProjectFolder(tmp_path)
    for ask in (folder.read_text, folder.read_bytes, folder.exists, folder.database):
        with pytest.raises(ToolError, match="not a valid path"):
            ask(path)
    with pytest.raises(ToolError, match="not a valid path"):
        folder.write_text(path, "x")


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*", "a.txt b/c.md b/d/e.txt"),
        ("*.txt", "a.txt b/d/e.txt"),
        ("**.txt", "a.txt b/d/e.txt"),
        ("**/*.txt", "a.txt b/d/e.txt"),
        ("b/*", "b/c.md"),
        ("./b/**/*.txt", "b/d/e.txt"),
        ("/b/*", "b/c.md"),
        ("../*", ""),
        ("[", ""),
        ("/".join(["**"] * 40), "a.txt b/c.md b/d/e.txt"),
    ],
)
def test_whatever_pattern_is_asked_for_names_what_fits(pattern: str, found: str, tmp_path: Path) -> None:
    for name in ("a.txt", "b/c.md", "b/d/e.txt", ".hidden/f.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    assert ProjectFolder(tmp_path).names(pattern) == found.split()


def test_what_a_killed_process_left_half_written_goes_with_the_next_file(tmp_path: Path) -> None:
    old, fresh = tmp_path / ".writing-abcdefgh", tmp_path / ".writing-ijklmnop"
    for path, age in ((old, 7200.0), (fresh, 1.0)):
        path.write_text("Half a")
        os.utime(path, (time.time() - age, time.time() - age))
    ProjectFolder(tmp_path).write_text("note.txt", "Whole.")
    assert sorted(one.name for one in tmp_path.iterdir()) == [fresh.name, "note.txt"], "another may write it"
