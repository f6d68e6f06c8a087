"""Runs on disk, made to look as if something had happened to them."""

from pathlib import Path

from studio.app.documents.session import Session
from studio.ids import RunId
from studio.past.replays import OldRun
from studio.sdk.registry import Registry
from studio.store.reader import RunStore
from studio.store.run_files.writer import RunWriter
from studio.trace.events import Entry
from studio.workspace.project import Project
from studio.workspace.runs import prepare, run_here
from tests.trusted import HERE


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


async def run_once(root: Path, registry: Registry) -> OldRun:
    """Run a project's main flow, and give the run as it is stored."""
    session = Session.open(root, registry)
    await run_here(prepare(Project.open(root), session.flow, session.registry, environ=HERE))
    return last_run(root)


def last_run(root: Path) -> OldRun:
    """The run of a project that began last."""
    store = RunStore(root / ".stepwire")
    return OldRun.read(store, store.runs()[0].run)


def _node(entry: Entry) -> str:
    return entry.step.rpartition("/")[2]
