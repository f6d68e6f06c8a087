"""An experiment, run or gone on with: what is left of its table, within its budget, kept as it comes."""

import re
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from studio.errors import StepwireError, UsageError
from studio.experiments.equal_trials import by_page, take_over_equal
from studio.experiments.executors import Control, Executor, is_free
from studio.experiments.opening import OpenExperiment
from studio.experiments.scorers import given_of_row
from studio.experiments.spilled import HELD
from studio.experiments.table import Table, looks_of, table_of
from studio.experiments.trial_store import AT_A_TIME, TrialStore
from studio.experiments.trials import Cell, Job, Outcome, Trial, TrialState, cells_of
from studio.store.run_ids import new_run_id

AMPLE = 4
"""How many times the mean cost of a trial is held back for one."""

KEPT_EVERY = 0.25
"""Seconds after which outcomes are kept at the latest."""


ALIKE = 10
"""Trials that are bought while all fail for one reason; then no more begin."""


class TrialsFailedError(StepwireError):
    """All trials fail for the same reason, such as a wrong key, so that the others would fail as well."""


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
    cells = cells_of(opened)
    take_over_equal(store, cells)
    cells = table_of(opened, cells).cells
    left: Counter[str] = Counter()
    costs: dict[str, list[float]] = {name: [0, 0.0] for name in opened.variants}
    reused = 0
    for page in by_page(cells.distinct()):
        stored = store.trials([cell.key for cell in page], is_brief=True)
        for cell in page:
            known = stored.get(cell.key)
            if known is None or not known.state.is_over:
                left[cell.variant] += 1
                continue
            reused += 1
            costs[cell.variant][0] += 1
            costs[cell.variant][1] += known.cost
    free = all(one.is_free for one in opened.variants.values())
    is_known = all(costs[name][0] for name in left)
    cost = sum(count * costs[name][1] / costs[name][0] for name, count in left.items()) if is_known else None
    limits = {name: opened.variants[name].limits.get("cost") for name in left}
    most = sum(count * (limits[name] or 0.0) for name, count in left.items())
    return Estimate(
        left.total(), reused, free, 0.0 if free else cost, None if None in limits.values() else most
    )


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
    for a cost that is none, and `TrialsFailedError` where all of the first that are bought fail alike.
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
    table = table_of(opened, supply.all_cells)
    return replace(table, ran=supply.to_run, reused=supply.reused, stopped=stopped)


@dataclass(slots=True)
class _Spent:
    """US dollars that trials took, and how many of them."""

    dollars: float = 0.0
    trials: int = 0
    times: dict[str, int] = field(default_factory=dict[str, int])
    """How often a trial wanted more than what was held back for it."""


class _Failures:
    """Sees whether all trials of an experiment, from its first one on, fail for the same reason."""

    def __init__(self, *, is_looked_at: bool) -> None:
        self._is_looked_at = is_looked_at
        self._error = ""
        self._count = 0

    def see(self, trial: Trial) -> None:
        """Take in the next trial that ended."""
        failed = trial.state in (TrialState.PROVIDER, TrialState.FAILED)
        if not failed or (self._count and _alike(trial.error) != _alike(self._error)):
            self._is_looked_at = False
        self._error, self._count = trial.error, self._count + 1

    def refuse(self) -> None:
        """Raise `TrialsFailedError` where so many failed alike that the rest need not be tried."""
        if self._is_looked_at and self._count >= ALIKE:
            raise TrialsFailedError(
                f"The first {self._count} trials all failed for the same reason: {self._error}",
                hint="Fix it and run the experiment again: it resumes.",
            )


def _alike(error: str) -> str:
    """An error without what names one request: numbers, and long words with digits."""
    return re.sub(r"\S*\d\S*", "#", error)


class _Next(NamedTuple):
    """A job that can begin, and what its trial had cost before."""

    job: Job
    cost: float


class _UnderWay(NamedTuple):
    """A job that was given out, and what is held back for it in US dollars."""

    job: Job
    cost: float
    held: float


class _Supply:
    """What is left of an experiment, read from its file as it is wanted; implements `Supply`."""

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
        self._is_rescored = is_rescored
        self._digests = {name: one.digest for name, one in opened.scorers.items()}
        self._looks = () if is_rescored else looks_of(opened)
        self.all_cells = cells_of(opened)
        if not is_rescored:
            take_over_equal(store, self.all_cells)
        self.cells = table_of(opened, self.all_cells).cells
        self._horizon = self._looks[0].pairs if self._looks else self.cells.pairs
        self._told_by_row: dict[int, Mapping[str, str]] = {}
        self._ran = 0
        self.to_run = self.reused = self._total = self._done = 0
        self._count()
        self._pages = by_page(self.cells.distinct())
        self._next: deque[_Next] = deque()
        self._under_way: dict[str, _UnderWay] = {}
        self._kept: list[Outcome] = []
        self._given: dict[tuple[str, str], str] = {}
        self._began = self._flushed = time.monotonic()
        self._spent = _Spent()
        self._failures = _Failures(is_looked_at=not (self.reused or is_free(opened)))
        self.why_stopped = ""

    def take(self, most: int) -> Sequence[Job]:
        """Give the next jobs that the budget allows, noted on disk."""
        taken: list[Job] = []
        while len(taken) < most and self._look_ahead():
            self._failures.refuse()
            job, cost = self._next[0]
            if self.cells.pair_of(job.cell) >= self._horizon:
                if self._under_way:
                    break  # what goes on now may decide the question
                self._look()
                continue
            budget = self._budget(job)
            if budget is not None and budget <= 0:
                if not self._under_way:
                    left = self._total - self._done
                    self.why_stopped = f"The cost limit was reached; {left} trials are left."
                break
            self._next.popleft()
            job = job._replace(budget=budget)
            self._under_way[job.cell.key] = _UnderWay(job, cost, budget or 0.0)
            taken.append(job)
        return taken

    def put(self, outcome: Outcome) -> None:
        """Take what a job gave; it is on disk within a moment."""
        trial, given = outcome.trial, self._under_way.pop(outcome.trial.key)
        self._spent.dollars += max(trial.cost - given.cost, 0.0)
        self._spent.dollars += sum(one.cost for one in outcome.scores.values())
        self._spent.trials += 1
        if trial.state is TrialState.STOPPED and self._max_cost is not None:
            self._spent.times[trial.key] = self._spent.times.get(trial.key, 0) + 1
            again = _Next(given.job, trial.cost)
            if self._looks:
                self._next.appendleft(again)  # a look waits for it
            else:
                self._next.append(again)
        else:
            self._done += 1
            self._ran += given.job.known is None
            if given.job.known is None:
                self._failures.see(trial)
        self._kept.append(outcome)
        told = self._told(given.job.cell.row)
        self._given |= {(trial.key, name): told[name] for name in outcome.scores}
        now = time.monotonic()
        if now - self._flushed > KEPT_EVERY or len(self._kept) >= AT_A_TIME:
            self.flush()
        self._on_progress(Progress(self._done, self._total, self._spent.dollars, now - self._began))

    def flush(self) -> None:
        """Keep what waits to be kept."""
        if self._kept:
            self._store.keep(self._kept, self._digests, self._given)
            self._kept, self._given = [], {}
        self._flushed = time.monotonic()

    def _look(self) -> None:
        """Ask whether the question is decided by what comes before a look: end there, or go on."""
        self.flush()
        table = table_of(self._opened, self.all_cells)
        later = [look.pairs for look in self._looks if look.pairs > self._horizon]
        self._horizon = next(iter(later), self.cells.pairs)
        if table.look is not None and table.look.is_end:
            self.cells = table.cells
            self.to_run, self._total = self._ran, self._done
            self._pages, self._next = iter(()), deque()

    def _count(self) -> None:
        """Count what is to run, and what is only to be scored."""
        for cells in by_page(self.cells.distinct()):
            for job, _ in self._jobs(cells, is_brief=True):
                self._total += 1
                self.to_run += job.known is None
            self.reused += len(cells)
        self.reused -= self.to_run

    def _jobs(self, cells: Sequence[Cell], *, is_brief: bool = False) -> Iterator[_Next]:
        """Give what is left to be done of some cells; where it `is_brief`, only to be counted."""
        keys = [cell.key for cell in cells]
        trials = self._store.trials(keys, is_brief=is_brief)
        scores, given = self._store.scores(keys), self._store.given(keys)
        for cell in cells:
            known, told = trials.get(cell.key), self._told(cell.row)
            missing = [
                name
                for name, digest in self._digests.items()
                if (score := scores.get((cell.key, digest))) is None
                or score.score is None
                or given.get((cell.key, digest), told[name]) != told[name]
            ]
            if known is not None and known.state.is_over:
                if missing:
                    yield _Next(Job(cell, known.run, missing, known), known.cost)
            elif not self._is_rescored:
                run = known.run if known is not None else ""
                yield _Next(Job(cell, run, list(self._digests)), known.cost if known is not None else 0.0)

    def _told(self, row: int) -> Mapping[str, str]:
        """What each scorer is given of a row, by content: with something else it scores again."""
        found = self._told_by_row.get(row)
        if found is None:
            columns = self._opened.dataset.rows[row]
            found = {name: given_of_row(one, columns) for name, one in self._opened.scorers.items()}
            if len(self._told_by_row) < HELD:
                self._told_by_row[row] = found
        return found

    def _look_ahead(self) -> bool:
        """Read what comes next, where nothing is known of it; tell whether there is anything.

        What begins for the first time is named and noted, a page at a time, so that the disk is asked seldom.
        """
        while not self._next and (cells := next(self._pages, None)):
            moment, fresh = time.time(), list[tuple[str, str]]()
            for job, cost in self._jobs(cells):
                if not job.run:
                    # Names tell 4096ths of a second apart: each has its own, in the order of the table.
                    job = job._replace(run=new_run_id(lambda: moment + len(fresh) / 4096))  # noqa: B023, PLW2901
                    fresh.append((job.cell.key, job.run))
                self._next.append(_Next(job, cost))
            if fresh:
                self._store.plan(fresh)
        return bool(self._next)

    def _budget(self, job: Job) -> float | None:
        """What a job may cost; 0 where it has to wait, or nothing is left.

        The first goes alone, since nobody knows what a trial costs. From then on each has a few times the
        mean, and one that wanted more has more when it goes on: all together never pass what is left.
        """
        if self._max_cost is None or job.known is not None:
            return None
        left = self._max_cost - self._spent.dollars - sum(one.held for one in self._under_way.values())
        if not self._spent.trials:
            return 0.0 if self._under_way else left
        mean = self._spent.dollars / self._spent.trials
        return min(left, mean * AMPLE ** (1 + self._spent.times.get(job.cell.key, 0)) or left)
