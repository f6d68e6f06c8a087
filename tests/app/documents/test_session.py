import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from studio.app.documents.session import ChangedOnDiskError, DiskChoice, Session
from studio.errors import FlowFileError, UsageError
from studio.flow.checks.check import Problem
from studio.flow.edits import remove, set_title
from studio.ids import NodeId
from studio.workspace.catalog import builtin_registry
from tests.app.flows import chain
from tests.app.written_projects import write_project

WRITER = NodeId("writer")


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session.open(write_project(tmp_path / "trial", flow=chain()), builtin_registry())


def _rename(session: Session, title: str) -> None:
    session.history.do(set_title(session.flow, WRITER, title))


def test_a_saved_flow_is_unmodified_and_reads_back_the_same(session: Session) -> None:
    _rename(session, "Author")
    assert session.is_modified
    session.save()
    assert not session.is_modified
    again = Session.open(session.path, session.registry)
    assert again.flow == session.flow
    session.save()


def test_a_change_on_disk_is_never_saved_over_unasked(session: Session) -> None:
    theirs = session.path.read_text().replace("Ask once", "Theirs")
    session.path.write_text(theirs)
    _rename(session, "Mine")
    with pytest.raises(ChangedOnDiskError) as caught:
        session.save()
    assert set(caught.value.choices) == set(DiskChoice)
    assert session.path.read_text() == theirs
    assert session.is_modified


def test_keeping_mine_keeps_theirs_as_a_version(session: Session) -> None:
    theirs = session.path.read_text().replace("Ask once", "Theirs")
    session.path.write_text(theirs)
    _rename(session, "Mine")
    session.save(over=True)
    assert "Mine" in session.path.read_text()
    versions = session.project.private / "versions"
    assert theirs in [path.read_text() for path in versions.iterdir()]


def test_taking_theirs_can_be_undone(session: Session) -> None:
    _rename(session, "Mine")
    mine = session.flow
    session.path.write_text(session.path.read_text().replace("Ask once", "Theirs"))
    session.reload()
    assert session.flow.name == "Theirs"
    assert not session.is_modified
    session.history.undo()
    assert session.flow == mine
    assert session.is_modified


def test_saving_elsewhere_leaves_the_file_alone_and_moves_the_session(
    session: Session, tmp_path: Path
) -> None:
    before = session.path.read_text()
    session.breakpoints.cycle(WRITER)
    _rename(session, "Mine")
    session.save_as(tmp_path / "other.json")
    assert (session.project.root / "trial" / "flow.json").read_text() == before
    assert session.path == tmp_path / "other.json"
    again = Session.open(session.path, session.registry)
    assert again.flow == session.flow
    assert again.breakpoints.enabled == {WRITER}


def test_a_file_that_was_only_touched_has_not_changed(session: Session) -> None:
    os.utime(session.path, ns=(1, 1))
    assert not session.has_changed_on_disk()
    _rename(session, "Mine")
    session.save()


def test_a_file_that_is_gone_is_put_back(session: Session) -> None:
    session.path.unlink()
    session.save()
    assert session.path.exists()


def test_a_file_of_a_newer_version_is_for_reading_only(session: Session) -> None:
    newer = json.loads(session.path.read_text()) | {"version": 99}
    session.path.write_text(json.dumps(newer))
    again = Session.open(session.path, session.registry)
    assert again.is_read_only
    assert again.notices
    with pytest.raises(UsageError, match="newer Stepwire"):
        again.save()
    assert json.loads(session.path.read_text())["version"] == 99


def test_a_file_that_breaks_while_it_is_open_is_refused_and_mine_stays(session: Session) -> None:
    _rename(session, "Mine")
    mine = session.flow
    session.path.write_text("{")
    with pytest.raises(FlowFileError):
        session.reload()
    assert session.flow is mine
    with pytest.raises(ChangedOnDiskError):
        session.save()


def test_problems_follow_the_flow_and_are_told_when_asked_for(session: Session) -> None:
    told: list[Sequence[Problem]] = []
    session.on_problems(told.append)
    session.refresh_problems()
    assert told == [()]
    session.history.do(remove(session.flow, [WRITER]))
    assert told == [()]
    session.refresh_problems()
    session.refresh_problems()
    assert len(told) == 2
    assert "missing-input" in {problem.code for problem in told[-1]}
    session.history.undo()
    assert session.problems == ()


def test_what_was_given_last_stands_in_the_form_again(session: Session) -> None:
    (field,) = session.input_fields()
    assert (field.node, field.label, field.value, field.is_required) == ("question", "Question", None, True)
    session.keep_inputs({"question": "Which bird?"})
    again = Session.open(session.path, session.registry)
    assert again.input_fields()[0].value == "Which bird?"
    assert not again.is_modified


def test_a_last_value_of_another_type_gives_way_to_the_default(session: Session) -> None:
    session.keep_inputs({"question": 3})
    assert session.input_fields()[0].value is None


def test_a_broken_file_names_the_version_that_is_kept(session: Session) -> None:
    _rename(session, "Author")
    session.save()
    session.path.write_text("{")
    with pytest.raises(FlowFileError, match=r"An earlier version is kept as .*flow\.1\.json"):
        Session.open(session.path, session.registry)
