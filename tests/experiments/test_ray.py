"""A Ray cluster of several nodes gives the table that this process gives, also when one of them is lost.

It needs the extra `ray`, which set-up leaves out; `studio/experiments/README.md` says how it is run.
"""

import threading
import time
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from studio.experiments.executors import Control
from studio.experiments.running import Progress
from studio.experiments.table import Table
from studio.experiments.trials import TrialState
from studio.experiments.workers import Workers
from studio.ids import RunId
from studio.store.reader import RunStore
from studio.trace.fold.state import RunStatus
from tests.experiments.builders import experiment_project
from tests.experiments.counting import counting_endpoint
from tests.experiments.running import asking_project, run
from tests.patience import patience

ray = pytest.importorskip("ray", reason="the extra `ray` is not installed")
pytestmark = [pytest.mark.process, pytest.mark.slow]


class Nodes:
    """A cluster of a head without cores, and of nodes with one each."""

    def __init__(self, count: int) -> None:
        from ray.cluster_utils import Cluster

        self.cluster: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
        self.nodes: list[Any] = [self.cluster.add_node(num_cpus=1) for _ in range(count)]
        self.address: str = self.cluster.address

    def lose_one(self) -> None:
        """Kill a node as a power cut would."""
        self.cluster.remove_node(self.nodes.pop(), allow_graceful=False)

    def close(self) -> None:
        ray.shutdown()
        self.cluster.shutdown()


@pytest.fixture
def nodes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Generator[Nodes]:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "STEPWIRE_CHAT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("STEPWIRE_CONFIG", str(tmp_path / "config"))
    found = Nodes(3)
    try:
        yield found
    finally:
        found.close()


def bits(table: Table) -> list[object]:
    """All that a table says, to the last bit, but for the names of its runs."""
    said: list[object] = []
    for cell in table.cells:
        trial = table.trials[cell.key]
        scores = {name: table.scores[cell.key, name]._replace(run="") for name in ("right",)}
        said.append((cell, replace(trial, run=""), trial.seconds.hex(), scores))
    return said


def test_the_same_table_comes_from_here_from_workers_and_from_a_cluster_that_loses_a_node(
    nodes: Nodes, tmp_path: Path
) -> None:
    from studio.experiments.ray_cluster import RayCluster

    solver = {"seconds": 0.31, "tokens_per_second": 37}
    wanted: dict[str, Any] = {"count": 20, "repeats": 4, "solver": solver}
    here = run(experiment_project(tmp_path / "here", **wanted))
    there = run(experiment_project(tmp_path / "there", **wanted), Workers(2))
    lost: list[int] = []

    def lose(told: Progress) -> None:
        if told.done >= 30 and not lost:
            lost.append(told.done)
            nodes.lose_one()

    far = run(experiment_project(tmp_path / "far", **wanted), RayCluster(nodes.address), on_progress=lose)
    assert lost
    assert bits(here) == bits(there) == bits(far)
    store = RunStore(tmp_path / "far" / ".stepwire")
    for trial in far.trials.values():
        assert store.summary(RunId(trial.run)).status is RunStatus.FINISHED


def test_what_is_cancelled_on_a_cluster_is_gone_on_with_where_it_was(nodes: Nodes, tmp_path: Path) -> None:
    from studio.experiments.ray_cluster import RayCluster

    with counting_endpoint() as counting:
        counting.held = "second"
        path = asking_project(tmp_path / "p", counting.url)
        control = Control()

        def cancel() -> None:
            deadline = time.monotonic() + patience(60)
            while sum(counting.asked.values()) < 4 and time.monotonic() < deadline:
                threading.Event().wait(0.01)  # each of two trials has its first answer, and asks again
            control.cancel()

        canceller = threading.Thread(target=cancel)
        canceller.start()
        table = run(path, RayCluster(nodes.address), control=control)
        canceller.join()
        assert table.stopped == "It was cancelled."
        counting.let_go()
        whole = run(path)
    assert {(one.state, one.error) for one in whole.trials.values()} == {(TrialState.DONE, "")}
    assert {n for (system, _), n in counting.asked.items() if "alone" in system} == {1}
