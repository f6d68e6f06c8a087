"""An experiment, run or gone on with: what is left of its table, within its budget, kept as it comes."""

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from studio.errors import UsageError
from studio.experiments.executors import Control, Executor
from studio.experiments.opening import OpenExperiment
from studio.experiments.scorers import Score
from studio.experiments.trial_store import TrialStore
from studio.experiments.trials import Cell, Job, Outcome, Trial, TrialState, cells_of
from studio.store.run_ids import new_run_id

NOTED = 64
"""Trials that are noted on disk at a time, before they begin."""

AMPLE = 4
"""How many times the mean cost of a trial is held back for one."""

KEPT_EVERY = 0.25
"""Seconds after which outcomes are kept at the latest."""


@dataclass(frozen=True, slots=True)
class Table:
    """All cells of an experiment, its trials by key, and scores by key and name of the scorer.

    `reused` trials were there before, and `shared` cells have the trial of another cell.
    """

    cells: Sequence[Cell]
    trials: Mapping[str, Trial]
    scores: Mapping[tuple[str, str], Score]
    ran: int = 0
    reused: int = 0
    shared: int = 0
    stopped: str = ""
    """Why it is not whole; empty where it is."""

    def trial(self, cell: Cell) -> Trial | None:
        """Give the trial of a cell, where there is one that is over."""
        found = self.trials.get(cell.key)
        return found if found is not None and found.state.is_over else None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an experiment is; `cost` in US dollars, of this time, judges included."""

    done: int
    total: int
    cost: float
    seconds: float

    @property
    def remaining(self) -> float | None:
        """The seconds that are left, at the pace so far; None before the first trial."""
        return (self.total - self.done) * self.seconds / self.done if self.done else None


@dataclass(frozen=True, slots=True)
class Estimate:
    """What running an experiment would take, before anything is bought.

    `cost` in US dollars is by the mean of stored trials of the same variant; None where nothing is known.
    `most` is what it cannot pass: the limit of a trial on its cost, for each; None where there is none.
    """

    to_run: int
    reused: int
    is_free: bool
    cost: float | None
    most: float | None


def estimated(opened: OpenExperiment, store: TrialStore) -> Estimate:
    """Tell what is left to run, and what it would cost."""
    stored = store.trials()
    cells = list({cell.key: cell for cell in cells_of(opened)}.values())
    left = [cell for cell in cells if not _is_over(stored.get(cell.key))]
    free = all(one.is_free for one in opened.variants.values())
    means: dict[str, float] = {}
    for name in opened.variants:
        costs = [
            stored[one.key].cost for one in cells if one.variant == name and _is_over(stored.get(one.key))
        ]
        if costs:
            means[name] = sum(costs) / len(costs)
    cost = sum(means[one.variant] for one in left) if all(one.variant in means for one in left) else None
    limits = [opened.variants[one.variant].limits.get("cost") for one in left]
    most = None if None in limits else sum(one for one in limits if one is not None)
    return Estimate(len(left), len(cells) - len(left), free, 0.0 if free else cost, most)


def run_experiment(
    opened: OpenExperiment,
    store: TrialStore,
    executor: Executor,
    *,
    control: Control | None = None,
    max_cost: float | None = None,
    is_rescored: bool = False,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Table:
    """Run what is left of an experiment, and give its table.

    Equal trials are run once, and those of before are taken from the store. `max_cost` bounds in US dollars
    what is spent this time, judges included; it may be passed by the one call of each trial under way. With
    `is_rescored` nothing is run, and all that is stored is scored by the present scorers. Raises `UsageError`
    for a cost that is none.
    """
    if max_cost is not None and not max_cost > 0:
        raise UsageError(
            "The cost of an experiment cannot be bounded like that.", hint="Pass US dollars above 0."
        )
    supply = _Supply(opened, store, max_cost, on_progress, is_rescored=is_rescored)
    control = control or Control()
    try:
        executor.execute(opened, supply, control)
    finally:
        supply.flush()
    stopped = "It was cancelled." if control.is_cancelled else supply.why_stopped
    return replace(supply.table(), stopped=stopped)


def table_of(opened: OpenExperiment, store: TrialStore) -> Table:
    """Give the table as far as it is stored."""
    return _Supply(opened, store, None, lambda _: None, is_rescored=True).table()


@dataclass(slots=True)
class _Spent:
    """US dollars that trials took, and how many of them."""

    dollars: float = 0.0
    trials: int = 0
    under_way: dict[str, float] = field(default_factory=dict[str, float])
    """What is held back for those under way, by key: what each may cost."""
    times: dict[str, int] = field(default_factory=dict[str, int])
    """How often a trial wanted more than what was held back for it."""


class _Supply:
    """What is left of an experiment; implements `Supply`."""

    def __init__(
        self,
        opened: OpenExperiment,
        store: TrialStore,
        max_cost: float | None,
        on_progress: Callable[[Progress], None],
        *,
        is_rescored: bool,
    ) -> None:
        self._opened = opened
        self._store = store
        self._max_cost = max_cost
        self._on_progress = on_progress
        self._digests = {name: one.digest for name, one in opened.scorers.items()}
        self._trials = store.trials()
        self._scores = store.scores()
        self._cells = list(cells_of(opened))
        self._cell_of = {cell.key: cell for cell in reversed(self._cells)}
        self._waiting: deque[Job] = deque()
        self._noted: set[str] = set()
        self._runs: set[str] = {one.run for one in self._trials.values()}
        self._kept: list[Outcome] = []
        self._began = self._flushed = time.monotonic()
        self._spent = _Spent()
        self._done = self._ran = self._reused = 0
        self.why_stopped = ""
        self._list_jobs(is_rescored=is_rescored)
        self._total = len(self._waiting)

    def take(self, most: int) -> Sequence[Job]:
        """Give the next jobs that the budget allows, noted on disk."""
        taken: list[Job] = []
        while self._waiting and len(taken) < most:
            job = self._waiting[0]
            budget = self._budget(job)
            if budget is not None and budget <= 0:
                if not self._spent.under_way:
                    left = len(self._waiting)
                    self.why_stopped = f"The cost limit was reached; {left} trials are left."
                break
            self._waiting.popleft()
            self._spent.under_way[job.cell.key] = budget or 0.0
            taken.append(job._replace(budget=budget))
        self._note(taken)
        return taken

    def put(self, outcome: Outcome) -> None:
        """Take what a job gave; it is on disk within a moment."""
        before = self._trials.get(outcome.trial.key)
        already = before.cost if before is not None and before.state is not TrialState.PLANNED else 0.0
        self._spent.dollars += max(outcome.trial.cost - already, 0.0)
        self._spent.dollars += sum(one.cost for one in outcome.scores.values())
        self._spent.trials += 1
        self._spent.under_way.pop(outcome.trial.key, None)
        self._trials[outcome.trial.key] = outcome.trial
        if outcome.trial.state is TrialState.STOPPED and self._max_cost is not None:
            self._spent.times[outcome.trial.key] = self._spent.times.get(outcome.trial.key, 0) + 1
            self._waiting.append(
                Job(self._cell_of[outcome.trial.key], outcome.trial.run, list(self._digests))
            )
        else:
            self._done += 1
        for name, score in outcome.scores.items():
            self._scores[outcome.trial.key, self._digests[name]] = score
        self._kept.append(outcome)
        now = time.monotonic()
        if now - self._flushed > KEPT_EVERY:
            self.flush()
        self._on_progress(Progress(self._done, self._total, self._spent.dollars, now - self._began))

    def flush(self) -> None:
        """Keep what waits to be kept."""
        if self._kept:
            self._store.keep(self._kept, self._digests)
            self._kept = []
        self._flushed = time.monotonic()

    def table(self) -> Table:
        """Give the table as it is now."""
        keys = {one.key for one in self._cells}
        scores = {
            (key, name): score
            for key in keys
            for name, digest in self._digests.items()
            if (score := self._scores.get((key, digest))) is not None
        }
        trials = {key: one for key, one in self._trials.items() if key in keys}
        return Table(self._cells, trials, scores, self._ran, self._reused, len(self._cells) - len(keys))

    def _list_jobs(self, *, is_rescored: bool) -> None:
        """List what is to run, and what is only to be scored."""
        for cell in reversed(self._cell_of.values()):
            known = self._trials.get(cell.key)
            missing = [
                name
                for name, digest in self._digests.items()
                if (score := self._scores.get((cell.key, digest))) is None or score.score is None
            ]
            if _is_over(known) and known is not None:
                self._reused += 1
                if missing:
                    self._waiting.append(Job(cell, known.run, missing, known))
            elif not is_rescored:
                self._ran += 1
                run = known.run if known is not None else ""
                self._waiting.append(Job(cell, run, list(self._digests)))

    def _note(self, jobs: list[Job]) -> None:
        """Name the runs of jobs and note them; more than these, so that the disk is asked seldom."""
        for at, job in enumerate(jobs):
            if not job.run:
                jobs[at] = job._replace(run=self._new_run())
        fresh = [one for one in jobs if one.cell.key not in self._noted and one.known is None]
        if not fresh:
            return
        for at, job in zip(range(NOTED), list(islice(self._waiting, NOTED)), strict=False):
            named = job if job.run else job._replace(run=self._new_run())
            self._waiting[at] = named
            if named.known is None and named.cell.key not in self._noted:
                fresh.append(named)
        self._noted |= {one.cell.key for one in fresh}
        self._store.plan((one.cell.key, one.run) for one in fresh)

    def _new_run(self) -> str:
        """Name a run as all are, and as no other."""
        while (name := new_run_id(time.time)) in self._runs:
            continue
        self._runs.add(name)
        return name

    def _budget(self, job: Job) -> float | None:
        """What a job may cost; 0 where it has to wait, or nothing is left.

        The first goes alone, since nobody knows what a trial costs. From then on each has a few times the
        mean, and one that wanted more has more when it goes on: all together never pass what is left.
        """
        if self._max_cost is None or job.known is not None:
            return None
        left = self._max_cost - self._spent.dollars - sum(self._spent.under_way.values())
        if not self._spent.trials:
            return 0.0 if self._spent.under_way else left
        mean = self._spent.dollars / self._spent.trials
        return min(left, mean * AMPLE ** (1 + self._spent.times.get(job.cell.key, 0)) or left)


def _is_over(trial: Trial | None) -> bool:
    return trial is not None and trial.state.is_over
