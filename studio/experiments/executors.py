"""Where trials are executed: one small protocol, and the executor that works in this process."""

import asyncio
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from typing import Protocol

from studio.errors import StepwireError
from studio.experiments.bench import Bench
from studio.experiments.opening import OpenExperiment
from studio.experiments.scores import Score
from studio.experiments.trials import Job, Outcome, Trial, TrialState
from studio.runtime.virtual_clock import VirtualLoop

AT_ONCE = 8
"""Trials that one process has under way where they wait for others; chat profiles say what these bear."""

LOOKS = 0.1
"""Seconds after which an executor looks again whether it is to pause, or to go on."""


TRIES = 3
"""Workers that may die of the same trial, each with nothing else to do, before it counts as failed."""

DEATHS_TOGETHER = 2
"""Workers that may die of a trial or of others beside it, before it goes alone."""


class Control:
    """Pauses, continues and cancels what executes, from any thread."""

    def __init__(self) -> None:
        self._is_cancelled = threading.Event()
        self._is_paused = threading.Event()
        self._stops: list[Callable[[], None]] = []

    @property
    def is_cancelled(self) -> bool:
        """Whether nothing more is to begin, and what goes on is to stop."""
        return self._is_cancelled.is_set()

    @property
    def is_paused(self) -> bool:
        """Whether nothing more is to begin for now."""
        return self._is_paused.is_set()

    def cancel(self) -> None:
        """Stop all within a second; what was begun goes on when the experiment is run again."""
        self._is_cancelled.set()
        for stop in list(self._stops):
            stop()

    def pause(self) -> None:
        """Begin no further trial; those under way end."""
        self._is_paused.set()

    def resume(self) -> None:
        """Begin trials again."""
        self._is_paused.clear()

    def on_cancel(self, stop: Callable[[], None]) -> None:
        """Have `stop` called when all is cancelled, at once where it is already."""
        self._stops.append(stop)
        if self.is_cancelled:
            stop()


class Supply(Protocol):
    """Gives an executor its jobs, and takes what they gave; called on one thread."""

    def take(self, most: int) -> Sequence[Job]:
        """Give the next jobs, noted on disk; none where nothing is left, or it has to be waited for."""
        ...

    def put(self, outcome: Outcome) -> None:
        """Take what a job gave."""
        ...


class Executor(Protocol):
    """Executes all that a supply gives; raises what keeps trials from being run at all."""

    def execute(self, opened: OpenExperiment, supply: Supply, control: Control) -> None:
        """Run until the supply is empty and nothing is under way, or all is cancelled."""
        ...


class WorkersFailedError(StepwireError):
    """Workers could not do their work."""


class Orphans:
    """Jobs whose worker died: they go to others, and a trial that killed several on its own counts as failed.

    A worker has many jobs, and nobody knows of which it died. After the second time each goes alone, last of
    all: those that had nothing to do with it end then, and nothing but the trial itself can be to blame.
    """

    def __init__(self) -> None:
        self._waiting: list[Job] = []
        self._suspects: list[Job] = []
        self._deaths: dict[str, int] = {}
        self._deaths_alone: dict[str, int] = {}

    @property
    def are_there(self) -> bool:
        """Whether any wait to be taken."""
        return bool(self._waiting or self._suspects)

    def wait(self, jobs: Iterable[Job]) -> None:
        """Have jobs wait, that nobody died of."""
        self._waiting += jobs

    def of(self, jobs: Iterable[Job], *, is_alone: bool) -> Iterator[Outcome]:
        """Take what a worker had that died; gives what came of trials that are not tried again.

        `is_alone` says that the worker had nothing else.
        """
        for job in jobs:
            key = job.cell.key
            self._deaths[key] = self._deaths.get(key, 0) + 1
            alone = self._deaths_alone[key] = self._deaths_alone.get(key, 0) + is_alone
            if alone < TRIES or job.known is not None:
                (self._suspects if self.is_suspect(job) else self._waiting).append(job)
                continue
            error = f"{alone} worker processes died while it was under way."
            failed = Score(0.0, ok=False, reason=error)
            trial = Trial(key, job.run, TrialState.FAILED, error=error)
            yield Outcome(trial, dict.fromkeys(job.scorers, failed))

    def is_suspect(self, job: Job) -> bool:
        """Whether workers died twice or more while they had it: its worker is to have nothing else."""
        return self._deaths.get(job.cell.key, 0) >= DEATHS_TOGETHER

    def take(self, most: int) -> list[Job]:
        """Give so many of those that wait, at most, and that need not go alone."""
        taken, self._waiting = self._waiting[: max(most, 0)], self._waiting[max(most, 0) :]
        return taken

    def take_suspect(self) -> list[Job]:
        """Give one that goes alone, if there is one, for a worker that has nothing and gets nothing else."""
        return [self._suspects.pop(0)] if self._suspects else []


def is_free(opened: OpenExperiment) -> bool:
    """Whether all that an experiment asks answers in this process: its clock may then jump."""
    asked = [one.profile for one in opened.scorers.values() if one.asks]
    return all(one.is_free for one in opened.variants.values()) and all(
        one is not None and one.is_in_process for one in asked
    )


class InProcess:
    """Implements `Executor` on an event loop of its own in this process, whose clock jumps where it may."""

    def __init__(self, environ: Mapping[str, str], *, at_once: int = AT_ONCE, is_kept: bool = True) -> None:
        self._environ = environ
        self._at_once = at_once
        self._is_kept = is_kept

    def execute(self, opened: OpenExperiment, supply: Supply, control: Control) -> None:
        """As `Executor` says."""
        free = is_free(opened)
        bench = Bench(opened, self._environ, is_free=free, is_kept=self._is_kept)
        with asyncio.Runner(loop_factory=VirtualLoop if free else None) as runner:
            runner.run(execute_on(bench, supply, control, 1 if free else self._at_once))


async def execute_on(bench: Bench, supply: Supply, control: Control, at_once: int) -> None:
    """Run what a supply gives on a bench, so many trials at a time, until there is nothing left."""
    stop = _Stop()
    control.on_cancel(stop.from_elsewhere)
    running: set[asyncio.Task[Outcome]] = set()
    async with bench:
        try:
            while at_once == 1 and not control.is_paused:  # the same in a task of its own takes longer
                jobs = supply.take(1)
                if not jobs:
                    return
                supply.put(await bench.trial(jobs[0]))
                await asyncio.sleep(0)  # what is only scored need not wait for anything
            while True:
                room = 0 if control.is_paused else at_once - len(running)
                running |= {asyncio.ensure_future(bench.trial(one)) for one in supply.take(room)}
                if not running:
                    if not control.is_paused:
                        return
                    await asyncio.to_thread(control_waits, control)
                    continue
                done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                _put(done, supply)
        except asyncio.CancelledError:
            if not control.is_cancelled:
                raise
        finally:
            stop.is_over = True
            for one in running:
                one.cancel()
            await asyncio.gather(*running, return_exceptions=True)


def _put(done: AbstractSet[asyncio.Task[Outcome]], supply: Supply) -> None:
    """Hand over all that jobs gave, before what kept some from being run is raised."""
    errors = [error for one in done if (error := one.exception()) is not None]
    for one in done:
        if one.exception() is None:
            supply.put(one.result())
    if errors:
        raise errors[0]


def control_waits(control: Control) -> None:
    """Wait a moment, on a thread of its own, for a pause to end."""
    threading.Event().wait(LOOKS if control.is_paused else 0)


class _Stop:
    """Cancels the task that makes it, until that is over: what is open is then closed whole."""

    def __init__(self) -> None:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        self.is_over = False

    def from_elsewhere(self) -> None:
        """Cancel it, on any thread."""
        with suppress(RuntimeError):  # the loop is closed: nothing is left to be cancelled
            self._loop.call_soon_threadsafe(self._cancel)

    def _cancel(self) -> None:
        if self._task is not None and not self.is_over:
            self._task.cancel()
