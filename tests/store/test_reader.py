import fcntl
import os
import sqlite3
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from studio.errors import StoreError, UsageError
from studio.ids import RunId
from studio.store.reader import RunStore
from studio.store.run_files.owner import Owner, this_process
from studio.store.run_files.writer import RunWriter
from studio.trace.events import Event, RunFailed, RunFinished, RunHeld, RunStarted, StepFinished, StepStarted
from studio.trace.events.values import Shown
from studio.trace.fold.state import RunStatus
from tests.trace.builders import answer, numbered

Writes = Callable[..., RunId]


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore(tmp_path / ".stepwire")


@pytest.fixture
def write(store: RunStore) -> Writes:
    def write_run(name: str, *happenings: Event | tuple[str, Event]) -> RunId:
        writer = RunWriter(store.new_run_path(RunId(name)), lambda _: None)
        for entry in numbered(RunStarted("Notes", "{}", profile="scripted"), *happenings, run=name):
            writer.put(entry)
        writer.close()
        return RunId(name)

    return write_run


def test_runs_are_listed_newest_first_with_what_they_cost(store: RunStore, write: Writes) -> None:
    write("20261121-000001-0", ("w", StepStarted()), ("w#chat.1", answer("a", 12, 0.25)), RunFinished())
    write("20261121-000002-0", RunFailed("ToolError", "No such file."))
    newest, oldest = store.runs()
    assert (newest.run, newest.status, newest.error) == (
        "20261121-000002-0",
        RunStatus.FAILED,
        "No such file.",
    )
    assert (oldest.flow_name, oldest.profile, oldest.status) == ("Notes", "scripted", RunStatus.FINISHED)
    assert (oldest.tokens, oldest.cost, oldest.steps) == (12, 0.25, 1)
    assert (oldest.started, oldest.ended) == (1.0, 4.0)


def test_a_project_without_runs_has_an_empty_list_and_stays_untouched(store: RunStore) -> None:
    assert store.runs() == []
    assert not store.root.exists()


def test_the_store_keeps_itself_out_of_git(store: RunStore, write: Writes) -> None:
    write("a", RunFinished())
    assert (store.root / ".gitignore").read_text() == "*\n"


def test_a_deleted_or_damaged_index_loses_nothing(store: RunStore, write: Writes) -> None:
    write("a", RunFinished())
    write("b", RunFailed("E", "m"))
    listed = store.runs()
    index = store.root / "index.db"
    assert index.is_file()
    index.unlink()
    assert store.runs() == listed
    index.write_bytes(b"this is no database" * 100)
    assert store.runs() == listed
    assert store.runs() == listed


def test_a_list_reads_a_run_that_has_ended_only_once(store: RunStore, write: Writes) -> None:
    run = write("a", RunFinished())
    listed = store.runs()
    path = store.root / "runs" / f"{run}.db"
    stat = path.stat()
    path.write_bytes(b"x" * stat.st_size)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert store.runs() == listed
    os.utime(path)
    assert store.runs()[0].damaged


def test_a_run_whose_file_is_gone_leaves_the_list(store: RunStore, write: Writes) -> None:
    write("a", RunFinished())
    gone = write("b", RunFinished())
    store.runs()
    (store.root / "runs" / f"{gone}.db").unlink()
    assert [one.run for one in store.runs()] == ["a"]


def test_a_damaged_run_is_listed_as_such_and_hides_no_other(store: RunStore, write: Writes) -> None:
    write("a", RunFinished())
    write("b", RunFinished())
    for name, content in {"c": b"", "d": b"no database " * 1000}.items():
        (store.root / "runs" / f"{name}.db").write_bytes(content)
    listed = {one.run: one for one in store.runs()}
    assert [run for run, one in listed.items() if one.damaged] == ["d", "c"]
    assert listed[RunId("a")].status is RunStatus.FINISHED
    for name in "cd":
        with pytest.raises(StoreError, match="damaged"):
            store.load(RunId(name))
    assert (store.root / "runs" / "c.db").read_bytes() == b""
    assert (store.root / "runs" / "d.db").read_bytes() == b"no database " * 1000


@pytest.mark.parametrize("size", [0, 100, 1024, 4096, 7000])
def test_a_run_file_cut_anywhere_is_an_error_and_not_a_crash(
    store: RunStore, write: Writes, size: int
) -> None:
    run = write("a", *[("w", StepFinished({"reply": Shown("x" * 900)}))] * 20, RunFinished())
    path = store.root / "runs" / f"{run}.db"
    whole = path.read_bytes()
    assert size < len(whole)
    path.write_bytes(whole[:size])
    assert store.runs()[0].run == run
    with pytest.raises(StoreError):
        store.load(run)


def test_an_entry_that_makes_no_sense_is_named(store: RunStore, write: Writes) -> None:
    run = write("a", ("w", StepStarted()), RunFinished())
    connection = sqlite3.connect(store.root / "runs" / "a.db")
    place = 1
    for chunk, packed in connection.execute("SELECT rowid, body FROM chunks ORDER BY rowid").fetchall():
        columns = orjson.loads(zlib.decompress(packed))
        if 0 <= place < len(columns[4]):
            columns[4][place] = {}
            body = zlib.compress(orjson.dumps(columns))
            connection.execute("UPDATE chunks SET body = ? WHERE rowid = ?", (body, chunk))
        place -= len(columns[4])
    connection.commit()
    connection.close()
    entries = store.entries(run)
    assert next(entries).number == 1
    with pytest.raises(StoreError, match="Entry 2 of the run `a` is damaged"):
        next(entries)


def test_a_run_that_is_not_there_is_an_error(store: RunStore) -> None:
    with pytest.raises(StoreError, match="is missing"):
        store.load(RunId("a"))


def test_reading_goes_on_after_a_given_entry(store: RunStore, write: Writes) -> None:
    run = write("a", *[("w", StepStarted())] * 2500, RunFinished())
    assert [one.number for one in store.entries(run, after=1500)] == list(range(1501, 2503))


@pytest.mark.parametrize("of", ["another", "this"])
def test_what_a_kill_left_before_a_run_had_its_file_is_in_nobodys_way(
    store: RunStore, write: Writes, of: str
) -> None:
    process = os.getpid() if of == "this" else 7
    left = store.new_run_path(RunId("a")).with_suffix(f".db.{process}.new")
    left.write_bytes(b"half")
    assert store.runs() == []
    assert len(list(store.entries(write("a", RunFinished())))) == 2


def test_a_run_that_is_being_written_can_be_read(store: RunStore) -> None:
    writer = RunWriter(store.new_run_path(RunId("a")), lambda _: None)
    writer.put(numbered(RunStarted("Notes", "{}"), run="a")[0])
    writer.put(replace(numbered(RunHeld(), run="a")[0], number=2))
    writer.put(replace(numbered(("w#chat.1", answer("x")), run="a")[0], number=3))
    while store.summary(RunId("a")).status is not RunStatus.HELD:
        pass
    assert store.load(RunId("a")).status is RunStatus.HELD
    writer.close()


def test_a_run_abandoned_by_a_living_process_is_interrupted(store: RunStore, write: Writes) -> None:
    run = write("a", ("w", StepStarted()))
    assert store.summary(run).status is RunStatus.INTERRUPTED
    state = store.load(run)
    assert (state.status, state.steps["w"].status) == ("interrupted", "cancelled")


@pytest.mark.parametrize("wanted", ["latest", "20261121-000002-b", "20261121-000002", "20261121-000002-b00"])
def test_a_run_is_found_by_its_id_the_beginning_of_it_or_as_the_latest(
    store: RunStore, write: Writes, wanted: str
) -> None:
    write("20261121-000001-a00", RunFinished())
    write("20261121-000002-b00", RunFinished())
    assert store.find(wanted) == "20261121-000002-b00"


@pytest.mark.parametrize(
    ("wanted", "message"), [("2026", "matches 2 runs"), ("x", "no run `x`"), ("", "no run")]
)
def test_a_name_that_fits_no_run_or_several_is_refused(
    store: RunStore, write: Writes, wanted: str, message: str
) -> None:
    with pytest.raises(UsageError, match="no run `latest`"):
        store.find("latest")
    write("20261121-000001-a00", RunFinished())
    write("20261121-000002-b00", RunFinished())
    with pytest.raises(UsageError, match=message):
        store.find(wanted)


def test_a_recycled_process_id_is_not_the_process() -> None:
    me = this_process()
    assert me.is_alive()
    assert not Owner(me.pid, "another boot:1").is_alive()
    assert not Owner(2**22 + 1, me.born).is_alive()


def test_an_index_that_another_process_writes_is_left_to_it(store: RunStore, write: Writes) -> None:
    write("a", RunFinished())
    with (store.root / "index.lock").open("wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert [one.run for one in store.runs()] == ["a"]
        assert not (store.root / "index.db").exists()
    assert [one.run for one in store.runs()] == ["a"]
    assert (store.root / "index.db").exists()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE chunks SET body = x'00ff' WHERE first = 2",
        "UPDATE large_values SET new = x'00ff'",
        "UPDATE large_values SET parts = '[[7,0,5]]'",
        "DELETE FROM large_values",
    ],
)
async def test_what_stands_before_damage_can_be_read_and_the_damage_is_named(
    store: RunStore, damage: str
) -> None:
    path = store.new_run_path(RunId("a"))
    writer = RunWriter(path, lambda _: None)
    entries = numbered(RunStarted("Notes", "{}"), ("w", StepFinished({"x": Shown("long " * 999)})), run="a")
    for entry in entries:
        writer.put(entry)
        await writer.committed()
    writer.close()
    connection = sqlite3.connect(path)
    connection.execute(damage)
    connection.commit()
    connection.close()
    read = store.entries(RunId("a"))
    assert next(read) == entries[0]
    with pytest.raises(StoreError, match="Entry 2 of the run `a` is damaged"):
        next(read)
