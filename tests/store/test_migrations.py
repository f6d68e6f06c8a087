import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from studio.store.migrations import empty_run_file, in_wal_mode, migrate_run_file
from studio.store.newest import is_newest, make_run_file
from studio.store.reader import RunStore
from studio.store.run_files.writer import RunWriter
from studio.trace.events import RunContinued, RunFinished, RunStarted, StepFinished, StepReady, StepStarted
from studio.trace.events.values import Shown
from studio.trace.fold.state import RunStatus
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


def test_a_new_file_is_what_all_migrations_make_of_none() -> None:
    migrated, made = sqlite3.connect(":memory:"), sqlite3.connect(":memory:")
    migrate_run_file(migrated)
    make_run_file(made)
    assert is_newest(migrated)
    forms: list[tuple[list[str], list[tuple[object, ...]]]] = []
    for one in (migrated, made):
        lines = [re.sub(r"'\d{4}-.*?'", "when", line) for line in one.iterdump()]
        columns = one.execute(
            "SELECT m.name, c.* FROM sqlite_master m JOIN pragma_table_info(m.name) c"
        ).fetchall()
        forms.append((sorted(line for line in lines if line.startswith("INSERT")), sorted(columns)))
        one.close()
    assert forms[0] == forms[1]


@pytest.mark.process
def test_a_new_file_needs_nothing_that_is_long_in_coming() -> None:
    code = (
        "import sys; from studio.store.migrations import empty_run_file; empty_run_file();"
        " print(*{'sqlite_utils', 'numpy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.strip() == ""


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


def test_a_run_from_before_made_up_answers_were_counted_is_read_and_goes_on(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    path = store.new_run_path(RUN)
    connection = sqlite3.connect(path)
    connection.executescript((PAST / "batches.sql").read_text(encoding="utf-8"))
    connection.close()
    assert list(store.entries(RUN)) == A_RUN_OF_ROWS
    (summary,) = store.runs()
    assert (summary.status, summary.tokens, summary.made_up) == (RunStatus.FINISHED, 7, 0)
    writer = RunWriter(path, lambda _: None, earlier=A_RUN_OF_ROWS)
    for entry in numbered(*[StepReady()] * 7, RunContinued(), run=RUN)[7:]:
        writer.put(entry)
    writer.close()
    assert RunStore(tmp_path).runs()[0].made_up == 0
