"""Where the disk is full an experiment stops and says so; what is stored is kept, and it goes on."""

import resource
import signal
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from studio.errors import StepwireError, StoreError
from studio.experiments.executors import Control, InProcess, Supply
from studio.experiments.opening import OpenExperiment
from studio.experiments.running import Progress
from studio.experiments.table import table_of
from studio.experiments.trials import Trial, TrialState
from studio.experiments.workers import Workers
from tests.experiments.builders import experiment_project, opened
from tests.experiments.counting import counting_endpoint
from tests.experiments.running import asking_project, judged_project, run, scores_of

ROWS = 12  # more than begin at once

NOTHING, NO_JOURNAL = 0, 26_000
"""Bytes that a file may have: no run can begin, or one begins and cannot keep what it is answered."""


@pytest.fixture
def allow() -> Iterator[Callable[[int], None]]:
    """Bound how long files may become; 0 and more bytes, or -1 for as before."""
    limits, before = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    def bound(size: int) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits[0] if size < 0 else size, limits[1]))

    yield bound
    bound(-1)
    signal.signal(signal.SIGXFSZ, before)


@pytest.mark.parametrize("size", [NOTHING, NO_JOURNAL])
def test_trials_of_solvers_go_on_where_the_disk_was_full(
    tmp_path: Path, allow: Callable[[int], None], size: int
) -> None:
    path = experiment_project(tmp_path / "p", count=3)
    with pytest.raises(StoreError) as told:
        run(path, on_progress=lambda told: allow(size) if told.done == 2 else None)
    allow(-1)
    assert "whether the disk" in told.value.hint
    assert "rollback" not in told.value.message
    assert scores_of(run(path)) == scores_of(run(experiment_project(tmp_path / "q", count=3)))


@pytest.mark.parametrize(("size", "at_once"), [(NOTHING, 1), (NO_JOURNAL, 1), (NOTHING, 8)])
def test_a_trial_whose_answers_find_no_room_is_no_failure_of_its_flow_and_none_is_bought_twice(
    tmp_path: Path, allow: Callable[[int], None], size: int, at_once: int
) -> None:
    class Freed:
        """Works in this process, and makes room when that has ended."""

        def execute(self, opened: OpenExperiment, supply: Supply, control: Control) -> None:
            try:
                InProcess({}, at_once=at_once).execute(opened, supply, control)
            finally:
                allow(-1)

    with counting_endpoint() as counting:
        path = judged_project(tmp_path / "p", counting.url, ROWS)
        with pytest.raises(StoreError) as told:
            run(path, Freed(), on_progress=lambda told: allow(size) if told.done == 2 else None)
        assert "whether the disk" in told.value.hint
        table = run(path)  # in the process that began what had no room
    assert {one.state for one in table.trials.values()} == {TrialState.DONE}
    assert {one.score is None for one in table.scores.values()} == {False}
    found_no_room = sum(counting.asked.values()) - ROWS * 3
    assert found_no_room <= (at_once if size or at_once > 1 else 0)


@pytest.mark.process
@pytest.mark.parametrize("size", [NOTHING, NO_JOURNAL])
def test_worker_processes_whose_disk_is_full_end_it_with_its_word_and_it_goes_on(
    tmp_path: Path, size: int
) -> None:
    workers = Workers(2)

    def bound(told: Progress) -> None:
        if told.done == 2:
            for pid in workers.pids:
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    with counting_endpoint() as counting:
        path = asking_project(tmp_path / "p", counting.url, ROWS)
        with pytest.raises(StepwireError) as told:
            run(path, workers, on_progress=bound)
        assert "whether the disk" in told.value.hint
        before = dict(opened_trials(path))
        table = run(path)
    assert {one.state for one in table.trials.values()} == {TrialState.DONE}
    assert all(table.trials[key] == trial for key, trial in before.items())


def opened_trials(path: Path) -> Mapping[str, Trial]:
    """The trials that are over, as far as they are stored."""
    table = table_of(opened(path))
    return {key: one for key, one in table.trials.items() if one.state.is_over}
