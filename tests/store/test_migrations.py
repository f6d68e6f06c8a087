import sqlite3
from pathlib import Path

import pytest

from studio.store.migrations import empty_run_file, in_wal_mode, migrate_run_file
from studio.store.reader import RunStore
from studio.store.writer import RunWriter
from studio.trace.events import (
    RunContinued,
    RunFinished,
    RunStarted,
    Shown,
    StepFinished,
    StepReady,
    StepStarted,
)
from studio.trace.state import RunStatus
from tests.trace.builders import RUN, answer, asked, numbered

PAST = Path(__file__).parent / "past"
LONG = "many words. " * 60

A_RUN_OF_ROWS = numbered(
    RunStarted("Notes", "{}", {"topic": Shown("bees", ("user",))}, "scripted"),
    ("writer", StepReady()),
    ("writer", StepStarted({"prompt": Shown(LONG, ("user",))})),
    ("writer#chat.1", "writer", asked(("user", LONG))),
    ("writer#chat.1", "writer", answer("because", 7, 0.5)),
    ("writer", StepFinished({"reply": Shown(["because", 10**30], ("chat",))})),
    RunFinished({"answer": Shown("because", ("chat",))}),
)


@pytest.fixture
def old(tmp_path: Path) -> RunStore:
    store = RunStore(tmp_path)
    connection = sqlite3.connect(store.new_run_path(RUN))
    connection.executescript((PAST / "rows.sql").read_text(encoding="utf-8"))
    connection.close()
    return store


def test_a_new_file_is_a_sound_database_in_wal_mode(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    path.write_bytes(in_wal_mode(empty_run_file()))
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert {"chunks", "large_values", "run"} <= tables
    assert tables.isdisjoint({"entries", "blobs"})
    connection.close()


def test_migrating_twice_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    path.write_bytes(in_wal_mode(empty_run_file()))
    connection = sqlite3.connect(path)
    before = list(connection.iterdump())
    migrate_run_file(connection)
    assert list(connection.iterdump()) == before
    connection.close()


def test_a_run_from_before_batches_were_rows_is_read_and_left_as_it_is(old: RunStore) -> None:
    path = old.new_run_path(RUN)
    before = path.read_bytes()
    assert list(old.entries(RUN)) == A_RUN_OF_ROWS
    assert list(old.entries(RUN, after=5)) == A_RUN_OF_ROWS[5:]
    assert old.runs()[0].status is RunStatus.FINISHED
    assert old.load(RUN).tokens == 7
    assert path.read_bytes() == before


def test_a_run_from_before_batches_were_rows_goes_on_in_its_file(old: RunStore) -> None:
    more = numbered(
        *[StepReady()] * 7, RunContinued(), ("writer", StepFinished({"reply": Shown(LONG)})), run=RUN
    )[7:]
    writer = RunWriter(old.new_run_path(RUN), lambda _: None, earlier=A_RUN_OF_ROWS)
    for entry in more:
        writer.put(entry)
    writer.close()
    assert list(old.entries(RUN)) == A_RUN_OF_ROWS + more
    assert old.runs()[0].status is RunStatus.INTERRUPTED
