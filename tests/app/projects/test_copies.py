from pathlib import Path

import pytest

from studio.app.projects.copies import copy_project, make_project, move_project
from studio.errors import UsageError
from studio.flow.files.codec import loads
from studio.flow.records import Flow
from tests.app.written_projects import write_project


@pytest.fixture
def source(tmp_path: Path) -> Path:
    root = write_project(tmp_path / "gallery" / "debate")
    for left in (".stepwire/runs", "out", "data/memories"):
        (root / left).mkdir(parents=True)
        (root / left / "left.txt").write_text("from a run", "utf-8")
    (root / "data" / "problems.jsonl").write_text("{}", "utf-8")
    return root


def test_a_copy_has_the_project_without_what_runs_left_in_it(source: Path, tmp_path: Path) -> None:
    copy = copy_project(source, tmp_path / "mine")
    assert copy.root == tmp_path / "mine" / "debate"
    files = {path.relative_to(copy.root).as_posix() for path in copy.root.rglob("*") if path.is_file()}
    assert files == {"project.json", "flow.json", "data/problems.jsonl"}


def test_a_second_copy_stands_beside_the_first_which_stays_as_it_is(source: Path, tmp_path: Path) -> None:
    first = copy_project(source, tmp_path)
    (first.root / "flow.json").write_text("mine", "utf-8")
    assert [copy_project(source, tmp_path).root.name for _ in range(2)] == ["debate-2", "debate-3"]
    assert (first.root / "flow.json").read_text("utf-8") == "mine"


def test_the_copy_of_what_may_only_be_read_can_be_written(source: Path, tmp_path: Path) -> None:
    (source / "flow.json").chmod(0o400)
    source.chmod(0o500)
    copy = copy_project(source, tmp_path / "mine")
    source.chmod(0o700)
    assert (copy.root / "flow.json").stat().st_mode & 0o200
    assert copy.root.stat().st_mode & 0o300 == 0o300


def test_where_no_folder_can_be_no_half_of_a_copy_is_left(source: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(UsageError, match="could not be created"):
        copy_project(source, tmp_path / "file")
    assert (tmp_path / "file").read_text("utf-8") == ""


def test_a_project_is_moved_whole_and_beside_one_of_its_name(source: Path, tmp_path: Path) -> None:
    write_project(tmp_path / "mine" / "debate")
    moved = move_project(source, tmp_path / "mine")
    assert moved.root == tmp_path / "mine" / "debate-2"
    assert (moved.root / ".stepwire" / "runs" / "left.txt").is_file()
    assert not source.exists()


def test_what_cannot_be_moved_stays_and_it_is_said_why(source: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(UsageError, match="could not be moved"):
        move_project(source, tmp_path / "file")
    assert (source / "flow.json").is_file()


def test_a_new_project_has_an_empty_flow_and_a_folder_of_its_name(tmp_path: Path) -> None:
    project = make_project(tmp_path / "own", "Pond life: frogs/newts")
    assert project.root == tmp_path / "own" / "Pond life_ frogs_newts"
    assert project.name == "Pond life: frogs/newts"
    assert loads(project.main_flow.read_text("utf-8")).flow == Flow(name="Pond life: frogs/newts")
    assert make_project(tmp_path / "own", "Pond life: frogs/newts").root.name.endswith("-2")


@pytest.mark.parametrize("name", ["", "  ", "..", "/"])
def test_a_project_is_not_made_under_a_name_that_no_folder_can_have(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="can't be called"):
        make_project(tmp_path, name)
    assert not list(tmp_path.iterdir())
