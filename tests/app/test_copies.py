from pathlib import Path

import pytest

from studio.app.copies import copy_project
from studio.errors import UsageError
from tests.app.projects import write_project


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
    assert [copy_project(source, tmp_path).root.name for _ in range(2)] == ["debate_2", "debate_3"]
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
    with pytest.raises(UsageError, match="could not be made"):
        copy_project(source, tmp_path / "file")
    assert (tmp_path / "file").read_text("utf-8") == ""
