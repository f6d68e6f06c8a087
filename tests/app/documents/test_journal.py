"""Undo and edits across restarts, through damage, full disks, other windows, and edits by others."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from studio.app.documents import journal_file, journal_lines
from studio.app.documents.history import History, Saved
from studio.app.documents.journal import Recovered
from studio.app.documents.journal_file import JournalFile, journal_folder
from studio.app.documents.journal_lines import move_line
from studio.app.documents.journal_writer import JournalWriter
from studio.app.documents.session import ChangedOnDiskError, Session
from studio.errors import StepwireError
from studio.flow.edits import set_title
from studio.flow.files.codec import loads
from studio.flow.records import title_of
from studio.ids import NodeId
from studio.workspace.catalog import builtin_registry
from tests.app.flows import chain
from tests.app.written_projects import write_project

WRITER = NodeId("writer")
REGISTRY = builtin_registry()
Open = Callable[[], Session]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_project(tmp_path / "trial", flow=chain())


@pytest.fixture
def writer() -> Iterator[JournalWriter]:
    made = JournalWriter(delay=0)
    yield made
    made.close()


@pytest.fixture
def complaints() -> list[StepwireError]:
    return []


@pytest.fixture
def reopen(path: Path, writer: JournalWriter, complaints: list[StepwireError]) -> Open:
    def act() -> Session:
        session = Session.open(path, REGISTRY, complaints.append)
        session.keep_journal(writer)
        return session

    return act


def _rename(session: Session, title: str, *, merge: bool = False) -> None:
    session.history.do(set_title(session.flow, WRITER, title).labelled("Rename"), merge=merge)


def _title(session: Session) -> str:
    return title_of(session.flow, WRITER)


def _journals(session: Session) -> list[Path]:
    folder = journal_folder(session.project.root, session.name)
    return sorted(folder.glob("*.journal"))


def test_closing_a_flow_writes_no_more_than_what_a_kill_would_leave(
    reopen: Open, writer: JournalWriter
) -> None:
    session = reopen()
    _rename(session, "Mine")
    writer.flush()
    (journal,) = _journals(session)
    left = journal.read_bytes()
    session.close()
    assert journal.read_bytes() == left


def test_what_was_done_can_be_undone_and_redone_after_a_restart(reopen: Open) -> None:
    first = reopen()
    before = first.flow
    _rename(first, "One")
    _rename(first, "Two")
    _rename(first, "Three")
    first.history.undo()
    first.save()
    first.close()

    second = reopen()
    assert second.recovered == Recovered()
    assert not second.is_modified
    assert _title(second) == "Two"
    second.history.redo()
    assert _title(second) == "Three"
    second.history.jump(0)
    assert second.flow == before
    second.close()


def test_opening_a_flow_writes_nothing(reopen: Open) -> None:
    session = reopen()
    session.close()
    assert not session.project.private.exists()


def test_edits_of_a_window_that_crashed_come_back_unsaved(reopen: Open) -> None:
    first = reopen()
    _rename(first, "Mine")
    first.close()
    second = reopen()
    assert second.recovered == Recovered(edits=True)
    assert second.is_modified
    assert _title(second) == "Mine"
    second.save()
    second.close()


def test_recovered_edits_can_be_discarded_and_had_back_even_after_a_restart(reopen: Open) -> None:
    first = reopen()
    before = first.flow
    _rename(first, "Mine")
    first.close()
    second = reopen()
    second.discard()
    assert second.flow == before
    second.close()
    third = reopen()
    assert third.recovered == Recovered()
    assert not third.is_modified
    third.history.undo()
    assert _title(third) == "Mine"
    third.close()


def test_a_crash_between_the_file_and_its_journal_leaves_a_saved_flow(reopen: Open) -> None:
    first = reopen()
    _rename(first, "Mine")
    first.save()
    first.close()
    (journal,) = _journals(first)
    lines = journal.read_bytes().splitlines(keepends=True)
    assert lines[-1] == move_line(Saved())
    journal.write_bytes(b"".join(lines[:-1]))
    second = reopen()
    assert second.recovered == Recovered()
    assert not second.is_modified
    second.history.undo()
    assert second.is_modified
    second.close()


def test_what_others_did_to_a_saved_flow_is_a_step_after_the_earlier_ones(reopen: Open) -> None:
    first = reopen()
    _rename(first, "Mine")
    first.save()
    first.close()
    first.path.write_text(first.path.read_text().replace("Ask once", "Theirs"))
    second = reopen()
    assert second.flow.name == "Theirs"
    assert not second.is_modified
    assert second.recovered == Recovered(foreign=True)
    assert second.history.undo_labels[-1] == "Changed on disk"
    second.history.jump(0)
    assert (second.flow.name, _title(second)) == ("Ask once", "Writer")
    second.close()


def test_where_others_changed_the_file_under_unsaved_edits_both_stay(reopen: Open) -> None:
    first = reopen()
    _rename(first, "Mine")
    first.close()
    theirs = first.path.read_text().replace("Ask once", "Theirs")
    first.path.write_text(theirs)
    second = reopen()
    assert second.recovered == Recovered(edits=True, changed_on_disk=True)
    assert _title(second) == "Mine"
    with pytest.raises(ChangedOnDiskError):
        second.save()
    assert second.path.read_text() == theirs
    second.reload()
    assert second.flow.name == "Theirs"
    second.history.undo()
    assert _title(second) == "Mine"
    second.close()


def test_two_windows_of_one_flow_have_a_journal_each(reopen: Open) -> None:
    first, second = reopen(), reopen()
    _rename(first, "First")
    _rename(second, "Second")
    third = reopen()
    assert third.recovered == Recovered()
    third.close()
    assert len(_journals(first)) == 2
    first.close()
    second.close()
    found: set[str] = set()
    for _ in range(2):
        again = reopen()
        assert again.recovered.edits
        found.add(_title(again))
        again.save(over=True)
        again.close()
    assert found == {"First", "Second"}


def test_saving_to_another_file_takes_the_history_along(reopen: Open) -> None:
    first = reopen()
    _rename(first, "Mine")
    first.save_as(first.project.root / "other.json")
    first.close()
    old = reopen()
    assert (old.recovered, old.is_modified, old.history.steps) == (Recovered(), False, ())
    old.close()
    writer = JournalWriter(delay=0)
    new = Session.open(first.path, REGISTRY)
    new.keep_journal(writer)
    assert _title(new) == "Mine"
    new.history.undo()
    assert _title(new) == "Writer"
    new.close()
    writer.close()


def test_typing_is_one_step_also_in_the_journal(reopen: Open) -> None:
    first = reopen()
    for length in range(1, 6):
        _rename(first, "Title"[:length], merge=True)
    first.close()
    second = reopen()
    assert len(second.history.steps) == 1
    _rename(second, "Other", merge=True)
    assert len(second.history.steps) == 2
    second.close()


def test_a_full_disk_is_told_once_and_nothing_is_lost_when_it_has_room_again(
    reopen: Open,
    writer: JournalWriter,
    complaints: list[StepwireError],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = reopen()
    _rename(session, "One")

    def refuse(path: Path, data: bytes, **_: bool) -> None:
        raise OSError(28, "No space left on device", f"{path} {len(data)}")

    with monkeypatch.context() as patch:
        patch.setattr("studio.app.documents.journal_file.append", refuse)
        patch.setattr("studio.app.documents.journal_file.write_whole", refuse)
        for title in ("Two", "Three", "Four"):
            _rename(session, title)
            writer.flush()
        assert len(complaints) == 1
        assert "no space left" in complaints[0].message
    _rename(session, "Five")
    session.close()
    again = reopen()
    assert _title(again) == "Five"
    assert len(again.history.steps) == 5
    again.close()


@pytest.mark.parametrize("part", [0.2, 0.5, 0.8, 1.0])
def test_a_journal_that_was_cut_off_gives_what_came_before(reopen: Open, part: float) -> None:
    first = reopen()
    for number in range(10):
        _rename(first, f"Title {number}")
    first.close()
    (journal,) = _journals(first)
    data = journal.read_bytes()
    head = data.index(b"\n") + 1
    journal.write_bytes(data[: head + round((len(data) - head) * part)])
    second = reopen()
    assert not second.recovered.damaged
    assert len(second.history.steps) in {round(10 * part), round(10 * part) - 1}
    second.close()


def test_flipped_bits_are_found_and_told(reopen: Open) -> None:
    first = reopen()
    for number in range(10):
        _rename(first, f"Title {number}")
    first.close()
    (journal,) = _journals(first)
    data = bytearray(journal.read_bytes())
    for place in (len(data) // 2, len(data) // 2 + 7):
        data[place] ^= 4
    journal.write_bytes(data)
    second = reopen()
    assert second.recovered.damaged
    assert len(second.history.steps) < 10
    second.close()
    third = reopen()
    assert not third.recovered.damaged
    third.close()


def test_a_journal_without_a_readable_beginning_is_put_aside(reopen: Open) -> None:
    first = reopen()
    _rename(first, "Mine")
    first.close()
    (journal,) = _journals(first)
    journal.write_bytes(b"\xff\x00" + journal.read_bytes()[2:])
    second = reopen()
    assert second.recovered == Recovered(damaged=True)
    assert second.history.steps == ()
    assert journal.with_suffix(".damaged").exists()
    second.close()


def test_a_journal_is_written_anew_before_it_grows_without_end(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.app.documents.journal_file.ROOM", 4_000)
    monkeypatch.setattr("studio.app.documents.journal_file.MOST_BYTES", 8_000)
    history = History(loads(json.dumps(chain())).flow)
    file = JournalFile(journal_folder(path, "flow.json"))
    history.on_move(lambda move: file.write([move], history.snapshot, history.position))
    for number in range(300):
        history.do(set_title(history.flow, WRITER, f"Title {number}"))
        assert file.path.stat().st_size < 40_000
    snapshot, is_whole = file.read()
    assert is_whole
    assert snapshot is not None
    assert snapshot.flow == history.flow
    assert 10 < len(snapshot.done) < 300
    file.let_go()


def _with_a_short_journal(reopen: Open, writer: JournalWriter, monkeypatch: pytest.MonkeyPatch) -> Session:
    """A flow with eight steps of which its journal, written anew, has the last three."""
    monkeypatch.setattr(journal_lines, "MOST_STEPS", 3)
    monkeypatch.setattr(journal_file, "ROOM", 1)
    session = reopen()
    for number in range(8):
        _rename(session, f"Title {number} of a step that is as large as the flow, which is then written anew")
        writer.flush()
    (journal,) = _journals(session)
    assert journal.read_bytes().count(b'"past"') == 3
    return session


@pytest.mark.parametrize("ways", [(1,), (1, 8), (1, 3, 2), (5, 8), (0, 8, 6)])
def test_going_back_past_what_the_journal_has_comes_back_as_it_was(
    reopen: Open, writer: JournalWriter, monkeypatch: pytest.MonkeyPatch, ways: tuple[int, ...]
) -> None:
    first = _with_a_short_journal(reopen, writer, monkeypatch)
    for position in ways:
        first.history.jump(position)
        writer.flush()
    before = first.flow
    first.close()
    second = reopen()
    assert second.flow == before
    assert not second.recovered.damaged
    second.close()


def test_typing_goes_on_in_a_step_that_is_too_large_for_the_journal(
    reopen: Open, writer: JournalWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_file, "MOST_BYTES", 50)
    first = reopen()
    _rename(first, "Large")
    writer.flush()
    _rename(first, "Larger", merge=True)
    writer.flush()
    first.close()
    second = reopen()
    assert _title(second) == "Larger"
    assert not second.recovered.damaged
    second.close()


def test_a_flow_of_a_newer_version_that_was_saved_elsewhere_has_a_journal_from_then_on(
    path: Path, reopen: Open, writer: JournalWriter
) -> None:
    file = path / "flow.json"
    file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), "version": 99}), "utf-8")
    first = reopen()
    assert first.is_read_only
    first.save_as(path / "own.json")
    _rename(first, "Mine")
    writer.flush()
    first.close()
    later = Session.open(path / "own.json", REGISTRY)
    later.keep_journal(writer)
    assert _title(later) == "Mine"
    later.close()


def test_whatever_keeps_an_edit_from_being_written_lets_the_window_go_on(writer: JournalWriter) -> None:
    def fail() -> None:
        raise ValueError

    done: list[str] = []
    writer.ask(1, fail, fail)
    writer.flush()
    writer.ask(2, lambda: done.append("written"), lambda: done.append("kept"))
    writer.flush()
    assert done == ["written"]
    writer.close()
    assert done == ["written", "kept"]


def test_a_journal_that_cannot_be_written_for_whatever_reason_is_told(
    reopen: Open, complaints: list[StepwireError], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stumble(*_: object) -> None:
        raise RecursionError("too deep")

    session = reopen()
    with monkeypatch.context() as patch:
        patch.setattr(JournalFile, "write", stumble)
        _rename(session, "Mine")
        session.save()
    (told,) = complaints
    assert "too deep" in told.message
    session.close()


@pytest.mark.parametrize("linked", ["lock", "damaged", "journal"])
def test_a_journal_that_came_with_a_project_leads_to_no_other_file(
    path: Path, reopen: Open, tmp_path: Path, linked: str
) -> None:
    session = reopen()
    _rename(session, "Mine")
    session.close()
    (journal,) = _journals(session)
    outside = tmp_path / "outside"
    left = journal.read_bytes()
    if linked == "journal":
        outside.write_bytes(left)
        journal.unlink()
    else:
        outside.write_bytes(b"theirs")
        journal.write_bytes(left + b"damage\nmore\n")
    before = outside.read_bytes()
    link = journal.with_suffix(f".{linked}")
    link.unlink(missing_ok=True)
    link.symlink_to(outside)
    again = reopen()
    _rename(again, "Again")
    again.close()
    assert outside.read_bytes() == before
    assert path.is_dir()


def test_where_nothing_can_be_locked_flows_are_opened_all_the_same(
    reopen: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = reopen()
    _rename(session, "Mine")
    session.close()

    def refuse(*_: object, **__: object) -> None:
        raise NotImplementedError("FileSystem does not appear to support flock")

    with monkeypatch.context() as patch:
        patch.setattr(journal_file.FileLock, "acquire", refuse)
        reopen().close()
    assert _title(reopen()) == "Mine"
