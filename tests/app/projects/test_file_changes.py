"""Flows are deleted, renamed and copied, and all of it can be undone, after a restart too."""

import json
from pathlib import Path

import pytest

from studio.app.documents.journal_file import journal_folder
from studio.app.documents.journal_writer import JournalWriter
from studio.app.documents.session import Session
from studio.app.projects.file_changes import MOST_CHANGES, FileChange, FileChanges
from studio.app.projects.flow_files import callers_of, delete_flow, duplicate_flow, rename_flow
from studio.errors import UsageError
from studio.flow.edits import set_title
from studio.ids import NodeId
from studio.workspace.catalog import builtin_registry
from studio.workspace.files import SaveError, load_flow
from studio.workspace.project import Project
from studio.workspace.stored_documents import Kept
from tests.app.flows import chain
from tests.app.written_projects import FLOW, write_flow, write_project

REGISTRY = builtin_registry()
CALL = {"kind": "control.subflow", "settings": {"flow": "parts/summary.json"}}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    root = write_project(tmp_path / "trial", flow={**FLOW, "nodes": {"call": CALL}})
    write_flow(root / "parts" / "summary.json", chain())
    return Project.open(root)


def _files(project: Project) -> dict[str, str]:
    found = [*project.root.glob("*.json"), *project.root.glob("[!.]*/*.json")]
    return {path.relative_to(project.root).as_posix(): path.read_text("utf-8") for path in found}


def _summary(project: Project) -> Path:
    return project.root / "parts" / "summary.json"


def test_a_deleted_flow_comes_back_byte_for_byte_also_after_a_restart(project: Project) -> None:
    before = _files(project)
    FileChanges(project.root).do(delete_flow(project, _summary(project)))
    assert set(before) - set(_files(project)) == {"parts/summary.json"}
    later = FileChanges(project.root)
    assert [change.label for change in later.steps] == ["Delete flow parts/summary.json"]
    later.jump(0)
    assert _files(project) == before
    later.jump(1)
    assert not _summary(project).exists()


def test_two_windows_of_a_project_forget_none_of_each_others_changes(project: Project) -> None:
    before = _files(project)
    one, other = FileChanges(project.root), FileChanges(project.root)
    one.do(duplicate_flow(project, project.main_flow, load_flow(project.main_flow).flow))
    other.do(delete_flow(project, _summary(project)))
    labels = [change.label for change in FileChanges(project.root).steps]
    assert labels == [change.label for change in other.steps]
    assert len(labels) == 2
    other.jump(0)
    assert _files(project) == before


def test_the_main_flow_is_not_deleted(project: Project) -> None:
    with pytest.raises(UsageError, match="main flow"):
        delete_flow(project, project.main_flow)


def test_renaming_takes_callers_and_the_project_along_and_undo_brings_all_back(project: Project) -> None:
    before = _files(project)
    changes = FileChanges(project.root)
    changes.do(rename_flow(project, _summary(project), "parts/digest", REGISTRY))
    main = load_flow(project.main_flow).flow
    assert main.nodes[NodeId("call")].settings == {"flow": "parts/digest.json"}
    changes.do(rename_flow(project, project.main_flow, "start", REGISTRY))
    assert Project.open(project.root).main_flow == project.root / "start.json"
    changes.jump(0)
    assert _files(project) == before


@pytest.mark.parametrize("name", ["", "../out", "project", "a/b/c", ".hidden", "flow", "nowhere/flow"])
def test_names_that_cannot_be_are_refused(project: Project, name: str) -> None:
    with pytest.raises(UsageError):
        rename_flow(project, _summary(project), name, REGISTRY)


def test_a_copy_stands_beside_its_flow_under_a_free_name(project: Project) -> None:
    flow = load_flow(_summary(project)).flow
    changes = FileChanges(project.root)
    for _ in range(2):
        changes.do(duplicate_flow(project, _summary(project), flow))
    folder = _summary(project).parent
    assert sorted(path.name for path in folder.iterdir()) == [
        "summary.json",
        "summary_copy.json",
        "summary_copy_2.json",
    ]
    assert load_flow(folder / "summary_copy.json").flow.nodes == flow.nodes


def test_what_was_changed_since_is_never_undone_over(project: Project) -> None:
    changes = FileChanges(project.root)
    changes.do(duplicate_flow(project, _summary(project), load_flow(_summary(project)).flow))
    copy = project.root / "parts" / "summary_copy.json"
    copy.write_text(copy.read_text().replace("(copy)", "edited"))
    with pytest.raises(UsageError, match="changed since"):
        changes.jump(0)
    assert copy.exists()
    assert changes.position == 1


def test_a_disk_that_refuses_leaves_every_file_as_it_was(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _files(project)
    changes = FileChanges(project.root)
    change = rename_flow(project, _summary(project), "parts/digest", REGISTRY)

    def refuse(path: Path, *, missing_ok: bool = False) -> None:
        raise OSError(30, f"Read-only file system {missing_ok}", str(path))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", refuse)
        with pytest.raises(SaveError):
            changes.do(change)
    (project.root / "parts" / "digest.json").unlink(missing_ok=True)
    assert _files(project) == before
    assert changes.steps == ()


def _leave_edit(path: Path, title: str) -> None:
    """An edit that was not saved, as a window leaves it that ended by accident."""
    writer = JournalWriter(delay=0)
    session = Session.open(path, REGISTRY)
    session.keep_journal(writer)
    session.history.do(set_title(session.flow, NodeId("writer"), title))
    session.close()
    writer.close()


def _title_found(path: Path) -> str:
    writer = JournalWriter(delay=0)
    session = Session.open(path, REGISTRY)
    session.keep_journal(writer)
    session.close()
    writer.close()
    return session.flow.nodes[NodeId("writer")].title


def test_the_journal_of_a_flow_that_went_without_the_studio_is_nobody_elses(project: Project) -> None:
    parts = project.root / "parts"
    for name in ("digest", "summary_copy"):
        write_flow(parts / f"{name}.json", chain())
        _leave_edit(parts / f"{name}.json", "Stale")
        (parts / f"{name}.json").unlink()
    _leave_edit(_summary(project), "Mine")
    changes = FileChanges(project.root)
    changes.do(duplicate_flow(project, _summary(project), load_flow(_summary(project)).flow))
    assert _title_found(parts / "summary_copy.json") == "Writer"
    changes.do(rename_flow(project, _summary(project), "parts/digest", REGISTRY))
    assert _title_found(parts / "digest.json") == "Mine"


def test_undo_steps_and_breakpoints_go_along_with_a_renamed_flow_and_wait_for_a_deleted_one(
    project: Project,
) -> None:
    changes = FileChanges(project.root)
    writer = JournalWriter(delay=0)

    def edited(path: Path, title: str) -> None:
        session = Session.open(path, REGISTRY)
        session.keep_journal(writer)
        session.history.do(set_title(session.flow, NodeId("writer"), title))
        session.breakpoints.set("writer", state=True)
        session.close()

    def labels(path: Path) -> list[str]:
        session = Session.open(path, REGISTRY)
        session.keep_journal(writer)
        found = session.history.undo_labels
        assert session.breakpoints.all == {"writer": True}
        session.close()
        return found

    edited(_summary(project), "One")
    changes.do(rename_flow(project, _summary(project), "digest", REGISTRY))
    renamed = project.root / "digest.json"
    assert labels(renamed) == ["Rename Writer to One"]
    changes.do(delete_flow(project, renamed))
    write_flow(renamed, chain())
    session = Session.open(renamed, REGISTRY)
    session.keep_journal(writer)
    assert session.history.steps == (), "a new flow of the same name starts anew"
    session.close()
    renamed.unlink()
    changes.jump(1)
    assert labels(renamed) == ["Rename Writer to One"]
    writer.close()


def test_the_oldest_changes_go_where_there_are_too_many(project: Project) -> None:
    changes = FileChanges(project.root)
    for number in range(MOST_CHANGES + 5):
        changes.do(
            FileChange(f"Write {number}", {"data.txt": (str(number - 1) if number else None, str(number))})
        )
    assert len(changes.steps) == MOST_CHANGES
    changes.jump(0)
    assert (project.root / "data.txt").read_text() == "4"


def test_the_journal_of_a_deleted_flow_goes_with_the_last_chance_to_bring_it_back(project: Project) -> None:
    changes = FileChanges(project.root)
    folder = journal_folder(project.root, "parts/summary.json")
    folder.mkdir(parents=True)
    (folder / "one.journal").write_text("")
    changes.do(delete_flow(project, _summary(project)))
    assert len(list(folder.parent.iterdir())) == 1
    for number in range(MOST_CHANGES):
        changes.do(FileChange("Write", {f"{number}.txt": (None, "")}))
    assert list(folder.parent.iterdir()) == []


@pytest.mark.parametrize("plain", ["[]", '{"deeds": 7}', '{"deeds": [{"label": 1}], "done": "x"}', "\x00"])
def test_a_damaged_list_of_changes_counts_as_empty(project: Project, plain: str) -> None:
    Kept(project.private / "deeds.json").write({})
    (project.private / "deeds.json").write_text(plain)
    assert FileChanges(project.root).steps == ()


def test_it_is_known_who_calls_a_flow(project: Project) -> None:
    assert callers_of(project, _summary(project), REGISTRY) == ["flow.json"]
    assert callers_of(project, project.main_flow, REGISTRY) == []
    assert json.loads(project.main_flow.read_text())["nodes"]["call"] == CALL


@pytest.mark.parametrize("name", ["../out.json", "/{outside}/out.json", ".git/config", "link/out.json"])
@pytest.mark.parametrize("done", [0, 1])
def test_a_list_of_changes_that_came_with_a_project_reaches_no_other_files(
    project: Project, tmp_path: Path, name: str, done: int
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (project.root / ".git").mkdir()
    (project.root / "link").symlink_to(outside)
    name = name.replace("/{outside}", str(outside))
    swap = [None, "evil"] if done == 0 else ["evil", None]
    change = {"label": "New flow", "at": 1e12, "files": {name: swap}, "renamed": None}
    Kept(project.private / "deeds.json").write({"done": done, "deeds": [change]})
    with pytest.raises(UsageError, match="not a place"):
        FileChanges(project.root).jump(1 - done)
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path.read_bytes() == b"evil"]


def test_files_go_back_to_what_they_were_also_where_no_version_can_be_kept(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _files(project)
    changes = FileChanges(project.root)
    change = rename_flow(project, _summary(project), "parts/digest", REGISTRY)
    kept: list[Path] = []

    def keep(path: Path, data: bytes) -> None:
        kept.append(path)
        if len(kept) > 2:
            raise OSError(28, f"No space left on device for {len(data)}", str(path))

    with monkeypatch.context() as patch:
        patch.setattr("studio.app.projects.file_changes.keep_version", keep)
        with pytest.raises(SaveError):
            changes.do(change)
    assert _files(project) == before
