"""A bench on another machine: opens the experiment that it is carried, runs trials and gives them back.

Nothing here knows who carries it (`ray_cluster.py`): methods take and give plain values, from any thread.
"""

import asyncio
import os
import threading
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeVar

from studio.errors import StepwireError
from studio.experiments.bench import Bench, runs_of
from studio.experiments.executors import is_free
from studio.experiments.opening import OpenExperiment
from studio.experiments.parcel import Parcel, open_carried
from studio.experiments.shards import Piece, Shard, keep_pieces, packed, piece_of_run, pieces_of_images
from studio.experiments.trials import Job, Outcome
from studio.experiments.wire import job_of
from studio.runtime.virtual_clock import VirtualLoop
from studio.store.reader import RunStore

T = TypeVar("T")


class Reply(NamedTuple):
    """A shard; or in words, why no trial can be run here."""

    shard: bytes = b""
    message: str = ""
    hint: str = ""


class RemoteBench:
    """Runs trials on a thread of its own; `open` comes first. It ends with its process.

    It has no coroutines of its own: where there are any, Ray runs all methods in turn on a loop of its own.
    """

    def __init__(self) -> None:
        self._folder = TemporaryDirectory(prefix="stepwire-carried-")
        self._trials: _Trials | None = None

    def open(self, what: Parcel, environ: dict[str, str]) -> Reply:
        """Open the experiment; `environ` is what was said to it where it was started, keys left out."""
        try:
            told = {**os.environ, **environ}
            self._trials = _Trials(open_carried(Parcel(*what), Path(self._folder.name), told), told)
        except StepwireError as error:
            return Reply(b"", error.message, error.hint)
        return Reply()

    def run(self, jobs: Sequence[dict[str, Any]], pieces: Sequence[tuple[str, str, bytes]]) -> Reply:
        """Run jobs, written as JSON; `pieces` are the files of runs that were begun elsewhere."""
        try:
            shard = self._opened.run([job_of(one) for one in jobs], [Piece(*one) for one in pieces])
        except StepwireError as error:
            return Reply(b"", error.message, error.hint)
        return Reply(packed(shard))

    def stop(self) -> None:
        """Cancel what goes on: it is recorded, and given back as far as it came."""
        self._opened.stop()

    @property
    def _opened(self) -> "_Trials":
        assert self._trials is not None  # noqa: S101  # it was opened
        return self._trials


class _Trials:
    """A bench on a loop of its own."""

    def __init__(self, opened: OpenExperiment, environ: Mapping[str, str]) -> None:
        self._opened = opened
        self._is_free = is_free(opened)
        self._store = RunStore(opened.project.private)
        self._images = set[str]()
        self._turn = asyncio.Lock()
        self._running = set[asyncio.Task[None]]()
        self._bench = Bench(opened, environ, is_free=self._is_free)
        self._loop = VirtualLoop() if self._is_free else asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self._wait(self._bench.__aenter__())

    def run(self, jobs: Sequence[Job], pieces: Sequence[Piece]) -> Shard:
        keep_pieces(self._store, pieces)
        return self._wait(self._run(jobs))

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(lambda: [one.cancel() for one in self._running])

    async def _run(self, jobs: Sequence[Job]) -> Shard:
        outcomes: list[Outcome] = []
        work = asyncio.ensure_future(self._tried(jobs, outcomes))
        self._running.add(work)
        await asyncio.wait([work])
        self._running.discard(work)
        if not work.cancelled() and (error := work.exception()) is not None:
            raise error
        return Shard(outcomes, [*self._taken(jobs), *pieces_of_images(self._store.root, self._images)])

    async def _tried(self, jobs: Sequence[Job], outcomes: list[Outcome]) -> None:
        async with self._turn if self._is_free else nullcontext():  # its clock jumps for one trial at a time
            for one in jobs:
                outcomes += (await self._bench.trial(one),)  # what is done is kept when it is cancelled

    def _taken(self, jobs: Sequence[Job]) -> list[Piece]:
        """Take the runs of jobs, and those of their scorers, out of this machine's folder."""
        found: list[Piece] = []
        for run in (name for job in jobs for name in runs_of(self._opened, job)):
            piece = piece_of_run(self._store, run)
            if piece is not None:
                found.append(piece)
                path = self._store.path(run)
                for one in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
                    one.unlink(missing_ok=True)
        return found

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()
