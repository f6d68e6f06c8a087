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


async def _work(experiment: OpenExperiment, hello: dict[str, Any], told: BinaryIO, said: BinaryIO) -> None:
    """Run the jobs as they come, so many at a time; what goes on when the input ends is cancelled."""
    jobs: deque[Job] = deque()
    loop, changed = asyncio.get_running_loop(), asyncio.Event()
    is_over = threading.Event()

    def read() -> None:
        for line in told:
            jobs.extend(job_of(one) for one in message_of(line)["jobs"])
            loop.call_soon_threadsafe(changed.set)
        is_over.set()
        loop.call_soon_threadsafe(changed.set)

    threading.Thread(target=read, daemon=True).start()
    running: set[asyncio.Task[None]] = set()
    at_once = 1 if hello["is_free"] else int(hello["at_once"])
    async with Bench(experiment, os.environ, is_free=hello["is_free"]) as bench:
        while not is_over.is_set():
            while jobs and len(running) < at_once:
                running.add(asyncio.ensure_future(_run(bench, jobs.popleft(), said)))
            changed.clear()
            if is_over.is_set() or (jobs and len(running) < at_once):
                continue
            waiting = asyncio.ensure_future(changed.wait())
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
