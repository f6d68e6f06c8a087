"""An experiment in memory: its trials are run and scored in this process, and no table of them is kept."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice

from studio.experiments.executors import Control, InProcess
from studio.experiments.opening import OpenExperiment, require_trusted
from studio.experiments.scores import Score
from studio.experiments.table import Table
from studio.experiments.trials import Job, Outcome, Trial, cells_of


def run_unkept(opened: OpenExperiment, environ: Mapping[str, str]) -> Table:
    """Run all trials of an experiment once, no run kept, and give its table; raises `UnapprovedError`."""
    require_trusted(opened, environ)
    cells, scorers = cells_of(opened), list(opened.scorers)
    trials: dict[str, Trial] = {}
    scores: dict[tuple[str, str], Score] = {}

    def put(outcome: Outcome) -> None:
        key = outcome.trial.key
        trials[key] = outcome.trial
        scores.update({(key, name): score for name, score in outcome.scores.items()})

    jobs = (Job(cell, f"unkept-{number}", scorers) for number, cell in enumerate(cells.distinct(), 1))
    run_jobs(opened, jobs, put, InProcess(environ, is_kept=False))
    return Table(cells, trials, scores, ran=len(trials), shared=cells.shared)


def run_jobs(
    opened: OpenExperiment,
    jobs: Iterable[Job],
    put: Callable[[Outcome], None],
    executor: InProcess,
    control: Control | None = None,
) -> None:
    """Run jobs that are known from the start, and hand over what each gave as it comes."""
    executor.execute(opened, _Given(jobs, put), control or Control())


class _Given:
    """Gives one job after the other; implements `Supply`."""

    def __init__(self, jobs: Iterable[Job], put: Callable[[Outcome], None]) -> None:
        self._jobs, self._put = iter(jobs), put

    def take(self, most: int) -> Sequence[Job]:
        return list(islice(self._jobs, most))

    def put(self, outcome: Outcome) -> None:
        self._put(outcome)
