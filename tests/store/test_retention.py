from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.errors import StoreError
from studio.ids import RunId
from studio.store.reader import RunStore
from studio.store.retention import MEGABYTE, Keeping, superfluous
from studio.store.run_files.writer import RunWriter
from studio.store.summary import RunSummary
from studio.trace.events import RunFinished, RunStarted
from studio.trace.fold.state import RunStatus
from tests.trace.builders import numbered

OVER = (RunStatus.FINISHED, RunStatus.FAILED, RunStatus.CANCELLED)


def named(*names: str) -> list[RunSummary]:
    """Runs that are over, newest first."""
    return [RunSummary(RunId(name), status=RunStatus.FINISHED) for name in names]


def test_nothing_goes_unless_somebody_says_how_much_is_enough() -> None:
    assert superfluous(named("b", "a"), {RunId("a"): 10**12}, Keeping()) == []
    assert not Keeping().is_limited


def test_the_oldest_go_first_until_the_rest_fits() -> None:
    runs = named("d", "c", "b", "a")
    sizes = {one.run: MEGABYTE for one in runs}
    assert superfluous(runs, sizes, Keeping(runs=3)) == ["a"]
    assert superfluous(runs, sizes, Keeping(megabytes=2)) == ["a", "b"]
    assert superfluous(runs, sizes, Keeping(runs=3, megabytes=1)) == ["a", "b", "c"]
    assert superfluous(runs, sizes, Keeping(runs=4, megabytes=4)) == []


def test_a_run_that_another_was_forked_from_goes_only_after_it() -> None:
    fork = RunSummary(RunId("c"), status=RunStatus.FINISHED, forked_from="a")
    runs = [fork, *named("b", "a")]
    assert superfluous(runs, {}, Keeping(runs=2)) == ["b"]
    assert superfluous(runs, {}, Keeping(runs=1)) == ["b", "c"]


def test_a_run_that_is_about_to_be_forked_makes_no_room_for_the_fork() -> None:
    assert superfluous(named("c", "b", "a"), {}, Keeping(runs=2), "a") == ["b"]


runs = st.lists(st.tuples(st.sampled_from(RunStatus), st.integers(0, 9), st.integers(0, 5)), max_size=8)


@given(runs, st.none() | st.integers(1, 9), st.none() | st.integers(0, 30))
def test_what_may_still_be_needed_stays(
    made: Sequence[tuple[RunStatus, int, int]], count: int | None, megabytes: int | None
) -> None:
    listed = [
        RunSummary(RunId(str(index)), status=status, forked_from=str(origin) if origin > index else "")
        for index, (status, origin, _) in enumerate(made)
    ]
    sizes = {RunId(str(index)): size * MEGABYTE for index, (_, _, size) in enumerate(made)}
    gone = superfluous(listed, sizes, Keeping(count, megabytes))
    kept = [one for one in listed if one.run not in gone]
    assert all(one.status in OVER for one in listed if one.run in gone)
    assert not {one.forked_from for one in kept} & set(gone)
    if count is not None and len(kept) > count:
        needed = {one.forked_from for one in kept}
        assert all(one.status not in OVER or one.run in needed for one in kept)


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    store = RunStore(tmp_path)
    for name in "ab":
        writer = RunWriter(store.new_run_path(RunId(name)), lambda _: None)
        for entry in numbered(RunStarted("Notes", "{}"), RunFinished(), run=name):
            writer.put(entry)
        writer.close()
    return store


def test_a_removed_run_is_gone_from_disk_list_and_search(store: RunStore) -> None:
    assert [hit.run for hit in store.search("notes")] == ["b", "a"]
    assert set(store.sizes()) == {"a", "b"}
    (old,) = store.superfluous(Keeping(runs=1))
    for left_by_a_kill in (".db.new", ".db.7.new"):
        store.new_run_path(old).with_suffix(left_by_a_kill).write_bytes(b"half")
    store.remove(old)
    assert [one.name for one in (store.root / "runs").iterdir()] == ["b.db"]
    assert [one.run for one in store.runs()] == ["b"]
    assert [hit.run for hit in store.search("notes")] == ["b"]


def test_old_runs_make_room_for_a_new_one_where_only_so_many_are_kept(store: RunStore) -> None:
    store.new_run_path(RunId("c"))
    assert set(store.sizes()) == {"a", "b"}
    store.new_run_path(RunId("c"), Keeping(runs=2))
    assert set(store.sizes()) == {"b"}


def test_a_run_that_goes_on_is_not_removed(store: RunStore) -> None:
    writer = RunWriter(store.new_run_path(RunId("c")), lambda _: None)
    with pytest.raises(StoreError, match="still running"):
        store.remove(RunId("c"))
    assert store.superfluous(Keeping(runs=1)) == ["a", "b"]
    writer.close()
