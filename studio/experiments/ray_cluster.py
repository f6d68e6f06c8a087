"""Trials on a Ray cluster; the home of `ray`, which the extra `ray` brings.

Each node opens the experiment from what it is carried and needs no more than the headless package. A node
that is lost loses what it had under way, no more: others go on with it.
"""

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from math import inf
from typing import Any, NamedTuple, cast

from studio.errors import UsageError
from studio.experiments.bench import runs_of
from studio.experiments.executors import AT_ONCE, LOOKS, Control, Orphans, Supply, WorkersFailedError, is_free
from studio.experiments.opening import OpenExperiment
from studio.experiments.parcel import carried, machines_at_most
from studio.experiments.remote_bench import RemoteBench, Reply
from studio.experiments.shards import Piece, keep_pieces, piece_of_run, unpacked
from studio.experiments.trials import Job
from studio.experiments.wire import plain_job
from studio.extras import missing_library
from studio.store.reader import RunStore

TOGETHER = 8
"""Trials of solvers that are carried at a time; of those that cost something each goes alone."""

AHEAD = 2
"""Handfuls that a worker has beside the one under way, so that it never waits for this process."""

GRACE = 0.6
"""Seconds in which workers give back what was cancelled."""

LOOKS_AT_NODES = 1.0
"""Seconds between two looks at which nodes there are."""

MOST_DEATHS = 20
"""Workers that may die with no trial between them."""

SAID = ("OPENAI_BASE_URL", "OPENAI_MODEL", "STEPWIRE_CHAT")
"""Variables that decide who answers, told to the nodes; keys are never sent: each node has its own."""


class _Worker:
    """An actor of the cluster on a node, and the calls that it has not answered."""

    def __init__(self, actor: Any, node: str) -> None:
        self.actor = actor
        self.node = node
        self.is_open = False
        self.is_apart = False
        """Whether it has a trial of which others may have died, and gets nothing beside it."""
        self.calls = 0


class _Call(NamedTuple):
    worker: _Worker
    jobs: Sequence[Job]


class RayCluster:
    """Implements `Executor` on the cluster at an address that `ray.init` takes.

    Without an address it is the one that `RAY_ADDRESS` names, or one that is started on this machine for as
    long as it takes.
    """

    def __init__(self, address: str = "", *, at_once: int = AT_ONCE) -> None:
        """Make it; raises `UsageError` where Ray is not installed."""
        self._ray = _library()
        self._address = address
        self._at_once = at_once
        self._calls: dict[Any, _Call] = {}
        self._workers: list[_Worker] = []
        self._orphans = Orphans()
        self._deaths_at_once = 0

    def execute(self, opened: OpenExperiment, supply: Supply, control: Control) -> None:
        """As `Executor` says; raises `WorkersFailedError` where no node can run it."""
        free = is_free(opened)
        pace = _Pace(TOGETHER, 1 + AHEAD) if free else _Pace(1, self._at_once)
        first = supply.take(pace.together)
        if not first:
            return
        self._orphans.wait(first)
        store = RunStore(opened.project.private)
        is_ours = self._join()
        try:
            self._work(opened, supply, control, pace, store)
        finally:
            self._end(supply, store)
            if is_ours:
                self._ray.shutdown()

    def _join(self) -> bool:
        """Join the cluster; tells whether it was joined here."""
        if self._ray.is_initialized():
            return False
        given: dict[str, Any] = {"address": self._address} if self._address else {}
        if not given and "RAY_ADDRESS" not in os.environ:
            given = {"include_dashboard": False}
        try:
            self._ray.init(**given, log_to_driver=False, logging_level="ERROR")
        except (ConnectionError, OSError, RuntimeError, ValueError) as error:
            place = f"at `{self._address}`" if self._address else "on this machine"
            raise WorkersFailedError(
                f"The Ray cluster {place} can't be joined: {error}",
                hint="Start one with `ray start --head`, and name it as `ray://HOST:10001`.",
            ) from error
        return True

    def _work(
        self, opened: OpenExperiment, supply: Supply, control: Control, pace: "_Pace", store: RunStore
    ) -> None:
        """Start workers, feed them and hear them until nothing is left."""
        most = machines_at_most(opened)
        share = max(min(len(self._nodes()), most), 1)
        what = self._ray.put(tuple(carried(opened, share)))
        looked = -inf
        while not control.is_cancelled:
            if time.monotonic() - looked > LOOKS_AT_NODES or not self._workers:
                self._start(dict(list(self._nodes().items())[:most]), what, pace)
                looked = time.monotonic()
            if not control.is_paused:
                self._feed(opened, supply, store, pace)
            if not control.is_paused and not self._orphans.are_there and not self._is_anything_under_way:
                return
            for call, found in self._heard(LOOKS):
                self._hear(call, found, supply, store)

    @property
    def _is_anything_under_way(self) -> bool:
        return any(one.jobs for one in self._calls.values())

    def _nodes(self) -> dict[str, int]:
        """The nodes that are alive, with how many workers each has room for."""
        found = cast("list[dict[str, Any]]", self._ray.nodes())
        return {
            one["NodeID"]: int(one["Resources"].get("CPU", 0))
            for one in found
            if one["Alive"] and one["Resources"].get("CPU", 0) >= 1
        }

    def _start(self, nodes: Mapping[str, int], what: Any, pace: "_Pace") -> None:
        """Have a worker on each core of these nodes, and open the experiment there."""
        if not nodes:
            raise WorkersFailedError("The Ray cluster has no node with a core to run trials on.")
        kind: Any = self._ray.remote(RemoteBench)
        environ = {name: os.environ[name] for name in SAID if name in os.environ}
        for node, cores in nodes.items():
            for _ in range(cores - sum(one.node == node for one in self._workers)):
                strategy = self._ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
                    node, soft=False
                )
                actor = kind.options(
                    num_cpus=1, max_restarts=0, max_concurrency=pace.calls + 1, scheduling_strategy=strategy
                ).remote()
                worker = _Worker(actor, node)
                self._workers.append(worker)
                self._call(worker, actor.open.remote(what, environ), ())

    def _feed(self, opened: OpenExperiment, supply: Supply, store: RunStore, pace: "_Pace") -> None:
        """Give every worker what it has room for."""
        for one in self._workers:
            while one.is_open and not one.is_apart and one.calls < pace.calls:
                jobs = self._orphans.take(pace.together)
                jobs = [*jobs, *(supply.take(pace.together - len(jobs)) if len(jobs) < pace.together else ())]
                if not jobs and not one.calls:
                    jobs = self._orphans.take_suspect()
                    one.is_apart = bool(jobs)
                if not jobs:
                    break
                pieces = [tuple(piece) for job in jobs for piece in pieces_of_job(opened, store, job)]
                self._call(one, one.actor.run.remote([plain_job(job) for job in jobs], pieces), jobs)

    def _call(self, worker: _Worker, answer: Any, jobs: Sequence[Job]) -> None:
        worker.calls += 1
        self._calls[answer] = _Call(worker, jobs)

    def _heard(self, seconds: float) -> Iterator[tuple[_Call, Reply | None]]:
        """Wait a moment, and give the calls that were answered; None for those whose worker is gone."""
        if not self._calls:
            time.sleep(seconds)
            return
        ready, _ = self._ray.wait(list(self._calls), num_returns=1, timeout=seconds)
        if ready:
            ready, _ = self._ray.wait(list(self._calls), num_returns=len(self._calls), timeout=0)
        for one in ready:
            call = self._calls.pop(one)
            call.worker.calls -= 1
            try:
                yield call, Reply(*self._ray.get(one))
            except self._ray.exceptions.RayTaskError as error:
                raise WorkersFailedError(f"A worker failed: {error.cause or error}") from error
            except self._ray.exceptions.RayError:
                yield call, None

    def _hear(self, call: _Call, found: Reply | None, supply: Supply, store: RunStore) -> None:
        worker = call.worker
        if found is None:
            self._bury(worker, call.jobs, supply)
            return
        if found.message:
            raise WorkersFailedError(found.message, hint=found.hint)
        if not call.jobs:
            worker.is_open = True
            return
        worker.is_apart = False
        self._deaths_at_once = 0
        self._take(found, supply, store)

    def _take(self, found: Reply, supply: Supply, store: RunStore) -> None:
        """Keep the runs of a shard, and then put what came of them: a trial that is told has its run."""
        shard = unpacked(found.shard)
        keep_pieces(store, shard.pieces)
        for outcome in shard.outcomes:
            supply.put(outcome)

    def _bury(self, worker: _Worker, jobs: Sequence[Job], supply: Supply) -> None:
        """Give to others what a worker that is gone had; raise where none lives long enough to work."""
        if worker in self._workers:
            self._workers.remove(worker)
            self._deaths_at_once += 1
            with suppress(Exception):  # one that was only out of reach is not to come back
                self._ray.kill(worker.actor)
        if self._deaths_at_once > MOST_DEATHS:
            raise WorkersFailedError(
                f"{self._deaths_at_once} workers of the Ray cluster died one after another.",
                hint="See what they said in the logs of Ray.",
            )
        for one in self._orphans.of(jobs, is_alone=worker.is_apart):
            supply.put(one)

    def _end(self, supply: Supply, store: RunStore) -> None:
        """Take what was cancelled as far as it came, and end the workers."""
        if self._is_anything_under_way:
            for one in self._workers:
                one.actor.stop.remote()
            until = time.monotonic() + GRACE
            while self._is_anything_under_way and (left := until - time.monotonic()) > 0:
                for call, found in self._heard(left):
                    if found is not None and found.shard and call.jobs:
                        self._take(found, supply, store)
        for one in self._workers:
            with suppress(Exception):  # it is gone
                self._ray.kill(one.actor)
        self._workers, self._calls = [], {}


class _Pace(NamedTuple):
    """How many trials a call has, and how many calls a worker has at a time."""

    together: int
    calls: int


def pieces_of_job(opened: OpenExperiment, store: RunStore, job: Job) -> list[Piece]:
    """Read the files of a run that was begun elsewhere, and of its scorers' runs."""
    found = (piece_of_run(store, one) for one in runs_of(opened, job))
    return [one for one in found if one is not None]


def _library() -> Any:
    try:
        import ray  # type: ignore[import-not-found,import-untyped]
        import ray.util.scheduling_strategies  # type: ignore[import-not-found,import-untyped]
    except ImportError as error:
        message = "Trials on a Ray cluster need a library that is not installed."
        raise UsageError(message, hint=missing_library("ray")) from error
    return cast("Any", ray)
