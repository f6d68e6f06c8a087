"""The entries of a run once more, from the first: whoever looks at an earlier moment folds them anew."""

from collections.abc import Callable, Iterable
from pathlib import Path

from studio.app.runs.live_run import LiveRun
from studio.store.reader import RunStore
from studio.trace.events import Entry


def entries_again(private: Path) -> Callable[[LiveRun], Iterable[Entry]]:
    """Give what reads a run of the project that keeps its runs in `private`; it raises `StoreError`."""
    return lambda run: RunStore(private).entries(run.run)
