"""The trials of an experiment, thrown away with their runs."""

from typing import NamedTuple

from studio.errors import UsageError
from studio.experiments.trial_index import index_path
from studio.experiments.trial_store import TrialStore, store_path
from studio.store.holds import held_runs
from studio.store.reader import RunStore
from studio.workspace.project import Project


class Discarded(NamedTuple):
    """What goes, or would go: runs that another experiment names as well are not among them."""

    trials: int
    runs: int
    bytes: int


def discard(project: Project, name: str, *, is_meant: bool) -> Discarded:
    """Delete an experiment's trials and their runs; unless it `is_meant`, only tell what would go.

    Killed on the way, it can be called again. Raises `UsageError` where nothing is stored or the experiment
    is running, and `StoreError` where something cannot be read or deleted.
    """
    if not store_path(project, name).is_file():
        raise UsageError(f"The experiment `{name}` has no stored trials.")
    store = RunStore(project.private)
    with TrialStore(project, name) as trials:
        named = held_runs(project.private, {name}) - held_runs(project.private, without={name})
        runs = [run for run in sorted(named) if store.path(run).is_file()]
        found = Discarded(trials.count(), len(runs), sum(map(store.size, runs)))
        if is_meant:
            store.remove(*runs)
            trials.clear()
            index_path(project, name).unlink(missing_ok=True)
    return found
