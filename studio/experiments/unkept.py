"""An experiment in memory: all its trials are run and scored in this process, and kept nowhere."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from studio.experiments.executors import Control, InProcess
from studio.experiments.opening import OpenExperiment
from studio.experiments.scores import Score
from studio.experiments.table import Table
from studio.experiments.trials import Cell, Job, Outcome, Trial, cells_of


def run_unkept(opened: OpenExperiment, environ: Mapping[str, str]) -> Table:
    """Run all trials of an experiment once, with no run kept, and give its table."""
    cells = cells_of(opened)
    supply = _Supply(cells.distinct(), list(opened.scorers))
    InProcess(environ, is_kept=False).execute(opened, supply, Control())
    return Table(cells, supply.trials, supply.scores, ran=len(supply.trials), shared=cells.shared)


class _Supply:
    """Gives one trial after the other, and holds what came of them; implements `Supply`."""

    def __init__(self, cells: Iterator[Cell], scorers: Sequence[str]) -> None:
        self.trials: dict[str, Trial] = {}
        self.scores: dict[tuple[str, str], Score] = {}
        self._jobs = (Job(cell, f"unkept-{number}", scorers) for number, cell in enumerate(cells, 1))

    def take(self, most: int) -> Sequence[Job]:
        return list(islice(self._jobs, most))

    def put(self, outcome: Outcome) -> None:
        key = outcome.trial.key
        self.trials[key] = outcome.trial
        self.scores |= {(key, name): score for name, score in outcome.scores.items()}
