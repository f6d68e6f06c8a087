"""Worker processes give the same table as this one, and may be killed: nothing is lost or bought twice."""

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from studio.experiments.executors import Control, Orphans
from studio.experiments.running import Progress
from studio.experiments.table import Table
from studio.experiments.trials import Cell, Job, Outcome, TrialState
from studio.experiments.workers import Workers, WorkersFailedError
from tests.experiments.builders import experiment_project
from tests.experiments.counting import Counting, counting_endpoint
from tests.experiments.running import asking_project, judged_project, run, scores_of
from tests.patience import patience

pytestmark = pytest.mark.process


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "STEPWIRE_CHAT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("STEPWIRE_CONFIG", str(tmp_path / "config"))


def test_workers_give_the_table_that_this_process_gives(tmp_path: Path) -> None:
    here = run(experiment_project(tmp_path / "p", repeats=2))
    there = run(experiment_project(tmp_path / "q", repeats=2), Workers(2))
    assert scores_of(there) == scores_of(here)
    assert [one.tokens for one in sorted_trials(there)] == [one.tokens for one in sorted_trials(here)]


def sorted_trials(table: Table) -> list[object]:
    return [table.trials[cell.key] for cell in table.cells]


def test_workers_that_are_killed_lose_nothing(tmp_path: Path) -> None:
    workers = Workers(2)
    killed = list[int]()

    def kill(told: Progress) -> None:
        if told.done % 7 == 3 and len(killed) < 3:
            killed.append(workers.pids[0])
            os.kill(workers.pids[0], signal.SIGKILL)

    table = run(experiment_project(tmp_path / "p", repeats=2), workers, on_progress=kill)
    assert len(killed) == 3
    assert scores_of(table) == scores_of(run(experiment_project(tmp_path / "q", repeats=2)))


def test_trials_beside_one_of_which_workers_die_do_not_fail_with_it() -> None:
    orphans, failed = Orphans(), list[Outcome]()
    jobs = [Job(Cell("v", row, 1, f"{row}"), f"run{row}", ["right"]) for row in range(4)]
    orphans.wait(jobs)
    for _ in range(2):  # whoever has all of them dies
        failed += orphans.of(orphans.take(9), is_alone=False)
    assert (orphans.take(9), failed, orphans.are_there) == ([], [], True)
    while alone := orphans.take_suspect():
        assert orphans.is_suspect(alone[0])
        if alone == jobs[:1]:
            failed += orphans.of(alone, is_alone=True)
    assert [(one.trial.key, one.trial.state) for one in failed] == [("0", TrialState.FAILED)]
    assert "3 worker processes died" in failed[0].trial.error
    assert not orphans.are_there


def test_workers_that_are_killed_again_and_again_fail_no_trial(tmp_path: Path) -> None:
    workers = Workers(1)
    killed = list[int]()

    def kill(_: Progress) -> None:
        if len(killed) < 4:
            killed.append(workers.pids[0])
            os.kill(workers.pids[0], signal.SIGKILL)

    table = run(experiment_project(tmp_path / "p", count=6), workers, on_progress=kill)
    assert (len(killed), {one.state for one in table.trials.values()}) == (4, {TrialState.DONE})


def test_an_answer_that_a_killed_worker_had_recorded_is_not_asked_for_again(tmp_path: Path) -> None:
    with counting_endpoint() as counting:
        counting.held = "second"
        path = asking_project(tmp_path / "p", counting.url)
        table = killed_midway(path, counting, 4)
    assert {(one.state, one.chats) for one in table.trials.values()} == {(TrialState.DONE, 2)}
    asked = {
        name: {n for (system, _), n in counting.asked.items() if name in system}
        for name in ("alone", "second")
    }
    assert asked == {"alone": {1}, "second": {2}}  # the second was under way, and had no answer yet


def test_a_judge_that_is_killed_midway_is_asked_no_more_than_what_it_had_no_answer_to(tmp_path: Path) -> None:
    with counting_endpoint() as counting:
        counting.held = "verdict"
        path = judged_project(tmp_path / "p", counting.url, 1, judges=("You judge.", "You say the verdict."))
        table = killed_midway(path, counting, 4)
    assert {(one.score is None, one.tokens) for one in table.scores.values()} == {(False, 2 * 110)}
    asked = sorted((n, system) for (system, _), n in counting.asked.items())
    assert [n for n, _ in asked] == [1, 1, 1, 2]
    assert "verdict" in asked[-1][1]


def killed_midway(path: Path, counting: Counting, requests: int) -> Table:
    """Run an experiment, and kill its worker while what is held waits and so much was asked."""
    workers = Workers(1)

    def kill() -> None:
        counting.wait_for(requests)
        os.kill(workers.pids[0], signal.SIGKILL)
        counting.let_go()

    killer = threading.Thread(target=kill)
    killer.start()
    table = run(path, workers)
    killer.join()
    return table


def test_what_keeps_every_trial_from_running_is_told_once(tmp_path: Path) -> None:
    path = experiment_project(tmp_path / "p", count=2, chat="openai")
    with pytest.raises(WorkersFailedError, match="does not name a model"):
        run(path, Workers(1))


def test_what_is_cancelled_stops_within_a_second_and_goes_on(tmp_path: Path) -> None:
    with counting_endpoint() as counting:
        counting.held = "second"
        path = asking_project(tmp_path / "p", counting.url)
        control, times = Control(), list[float]()

        def cancel() -> None:
            counting.is_waiting.wait(patience())
            times.append(time.monotonic())
            control.cancel()

        canceller = threading.Thread(target=cancel)
        canceller.start()
        table = run(path, Workers(1), control=control)
        times.append(time.monotonic())
        canceller.join()
        assert table.stopped == "It was cancelled."
        assert times[1] - times[0] < patience(1.0)
        counting.let_go()
        whole = run(path)
    assert {one.state for one in whole.trials.values()} == {TrialState.DONE}
    assert {n for (system, _), n in counting.asked.items() if "alone" in system} == {1}
