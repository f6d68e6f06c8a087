import asyncio
import os
import resource
import signal
import sqlite3
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from studio.errors import StoreError
from studio.ids import RunId, StepId
from studio.store.reader import RunStore
from studio.store.run_files import writer as writer_module
from studio.store.run_files.committer import Committer, Need, Written
from studio.store.run_files.whole_run import write_whole_run
from studio.store.run_files.writer import RunWriter
from studio.trace.events import (
    Entry,
    RunContinued,
    RunFailed,
    RunFinished,
    RunStarted,
    StepFinished,
    StepReady,
    StepStarted,
    TextStreamed,
)
from studio.trace.events.values import Shown
from studio.trace.fold.state import RunStatus
from tests.examples import examples
from tests.patience import patience
from tests.trace.builders import RUN, answer, by_kind, histories, numbered

Opens = Callable[..., RunWriter]


class Watcher:
    """Keeps what was published, and what of it could already be read from the file."""

    def __init__(self, store: RunStore, run: RunId = RUN) -> None:
        self._store = store
        self._run = run
        self.entries: list[Entry] = []
        self.threads: set[str] = set()
        self.too_early: list[int] = []

    def __call__(self, entries: Sequence[Entry]) -> None:
        stored = {entry.number for entry in self._store.entries(self._run)}
        self.too_early += [
            one.number
            for one in entries
            if one.number not in stored and not isinstance(one.event, TextStreamed)
        ]
        self.entries.extend(entries)
        self.threads.add(threading.current_thread().name)


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore(tmp_path / ".stepwire")


@pytest.fixture
def watcher(store: RunStore) -> Watcher:
    return Watcher(store)


@pytest.fixture
def writer(store: RunStore, watcher: Watcher) -> Iterator[RunWriter]:
    writer = RunWriter(store.new_run_path(RUN), watcher)
    yield writer
    writer.close()


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The names of what is synced to the disk."""
    names: list[str] = []
    sync = os.fsync

    def noted(descriptor: int) -> None:
        whose = os.fstat(descriptor)
        names.extend(one.name for one in tmp_path.rglob("*") if os.path.samestat(one.stat(), whose))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    return names


def put_all(writer: RunWriter, entries: Sequence[Entry]) -> None:
    for entry in entries:
        writer.put(entry)


A_RUN = numbered(
    RunStarted("Notes", "{}"),
    ("writer", StepReady()),
    ("writer", StepStarted({"prompt": Shown("why", ("user",))})),
    ("writer#chat.1", "writer", TextStreamed("be")),
    ("writer#chat.1", "writer", TextStreamed("cause")),
    ("writer#chat.1", "writer", answer("because", tokens=7, cost=0.5)),
    ("writer", StepFinished({"reply": Shown("because", ("chat",))})),
    RunFinished({"answer": Shown("because", ("chat",))}),
)


A_SHORT_RUN = numbered(
    RunStarted("Sum", "{}"),
    ("sum", StepReady()),
    ("sum", StepStarted({"x": Shown(1)})),
    ("sum", StepFinished({"value": Shown(2)})),
    RunFinished({"sum": Shown(2)}),
)
"""Nothing in it was paid for."""


async def test_nobody_sees_an_entry_before_it_is_on_disk(writer: RunWriter, watcher: Watcher) -> None:
    put_all(writer, A_RUN)
    await writer.committed()
    assert watcher.entries == A_RUN
    assert watcher.too_early == []
    assert watcher.threads == {"store writer"}


def test_streamed_text_is_seen_in_its_place_and_not_kept(
    writer: RunWriter, watcher: Watcher, store: RunStore
) -> None:
    put_all(writer, A_RUN)
    writer.close()
    assert watcher.entries == A_RUN
    assert list(store.entries(RUN)) == [one for one in A_RUN if not isinstance(one.event, TextStreamed)]


@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(histories())
def test_what_was_put_is_read_back(tmp_path: Path, entries: list[Entry]) -> None:
    store = RunStore(tmp_path)
    path = store.new_run_path(RUN)
    path.unlink(missing_ok=True)
    writer = RunWriter(path, lambda _: None)
    put_all(writer, entries)
    writer.close()
    kept = [one for one in entries if not isinstance(one.event, TextStreamed)]
    assert list(store.entries(RUN)) == kept
    state, summary = store.load(RUN), store.summary(RUN)
    assert (summary.status, summary.tokens, summary.flow_name) == (
        state.status,
        state.tokens,
        state.flow_name,
    )
    assert summary.cost == pytest.approx(state.cost)
    assert summary.started == state.started


def test_entries_of_many_threads_are_all_kept(store: RunStore) -> None:
    seen: list[int] = []
    writer = RunWriter(store.new_run_path(RUN), lambda entries: seen.extend(one.number for one in entries))

    turn, count = threading.Lock(), iter(range(1000))

    def put() -> None:
        (entry,) = numbered(("writer", StepReady()))
        for _ in range(250):
            with turn:
                writer.put(Entry(RUN, next(count), entry.step, entry.parent, entry.time, entry.event))

    threads = [threading.Thread(target=put) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close()
    assert seen == list(range(1000))
    assert [entry.number for entry in store.entries(RUN, after=-1)] == seen


def test_whoever_writes_faster_than_the_disk_waits(monkeypatch: pytest.MonkeyPatch, store: RunStore) -> None:
    monkeypatch.setattr(writer_module, "MOST_ENTRIES", 10)
    go, seen, most = threading.Event(), [0], [0]

    def publish(entries: Sequence[Entry]) -> None:
        go.wait()
        most[0] = max(most[0], len(entries))
        seen[0] += len(entries)

    writer = RunWriter(store.new_run_path(RUN), publish)
    put = [0]

    def produce() -> None:
        for entry in numbered(*[("w", StepReady())] * 100):
            writer.put(entry)
            put[0] += 1

    thread = threading.Thread(target=produce)
    thread.start()
    while put[0] < 10:
        pass
    assert thread.is_alive()
    assert put[0] <= 20  # at most one batch on its way to the disk, and one waiting
    go.set()
    thread.join()
    writer.close()
    assert seen == [100]
    assert most[0] <= 10


def test_a_value_larger_than_all_that_may_wait_still_passes(
    monkeypatch: pytest.MonkeyPatch, writer: RunWriter, store: RunStore
) -> None:
    monkeypatch.setattr(writer_module, "MOST_BYTES", 1000)
    entries = numbered(*[("w", StepFinished({"reply": Shown("x" * 5000)}))] * 3)
    put_all(writer, entries)
    writer.close()
    assert list(store.entries(RUN)) == entries


async def test_runs_that_share_a_thread_are_written_apart(store: RunStore) -> None:
    committer = Committer()
    runs = [RunId(f"run-{number}") for number in range(20)]
    watchers = {run: Watcher(store, run) for run in runs}
    writers = {run: RunWriter(store.new_run_path(run), watchers[run], committer=committer) for run in runs}
    for entry in A_RUN:
        for run, writer in writers.items():
            writer.put(Entry(run, entry.number, entry.step, entry.parent, entry.time, entry.event))
    await asyncio.gather(*(writer.committed() for writer in writers.values()))
    for run, watcher in watchers.items():
        assert [(one.run, one.event) for one in watcher.entries] == [(run, one.event) for one in A_RUN]
        writers[run].close()
    committer.close()
    assert {thread.name for thread in threading.enumerate()}.isdisjoint({"store writer"})


def returns_at_once(waiting: Coroutine[Any, Any, None]) -> bool:
    """Whether it ends without having waited for anything."""
    try:
        waiting.send(None)
    except StopIteration:
        return True
    waiting.close()
    return False


async def test_to_wait_for_nothing_returns_at_once(writer: RunWriter) -> None:
    assert returns_at_once(writer.committed())
    put_all(writer, A_RUN)
    await writer.committed()
    assert returns_at_once(writer.committed())


def test_a_run_that_finds_a_full_disk_leaves_no_file(store: RunStore) -> None:
    path = store.new_run_path(RUN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(StoreError, match="can't be stored"):
            RunWriter(path, lambda _: None)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    assert store.runs() == []


async def test_a_full_disk_fails_the_run_and_shows_nothing_as_done(
    writer: RunWriter, watcher: Watcher, store: RunStore
) -> None:
    put_all(writer, A_RUN[:3])
    await writer.committed()
    connection = writer._file._connection
    assert isinstance(connection, sqlite3.Connection)
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count={pages}").fetchall()
    noise = Random(1).randbytes(30_000).hex()  # noqa: S311  # nothing that gets much smaller
    put_all(writer, numbered(*[StepReady()] * 3, ("writer", StepFinished({"reply": Shown(noise)})))[3:])
    with pytest.raises(StoreError, match="database or disk is full"):
        await writer.committed()
    assert writer.failed is not None
    assert writer.failed.hint
    put_all(writer, numbered(("writer", StepFinished()), RunFailed("StoreError", writer.failed.message)))
    writer.close()
    assert by_kind(watcher.entries) == ["run_started", "step_ready", "step_started", "run_failed"]
    assert list(store.entries(RUN)) == A_RUN[:3]
    assert store.load(RUN).status == "interrupted"


def test_a_run_that_cannot_have_a_file_says_where_and_why(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file where the folder should be")
    with pytest.raises(StoreError, match="can't be made"):
        RunStore(tmp_path).new_run_path(RUN)
    with pytest.raises(StoreError, match=r"can't be stored in `.*runs`"):
        RunWriter(tmp_path / "runs" / "x.db", lambda _: None)


def test_a_file_is_never_written_twice(writer: RunWriter, store: RunStore) -> None:
    put_all(writer, A_RUN)
    writer.close()
    with pytest.raises(StoreError, match="can't be stored"):
        RunWriter(store.new_run_path(RUN), lambda _: None)
    assert store.load(RUN).status == "finished"


def test_a_listener_that_breaks_ends_the_run_and_not_the_thread(store: RunStore) -> None:
    def publish(_: Sequence[Entry]) -> None:
        raise ZeroDivisionError

    writer = RunWriter(store.new_run_path(RUN), publish)
    put_all(writer, A_RUN)
    with pytest.raises(StoreError, match="ZeroDivisionError"):
        asyncio.run(writer.committed())
    writer.close()


def test_a_closed_run_takes_nothing_more(writer: RunWriter) -> None:
    writer.close()
    writer.close()
    with pytest.raises(StoreError, match="closed"):
        writer.put(A_RUN[0])


def test_what_json_cannot_say_is_refused_where_it_is_put(writer: RunWriter) -> None:
    with pytest.raises(StoreError, match=r"step `writer` can't be stored \(step_finished\)"):
        writer.put(numbered(("writer", StepFinished({"reply": Shown(object())})))[0])


def test_odd_text_and_huge_numbers_are_stored(writer: RunWriter, store: RunStore) -> None:
    put_all(writer, numbered(("w", StepFinished({"reply": Shown(["\ud800 half", 10**30])}))))
    writer.close()
    assert next(store.entries(RUN)).event == StepFinished({"reply": Shown(["\ufffd half", 10**30])})


async def test_a_cancelled_wait_harms_nobody(store: RunStore, watcher: Watcher) -> None:
    may_go_on = threading.Event()

    def listen(entries: Sequence[Entry]) -> None:
        may_go_on.wait(patience())
        watcher(entries)

    writer = RunWriter(store.new_run_path(RUN), listen)
    put_all(writer, A_RUN)
    waiting = asyncio.create_task(writer.committed())
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    may_go_on.set()
    await writer.committed()
    assert watcher.entries == A_RUN
    writer.close()


def test_only_the_owner_may_read_a_run(writer: RunWriter, store: RunStore) -> None:
    put_all(writer, A_RUN)
    files = list((store.root / "runs").iterdir())
    assert files
    assert all(file.stat().st_mode & 0o077 == 0 for file in files)


def test_a_file_of_a_closed_run_stands_alone(writer: RunWriter, store: RunStore) -> None:
    put_all(writer, A_RUN)
    writer.close()
    assert [file.name for file in (store.root / "runs").iterdir()] == [f"{RUN}.db"]


@pytest.mark.parametrize(("steps", "page"), [(10, 1024), (2000, 4096)])
def test_a_short_run_has_a_file_of_small_pages_and_a_long_one_of_large(
    store: RunStore, steps: int, page: int
) -> None:
    made = ((f"writer.{step}", StepFinished({"text": Shown("a")})) for step in range(steps))
    entries = numbered(RunStarted("f", "{}"), *made)
    path = store.new_run_path(RUN)
    write_whole_run(path, entries)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA page_size").fetchone() == (page,)
    assert list(store.entries(RUN)) == entries
    if page == 1024:
        assert path.stat().st_size < 12_000


async def test_the_journal_is_emptied_while_nothing_happens_and_nothing_is_lost(
    writer: RunWriter, watcher: Watcher, store: RunStore
) -> None:
    put_all(writer, A_RUN[:6])
    await writer.committed()
    journal = store.new_run_path(RUN).with_suffix(".db-wal")
    assert journal.stat().st_size > 0
    writer.rest()
    assert journal.stat().st_size == 0
    put_all(writer, A_RUN[6:])
    writer.close()
    assert store.load(RUN).status == "finished"
    assert watcher.too_early == []


async def test_whoever_waits_while_the_disk_fails_is_told(store: RunStore) -> None:
    going, failing = threading.Event(), threading.Event()

    def publish(_: Sequence[Entry]) -> None:
        going.set()
        failing.wait()
        raise OSError(28, "No space left on device")

    writer = RunWriter(store.new_run_path(RUN), publish)
    writer.put(A_RUN[0])
    await asyncio.to_thread(going.wait)
    waiting = [asyncio.create_task(writer.committed()) for _ in range(3)]
    await asyncio.sleep(0)
    failing.set()
    for told in await asyncio.gather(*waiting, return_exceptions=True):
        assert isinstance(told, StoreError)
    writer.close()


class _ByHand(Committer):
    """A committer that commits when the test says so, and as it says."""

    def add(self, run: Written, need: Need) -> None:
        del run, need


async def test_a_batch_is_durable_if_anything_in_it_has_to_be_whatever_it_was_taken_for(
    tmp_path: Path, synced: list[str]
) -> None:
    committer = _ByHand()
    seen: list[Entry] = []
    writer = RunWriter(tmp_path / "r.db", seen.extend, committer=committer)
    for event, durable, kept in (
        (StepReady(), False, False),
        (StepFinished(), True, True),
        (StepStarted(), False, False),
        (answer("bees"), False, True),
    ):
        writer.put(Entry(RunId("r"), len(seen) + 1, StepId("a"), StepId(""), 1.0, event), durable=durable)
        synced.clear()
        writer.commit(is_durable=False)  # the committer had decided before the entry came
        assert ("r.db-wal" in synced) is kept
    writer.close()


async def test_to_wait_for_what_can_be_computed_again_costs_no_wait_for_the_disk(
    writer: RunWriter, watcher: Watcher, synced: list[str]
) -> None:
    put_all(writer, A_RUN[:3])
    await writer.committed()
    assert watcher.entries == A_RUN[:3]
    assert watcher.too_early == []
    assert synced == []
    put_all(writer, A_RUN[3:6])  # an answer that was paid for
    await writer.committed()
    assert synced == ["runs", f"{RUN}.db", f"{RUN}.db-wal"]


def test_an_answer_outlives_the_process_as_soon_as_it_is_put(tmp_path: Path) -> None:
    path = RunStore(tmp_path).new_run_path(RUN)
    writer = RunWriter(path, lambda _: None, committer=_ByHand())
    put_all(writer, A_RUN[:6])
    kept = [one for one in A_RUN[:6] if not isinstance(one.event, TextStreamed)]
    assert list(RunStore(tmp_path).entries(RUN)) == kept
    writer.close()


async def test_an_answer_is_put_while_the_disk_is_slow_to_sync_another(
    writer: RunWriter, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    syncing, synced = threading.Event(), threading.Event()

    def slowly(_: int) -> None:
        syncing.set()
        synced.wait()

    monkeypatch.setattr(os, "fsync", slowly)
    put_all(writer, A_RUN[:6])
    first = asyncio.create_task(writer.committed())
    await asyncio.to_thread(syncing.wait)
    (another,) = numbered(*[StepReady()] * 6, ("critic#chat.1", "critic", answer("so")))[6:]
    writer.put(another)
    assert list(store.entries(RUN))[-1] == another
    assert not first.done()
    synced.set()
    await first
    await writer.committed()


async def test_a_run_that_is_over_at_once_is_written_in_one_piece(
    writer: RunWriter, watcher: Watcher, store: RunStore
) -> None:
    assert store.runs()[0].status is RunStatus.RUNNING
    put_all(writer, A_SHORT_RUN)
    await writer.committed()
    assert writer._file._connection is None
    assert watcher.too_early == []
    assert [file.name for file in (store.root / "runs").iterdir()] == [f"{RUN}.db"]
    assert store.runs()[0].status is RunStatus.FINISHED


async def test_a_run_goes_on_after_its_end_was_written_in_one_piece(
    writer: RunWriter, watcher: Watcher, store: RunStore
) -> None:
    put_all(writer, A_SHORT_RUN)
    await writer.committed()
    for more in ([RunFailed("E", "late")], [RunContinued(), StepReady()]):
        put_all(writer, numbered(*[StepReady()] * len(watcher.entries), *more)[len(watcher.entries) :])
        await writer.committed()
    assert watcher.too_early == []
    writer.close()
    kept = [one for one in watcher.entries if not isinstance(one.event, TextStreamed)]
    assert list(store.entries(RUN)) == kept
    assert store.load(RUN).status is RunStatus.INTERRUPTED


async def test_many_small_batches_become_one_row_and_whoever_reads_meanwhile_misses_none(
    tmp_path: Path,
) -> None:
    store = RunStore(tmp_path)
    writer = RunWriter(store.new_run_path(RUN), lambda _: None, committer=_ByHand())
    count = 500
    steps = [("w", StepFinished({"reply": Shown([number, "long " * 600])})) for number in range(count)]
    entries = numbered(*steps)
    readers: list[Iterator[Entry]] = []
    read: list[list[int]] = []
    for number, entry in enumerate(entries):
        writer.put(entry)
        writer.commit(is_durable=False)
        if number % 50 == 0:
            readers.append(store.entries(RUN))
            read.append([])
        for reader, numbers in zip(readers, read, strict=True):
            numbers.append(next(reader).number)
    for reader, numbers in zip(readers, read, strict=True):
        numbers += [one.number for one in reader]
        assert numbers == list(range(1, count + 1))
    writer.close()
    assert list(store.entries(RUN)) == entries
    connection = sqlite3.connect(store.new_run_path(RUN))
    ((rows,),) = connection.execute("SELECT count(*) FROM chunks")
    connection.close()
    assert rows < 64 + count / 64
