"""A worker process: opens the experiment that it is told of, and runs trials until its input ends."""

import asyncio
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

from studio.errors import StepwireError
from studio.experiments.bench import Bench
from studio.experiments.opening import OpenExperiment, opened_again
from studio.experiments.trials import Job
from studio.experiments.wire import job_of, line_of, message_of, plain_outcome
from studio.runtime.virtual_clock import VirtualLoop
from studio.workspace.project import Project


def main(arguments: Sequence[str]) -> int:
    """Work for the process that holds the other ends of standard input and output."""
    del arguments
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is heard by who started this, and ends the input
    told, said = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints goes where people look, not between the messages
    hello = message_of(told.readline() or line_of("nothing"))
    if hello["kind"] != "open":
        return 1
    try:
        experiment = _opened(hello)
    except StepwireError as error:
        _say(said, line_of("refused", message=error.message, hint=error.hint))
        return 1
    with asyncio.Runner(loop_factory=VirtualLoop if hello["is_free"] else None) as runner:
        runner.run(_work(experiment, hello, told, said))
    return 0


def _opened(hello: dict[str, Any]) -> OpenExperiment:
    """Open the same experiment; raises `StepwireError` where its files are others by now."""
    found = opened_again(hello, Project.open(Path(hello["project"])), os.environ)
    if found is None:
        raise StepwireError(
            "Files of the experiment changed while it was running.",
            hint="Run it again: trials of before are kept.",
        )
    return found


class _Inbox:
    """The jobs that are there, read on a thread of its own until the input ends."""

    def __init__(self, told: BinaryIO) -> None:
        self.jobs: deque[Job] = deque()
        self.changed = asyncio.Event()
        self._ended = threading.Event()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, args=(told,), daemon=True).start()

    @property
    def is_over(self) -> bool:
        """Whether nothing more is to be run."""
        return self._ended.is_set()

    def _read(self, told: BinaryIO) -> None:
        for line in told:
            self.jobs.extend(job_of(one) for one in message_of(line)["jobs"])
            self._loop.call_soon_threadsafe(self.changed.set)
        self._ended.set()
        self._loop.call_soon_threadsafe(self.changed.set)


async def _work(experiment: OpenExperiment, hello: dict[str, Any], told: BinaryIO, said: BinaryIO) -> None:
    """Run the jobs as they come, so many at a time; what goes on when the input ends is cancelled."""
    inbox = _Inbox(told)
    async with Bench(experiment, os.environ, is_free=hello["is_free"]) as bench:
        if hello["is_free"]:
            await _one_by_one(bench, inbox, said)
        else:
            await _at_once(bench, inbox, said, int(hello["at_once"]))


async def _one_by_one(bench: Bench, inbox: _Inbox, said: BinaryIO) -> None:
    """Run one trial after the other: none waits for anybody, and tasks of their own take longer."""
    while not inbox.is_over:
        inbox.changed.clear()
        while inbox.jobs and not inbox.is_over:
            await _run(bench, inbox.jobs.popleft(), said)
            await asyncio.sleep(0)
        if not (inbox.jobs or inbox.is_over):
            await inbox.changed.wait()


async def _at_once(bench: Bench, inbox: _Inbox, said: BinaryIO, most: int) -> None:
    """Run so many trials at a time."""
    running: set[asyncio.Task[None]] = set()
    while not inbox.is_over:
        while inbox.jobs and len(running) < most:
            running.add(asyncio.ensure_future(_run(bench, inbox.jobs.popleft(), said)))
        inbox.changed.clear()
        if inbox.is_over or (inbox.jobs and len(running) < most):
            continue
        waiting = asyncio.ensure_future(inbox.changed.wait())
        done, _ = await asyncio.wait({waiting, *running}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        for one in done - {waiting}:
            running.discard(one)  # pyright: ignore[reportArgumentType]
            one.result()
    for one in running:
        one.cancel()
    await asyncio.gather(*running, return_exceptions=True)


async def _run(bench: Bench, job: Job, said: BinaryIO) -> None:
    try:
        outcome = await bench.trial(job)
    except StepwireError as error:  # no run can begin: a key is missing, or the disk is full
        _say(said, line_of("refused", message=error.message, hint=error.hint))
        return
    _say(said, line_of("outcome", outcome=plain_outcome(outcome)))


def _say(said: BinaryIO, line: bytes) -> None:
    said.write(line)
    said.flush()
