"""Worker processes: trials on all cores, each process with a bench of its own, under the same chat profiles.

How many calls a profile bears is counted for all processes of a user (`llm/rate_limits/shared_rations.py`). A
process that dies loses what it had under way, no more: another one goes on with it, by the names of the runs.
"""

import os
import queue
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from studio.errors import UsageError
from studio.experiments.executors import AT_ONCE, LOOKS, Control, Orphans, Supply, WorkersFailedError, is_free
from studio.experiments.opening import OpenExperiment, described
from studio.experiments.trials import Job
from studio.experiments.wire import line_of, message_of, outcome_of, plain_job
from studio.sandbox.process import command

MODULE = "studio.experiments.worker"
AHEAD = 4
"""Jobs that a process has beside those under way, so that it never waits for this one."""

GRACE = 0.7
"""Seconds in which a process records that its runs were cancelled; after that it is killed."""


class _Heard(NamedTuple):
    """A line of a worker; None when it is gone."""

    worker: "_Worker"
    line: bytes | None


class _Worker:
    """One process, and the jobs that it has."""

    def __init__(self, hello: bytes, heard: "queue.SimpleQueue[_Heard]") -> None:
        self.jobs: dict[str, Job] = {}
        self.process = subprocess.Popen(  # noqa: S603  # a clean interpreter of ours
            command(MODULE), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.is_gone = False
        self._heard = heard
        threading.Thread(target=self._listen, daemon=True).start()
        self.say(hello)

    def say(self, line: bytes) -> None:
        """Send a line; that it is gone is heard soon."""
        stdin = self.process.stdin
        if stdin is not None:
            with suppress(OSError, ValueError):
                stdin.write(line)
                stdin.flush()

    def give(self, jobs: Sequence[Job]) -> None:
        """Have it run these."""
        if jobs:
            self.jobs |= {one.cell.key: one for one in jobs}
            self.say(line_of("jobs", jobs=[plain_job(one) for one in jobs]))

    def dismiss(self) -> None:
        """Let it end: it runs nothing more, and stops what goes on."""
        if self.process.stdin is not None:
            with suppress(OSError, ValueError):
                self.process.stdin.close()

    def end(self, patience: float) -> None:
        """Wait until it is gone, and kill it where that takes too long."""
        self.dismiss()
        try:
            self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _listen(self) -> None:
        stdout = self.process.stdout
        if stdout is not None:
            for line in stdout:
                self._heard.put(_Heard(self, line))
            stdout.close()
        self._heard.put(_Heard(self, None))


class Workers:
    """Implements `Executor` with `count` processes, by default one for each core."""

    def __init__(self, count: int = 0, *, at_once: int = AT_ONCE) -> None:
        if count < 0:
            raise UsageError("So many worker processes are none.", hint="Pass a number from 1.")
        self._count = count or os.cpu_count() or 1
        self._at_once = at_once
        self._heard: queue.SimpleQueue[_Heard] = queue.SimpleQueue()
        self._workers: list[_Worker] = []
        self._orphans = Orphans()

    @property
    def pids(self) -> list[int]:
        """The processes that there are."""
        return [one.process.pid for one in self._workers if not one.is_gone]

    def execute(self, opened: OpenExperiment, supply: Supply, control: Control) -> None:
        """As `Executor` says; raises `WorkersFailedError` where no process can open the experiment."""
        hello = _hello(opened, self._at_once)
        most = AHEAD + (1 if is_free(opened) else self._at_once)
        first = supply.take(most)
        if not first:
            return
        try:
            self._start(hello).give(first)
            self._work(hello, most, supply, control)
        finally:
            for one in self._workers:
                one.dismiss()
            for one in self._workers:
                one.end(GRACE)
            self._take_rest(supply)
            self._workers = []

    def _work(self, hello: bytes, most: int, supply: Supply, control: Control) -> None:
        """Feed the workers until nothing is left."""
        while not control.is_cancelled:
            if not control.is_paused:
                self._feed(hello, most, supply)
            if (
                not any(one.jobs for one in self._workers)
                and not self._orphans.are_there
                and not control.is_paused
            ):
                return
            with suppress(queue.Empty):
                heard = self._heard.get(timeout=LOOKS)
                while True:
                    self._hear(heard, supply)
                    heard = self._heard.get_nowait()

    def _feed(self, hello: bytes, most: int, supply: Supply) -> None:
        """Give every worker what it has room for; a further one is started for what none has room for."""
        for one in [worker for worker in self._workers if not worker.is_gone]:
            if not any(map(self._orphans.is_suspect, one.jobs.values())):
                one.give(self._next(most - len(one.jobs), supply, is_idle=not one.jobs))
        while len(self.pids) < self._count and (jobs := self._next(most, supply, is_idle=True)):
            self._start(hello).give(jobs)

    def _next(self, room: int, supply: Supply, *, is_idle: bool) -> list[Job]:
        taken = self._orphans.take(room)
        taken += supply.take(room - len(taken)) if room > len(taken) else ()
        return taken or (self._orphans.take_suspect() if is_idle else [])

    def _start(self, hello: bytes) -> _Worker:
        worker = _Worker(hello, self._heard)
        self._workers.append(worker)
        return worker

    def _hear(self, heard: _Heard, supply: Supply) -> None:
        worker, line = heard
        if line is None:
            self._bury(worker, supply)
            return
        message = message_of(line)
        if message["kind"] == "refused":
            raise WorkersFailedError(message["message"], hint=message["hint"])
        outcome = outcome_of(message["outcome"])
        worker.jobs.pop(outcome.trial.key, None)
        supply.put(outcome)

    def _bury(self, worker: _Worker, supply: Supply) -> None:
        """Give to others what a process that died had; a trial that killed several counts as failed."""
        worker.is_gone = True
        jobs, worker.jobs = list(worker.jobs.values()), {}
        for failed in self._orphans.of(jobs, is_alone=len(jobs) == 1):
            supply.put(failed)

    def _take_rest(self, supply: Supply) -> None:
        """Take what ended while all was cancelled."""
        with suppress(queue.Empty):
            while True:
                heard = self._heard.get_nowait()
                if heard.line is not None and message_of(heard.line)["kind"] == "outcome":
                    supply.put(outcome_of(message_of(heard.line)["outcome"]))


def _hello(opened: OpenExperiment, at_once: int) -> bytes:
    return line_of("open", **described(opened), at_once=at_once, is_free=is_free(opened))
