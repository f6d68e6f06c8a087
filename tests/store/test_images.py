"""Pictures beside the runs: each once, whole or not at all, and for as long as a run may have sent it."""

import hashlib
import os
from pathlib import Path

import pytest

from studio.errors import StoreError
from studio.ids import RunId, StepId
from studio.store.images import ImageFolder
from studio.store.reader import RunStore
from studio.store.run_files.writer import RunWriter
from studio.trace.events import Entry, RunFinished, RunStarted

WREN = b"a wren"
HASH = hashlib.sha256(WREN).hexdigest()


def test_a_picture_is_found_by_its_hash_and_only_as_it_was(tmp_path: Path) -> None:
    images = ImageFolder(tmp_path / "images")
    assert images.read(HASH) is None
    images.keep(HASH, WREN)
    images.keep(HASH, WREN)
    assert images.read(HASH) == WREN
    assert [one.name for one in (tmp_path / "images").iterdir()] == [HASH]
    (tmp_path / "images" / HASH).write_bytes(b"half")
    assert images.read(HASH) is None


def test_a_folder_that_takes_nothing_is_told(tmp_path: Path) -> None:
    (tmp_path / "images").write_text("a file")
    with pytest.raises(StoreError, match="can't be saved"):
        ImageFolder(tmp_path / "images").keep(HASH, WREN)


def stored(store: RunStore, run: str, started: float) -> None:
    """A run that began then, and is over."""
    writer = RunWriter(store.new_run_path(RunId(run)), lambda _: None)
    for number, event in enumerate([RunStarted("f", "{}"), RunFinished()], 1):
        writer.put(Entry(RunId(run), number, StepId(""), StepId(""), started + number, event))
    writer.close()


def test_with_the_last_run_that_may_have_sent_it_a_picture_goes(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    stored(store, "old", 1_000.0)
    stored(store, "new", 9_000.0)
    for name, used in (("older", 1_500.0), ("newer", 9_500.0)):
        store.images.keep(name, WREN)
        os.utime(tmp_path / "images" / name, (used, used))
    store.remove(RunId("old"))
    assert [one.name for one in (tmp_path / "images").iterdir()] == ["newer"]
    store.remove(RunId("new"))
    assert [one.name for one in (tmp_path / "images").iterdir()] == []
