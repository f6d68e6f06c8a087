"""Files of a store in which bytes were flipped are told of, or made anew; nothing else is raised."""

import random
import shutil
from contextlib import nullcontext, suppress
from pathlib import Path

import pytest

from studio.errors import StepwireError, StoreError
from studio.ids import RunId
from studio.store.reader import RunStore
from studio.store.run_files.writer import RunWriter
from studio.trace.events import LogWritten, RunFinished, RunStarted
from tests.trace.builders import numbered

ENTRIES = 62
"""Of each run."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of two runs that was searched."""
    root = tmp_path_factory.mktemp("whole") / ".stepwire"
    store = RunStore(root)
    for name in ("one", "two"):
        writer = RunWriter(store.new_run_path(RunId(name)), lambda _: None)
        said = [
            ("a", LogWritten(f"an owl, number {number}, heißt Nöck", "k")) for number in range(ENTRIES - 2)
        ]
        for entry in numbered(RunStarted("Owls", "{}"), *said, RunFinished(), run=name):
            writer.put(entry)
        writer.close()
    assert store.search("owl")
    return root


@pytest.mark.parametrize("name", ["runs/one.db", "search.db", "index.db"])
def test_a_damaged_store_is_searched_listed_and_read_as_far_as_it_goes(
    whole: Path, tmp_path: Path, name: str
) -> None:
    for seed in range(25):
        luck = random.Random(seed)  # noqa: S311  # the same bytes each time
        root = tmp_path / str(seed) / ".stepwire"
        shutil.copytree(whole, root)
        data = bytearray((root / name).read_bytes())
        for _ in range(len(data) // 40):
            data[luck.randrange(len(data))] = luck.randrange(256)
        (root / name).write_bytes(data)
        if seed % 2 and name.startswith("runs"):
            (root / "search.db").unlink()
        store = RunStore(root)
        with suppress(StepwireError):
            assert {hit.run for hit in store.search("owl")} <= {"one", "two"}
        assert {summary.run for summary in store.runs()} == {"one", "two"}
        assert len(list(store.entries(RunId("two")))) == ENTRIES
        with pytest.raises(StepwireError) if name == "runs/one.db" else nullcontext():
            assert len(list(store.entries(RunId("one")))) == ENTRIES


def test_who_comes_second_to_a_run_is_told_that_it_goes_on_elsewhere(tmp_path: Path) -> None:
    store = RunStore(tmp_path / ".stepwire")
    path = store.new_run_path(RunId("one"))
    entries = numbered(RunStarted("Owls", "{}"), run="one")
    first = RunWriter(path, lambda _: None)
    for entry in entries:
        first.put(entry)
    with pytest.raises(StoreError, match="running in another process") as caught:
        RunWriter(path, lambda _: None, earlier=entries)
    assert "disk" not in caught.value.hint
    first.close()
