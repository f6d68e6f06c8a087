"""Runs on disk, made to look as if something had happened to them."""

from pathlib import Path

from studio.ids import RunId
from studio.store.reader import RunStore
from studio.store.run_files.writer import RunWriter
from studio.trace.events import Entry


def cut_before(private: Path, node: str, kind: str, run: RunId | None = None) -> None:
    """Make a run look as if its process had died just before the last event of a kind in such a step."""
    store = RunStore(private)
    run = run or store.runs()[0].run
    entries = list(store.entries(run))
    last = max(
        at for at, one in enumerate(entries) if one.event.kind == kind and node in {one.step, _node(one)}
    )
    path = store.new_run_path(run)
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()
    writer = RunWriter(path, lambda _: None)
    for entry in entries[:last]:
        writer.put(entry)
    writer.close()


def _node(entry: Entry) -> str:
    return entry.step.rpartition("/")[2]
