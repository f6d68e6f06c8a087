"""What goes wrong on the way is told by what it was, and what was there is kept."""

from pathlib import Path

import pytest

from studio.errors import StoreError
from studio.experiments.executors import Control, InProcess
from studio.experiments.report import report_of
from studio.experiments.running import run_experiment
from studio.experiments.table import table_of
from studio.experiments.trial_store import TrialStore
from studio.experiments.trials import Outcome, Trial, TrialState
from tests.experiments.builders import RIGHT, experiment_project, opened, write_experiment
from tests.experiments.counting import counting_endpoint
from tests.experiments.running import asking_project, run
from tests.full_disk import full_disk

ALONE = {"alone": {"flow": "flow.json"}}
RAISING = {"check": "check.expect", "settings": {"rule": "value > 1"}, "given": {"value": "outputs.answer"}}


def test_a_scorer_that_raises_says_why_and_leaves_the_others_alone(tmp_path: Path) -> None:
    scorers = {"right": RIGHT, "raising": RAISING}
    path = experiment_project(tmp_path / "p", 3, variants=ALONE, scorers=scorers)
    table = run(path)
    assert {one.state for one in table.trials.values()} == {TrialState.DONE}
    [figures] = report_of(opened(path), table).figures
    assert (figures.unscored, set(figures.scores)) == (3, {"right"})
    notes = " ".join(report_of(opened(path), table).notes)
    assert "3 scores of `alone` could not be given; they are left out: The expression cannot be" in notes
    write_experiment(tmp_path / "p", variants=ALONE)  # and is mended without running anything again
    assert run(path, is_rescored=True).ran == 0


def test_a_column_that_is_something_else_in_some_rows_leaves_these_out(tmp_path: Path) -> None:
    path = experiment_project(tmp_path / "p", 3, variants=ALONE)
    problems = tmp_path / "p" / "data" / "problems.jsonl"
    lines = problems.read_text("utf-8").splitlines()
    (tmp_path / "p" / "data" / "rows.jsonl").write_text(
        "\n".join(one.replace('"wrong": ["w1"]', '"wrong": "w1"') for one in lines), "utf-8"
    )
    judge = {"check": "check.judge", "given": {"value": "outputs.answer", "question": "row.wrong"}}
    write_experiment(
        tmp_path / "p", variants=ALONE, dataset={"file": "data/rows.jsonl"}, scorers={"judge": judge}
    )
    table = run(path)
    wrong = [one.reason for one in table.scores.values() if "does not fit" in one.reason]
    assert len(wrong) == 2
    assert {one.state for one in table.trials.values()} == {TrialState.DONE}


def test_a_provider_that_fails_for_a_third_of_the_rows_is_told_apart_from_the_flow(tmp_path: Path) -> None:
    with counting_endpoint() as counting:
        path = asking_project(tmp_path / "p", counting.url, count=6)
        one = opened(path)
        with TrialStore(one.project, one.name) as store:
            counting.status = 401
            first = {"file": "data/problems.jsonl", "first": 2}
            write_experiment(tmp_path / "p", chat="here", variants=one_variant(), dataset=first)
            run_experiment(opened(path), store, InProcess({}))
            counting.status = 200
            left = table_of(one)
            for cell in [cell for cell in left.cells if cell.row >= 2]:
                trial = Trial(cell.key, f"r{cell.row}", TrialState.FAILED, error="`w` failed: no such tool")
                store.keep([Outcome(trial, {})], {})
            report = report_of(one, table_of(one))
    assert (report.figures[0].failed, report.figures[0].provider) == (4, 2)
    notes = " ".join(report.notes)
    assert "2 trials of `twice` (33 %) failed at the provider, not in the flow: left out" in notes
    assert "4 trials of `twice` failed and score 0: `w` failed: no such tool." in report.notes


def one_variant() -> dict[str, object]:
    return {"twice": {"flow": "twice.json"}}


def test_a_disk_that_is_full_is_told_and_loses_nothing_that_was_kept(tmp_path: Path) -> None:
    one = opened(experiment_project(tmp_path / "p", 1))
    trials = [Trial(f"k{at}", f"r{at}", TrialState.DONE, {"answer": "x" * 4000}) for at in range(60)]
    with TrialStore(one.project, one.name) as store:
        store.keep([Outcome(trial, {}) for trial in trials[:10]], {})
        there = max(path.stat().st_size for path in store.path.parent.iterdir())
        with full_disk(there), pytest.raises(StoreError, match=r"can't be read or kept.*") as caught:
            store.keep([Outcome(trial, {}) for trial in trials[10:]], {})
        assert "check whether the disk is full" in caught.value.hint
        store.keep([Outcome(trials[10], {})], {})
    with TrialStore(one.project, one.name) as store:
        assert sorted(store.trials([trial.key for trial in trials])) == sorted(
            trial.key for trial in trials[:11]
        )


def test_a_table_of_which_nothing_was_run_is_told_as_such(tmp_path: Path) -> None:
    control = Control()
    control.cancel()
    path = experiment_project(tmp_path / "p", 2)
    report = report_of(opened(path), run(path, control=control))
    assert [(one.trials, dict(one.measures)) for one in report.figures] == [(0, {}), (0, {})]
    assert report.notes == ["The table is not whole. It was cancelled."]


def test_what_nobody_knows_is_not_said_to_be_nothing(tmp_path: Path) -> None:
    with counting_endpoint() as counting:
        path = asking_project(tmp_path / "p", counting.url)
        [figures] = report_of(opened(path), run(path)).figures
    assert "cost" not in figures.measures
    assert figures.unpriced > 0
    at_once = experiment_project(tmp_path / "q", 2, variants=ALONE, chat="made-up", made_up=True)
    [figures] = report_of(opened(at_once), run(at_once)).figures
    assert "seconds" not in figures.measures
