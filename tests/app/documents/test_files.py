import fcntl
import os
from pathlib import Path

import pytest

from studio.errors import FlowFileError
from studio.flow.edits import describe
from studio.flow.files.codec import dumps
from studio.flow.records import Flow
from studio.store.memories import new_file
from studio.store.memories.file_names import MEMORIES
from studio.workspace.files import KEPT_VERSIONS, SaveError, load_flow, save_flow, versions_of
from studio.workspace.project import Project
from tests.app.flows import chain
from tests.app.written_projects import write_project
from tests.flow.builders import review


def named(name: str) -> Flow:
    return describe(review(), name, "").applied_to(review())


def beside(path: Path) -> list[str]:
    return sorted(one.name for one in path.parent.iterdir())


def test_a_saved_flow_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "review.json"
    save_flow(path, review())
    assert load_flow(path).flow == review()
    assert path.read_bytes() == dumps(review()).encode()


def test_saving_leaves_nothing_but_the_file(tmp_path: Path) -> None:
    path = tmp_path / "review.json"
    save_flow(path, review())
    assert beside(path) == ["review.json"]


def test_saving_keeps_the_mode_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "review.json"
    save_flow(path, review())
    path.chmod(0o640)
    save_flow(path, named("Other"))
    assert path.stat().st_mode & 0o777 == 0o640


def test_the_last_versions_are_kept_newest_first(tmp_path: Path) -> None:
    path = tmp_path / "review.json"
    for number in range(6):
        save_flow(path, named(f"v{number}"))
    kept = versions_of(path)
    assert [load_flow(one).flow.name for one in kept] == ["v4", "v3", "v2"]
    assert len(kept) == KEPT_VERSIONS


def test_saving_the_same_flow_again_costs_no_version(tmp_path: Path) -> None:
    path = tmp_path / "review.json"
    for name in ("one", "two", "two", "two"):
        save_flow(path, named(name))
    assert [load_flow(one).flow.name for one in versions_of(path)] == ["one"]


def test_a_rename_that_fails_leaves_the_old_file_and_no_temporary_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "review.json"
    save_flow(path, named("one"))
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SaveError, match="no space left on device"):
        save_flow(path, named("two"))
    assert path.read_bytes() == before
    assert not list(tmp_path.rglob("*.tmp"))


def test_what_a_killed_process_left_half_written_is_swept_when_the_project_opens(tmp_path: Path) -> None:
    project = write_project(tmp_path / "trial", flow=chain())
    versions = project / ".stepwire" / "versions"
    versions.mkdir(parents=True)
    left = [
        project / ".flow.json.k3_x9abc.tmp",
        versions / ".flow.2.json.abcdefgh.tmp",
        project / ".stepwire" / ".inputs.json.abcdefgh.tmp",
    ]
    own = [project / ".notes.abcdefgh.tmp", project / "flow.json.abcdefgh.tmp", versions / "flow.1.json"]
    for path in (*left, *own):
        path.write_text("half")
    written = project / ".other.json.abcdefgh.tmp"
    with written.open("wb") as file:
        file.write(b"still being written")
        fcntl.flock(file, fcntl.LOCK_EX)
        Project.open(project)
        assert [path.exists() for path in left] == [False] * 3
        assert [path.exists() for path in (*own, written)] == [True] * 4
    Project.open(project)
    assert not written.exists()


def test_a_memory_that_was_only_half_made_is_swept_too(tmp_path: Path) -> None:
    project = write_project(tmp_path / "trial", flow=chain())
    memories = project / MEMORIES
    memories.mkdir(parents=True)
    with new_file.beside(memories / "notes.memory") as (made, file):
        file.write(b"still being written")
        file.flush()
        Project.open(project)
        assert made.exists()
    left = [made, made.with_name(f"{made.name}-wal"), made.with_name(f"{made.name}-shm")]
    for path in left:
        path.write_bytes(b"half")
    Project.open(project)
    assert list(memories.iterdir()) == []


def test_a_folder_that_is_not_there_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(SaveError, match="no such file or directory"):
        save_flow(tmp_path / "nowhere" / "review.json", review())


def test_a_link_is_followed_and_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    real, link = tmp_path / "real" / "review.json", tmp_path / "link.json"
    save_flow(real, named("one"))
    link.symlink_to(real)
    save_flow(link, named("two"))
    assert link.is_symlink()
    assert load_flow(real).flow.name == "two"


@pytest.mark.parametrize(
    ("data", "words"),
    [(b"\xff\xfe", "byte 0"), (b"{", "line 1"), (b"{}", "format"), (None, "no such file")],
)
def test_a_file_that_cannot_be_read_is_named_with_the_reason(
    tmp_path: Path, data: bytes | None, words: str
) -> None:
    path = tmp_path / "broken.json"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(FlowFileError) as caught:
        load_flow(path)
    assert "broken.json" in str(caught.value)
    assert words in str(caught.value)
    assert data is None or path.read_bytes() == data
