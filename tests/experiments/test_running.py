"""A trial is a run; equal trials run once, and what was run is not run again."""

import asyncio
import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Self, cast

import pytest

from studio.errors import StoreError, UsageError
from studio.experiments.bench import Bench
from studio.experiments.disposal import discard
from studio.experiments.executors import Control, InProcess, execute_on
from studio.experiments.running import Progress, TrialsFailedError, estimated, run_experiment
from studio.experiments.trial_store import TrialStore
from studio.experiments.trials import Job, Outcome, TrialState
from studio.ids import RunId
from studio.store.reader import RunStore
from studio.store.retention import Keeping
from studio.trace.fold.state import RunStatus
from studio.workspace.project import Project
from tests.experiments.builders import RIGHT, experiment_project, opened, write_experiment
from tests.experiments.counting import counting_endpoint
from tests.experiments.running import asking_project, judged_project, run, scores_of

PRICED = "gpt-4o-mini"


def test_each_trial_is_a_run_of_the_project_that_opens_with_what_it_gave(tmp_path: Path) -> None:
    path = experiment_project(tmp_path / "p", count=3)
    table = run(path)
    store = RunStore(tmp_path / "p" / ".stepwire")
    assert (len(table.cells), table.ran) == (6, 6)
    for cell in table.cells:
        trial = table.trials[cell.key]
        state = store.load(RunId(trial.run))
        assert (state.status, state.profile) == (RunStatus.FINISHED, "solvers")
        assert {name: one.data for name, one in state.outputs.items()} == trial.outputs
        assert (state.tokens, state.cost) == (trial.tokens, trial.cost)
    assert (tmp_path / "p" / ".stepwire" / ".gitignore").read_text("utf-8") == "*\n"


def test_what_was_run_is_taken_from_the_store_and_said_to_be(tmp_path: Path) -> None:
    path = experiment_project(tmp_path / "p", count=3)
    first, again = run(path), run(path)
    assert (first.ran, first.reused, again.ran, again.reused) == (6, 0, 0, 6)
    assert (again.trials, again.scores) == (first.trials, first.scores)
    write_experiment(tmp_path / "p", repeats=2)
    more = run(path)
    assert (more.ran, more.reused) == (6, 6)


def test_two_variants_that_are_the_same_share_their_trials(tmp_path: Path) -> None:
    variants = {"one": {"flow": "flow.json"}, "same": {"flow": "flow.json", "chat": "solvers"}}
    table = run(experiment_project(tmp_path / "p", count=3, variants=variants))
    assert (table.ran, table.shared) == (3, 3)


def test_another_prompt_another_profile_or_another_row_is_another_trial(tmp_path: Path) -> None:
    path = experiment_project(tmp_path / "p", count=2, variants={"one": {"flow": "flow.json"}})
    run(path)
    edit = {"edit": "prompt", "node": "w", "text": "Be brief."}
    write_experiment(tmp_path / "p", variants={"one": {"flow": "flow.json", "patch": [edit]}})
    assert run(path).ran == 2
    problems = tmp_path / "p" / "data" / "problems.jsonl"
    problems.write_text(problems.read_text("utf-8").replace("box 1", "box 9"), "utf-8")
    assert run(path).ran == 2  # the solvers know other problems now


def test_repeats_have_luck_of_their_own_and_a_seed_gives_the_same_again(tmp_path: Path) -> None:
    one, same = (experiment_project(tmp_path / name, repeats=4) for name in "pq")
    other = experiment_project(tmp_path / "r", repeats=4, seed=2)
    first = scores_of(run(one))
    assert scores_of(run(same)) == first != scores_of(run(other))
    assert len({tuple(v for k, v in first.items() if k[2] == repeat) for repeat in range(1, 5)}) > 1  # type: ignore[index]


def test_a_flow_that_fails_scores_nothing_and_is_not_run_again(tmp_path: Path) -> None:
    path = experiment_project(
        tmp_path / "p", count=2, variants={"one": {"flow": "flow.json"}}, limits={"tokens": 1}
    )
    table = run(path)
    assert {one.state for one in table.trials.values()} == {TrialState.FAILED}
    assert {(one.score, one.ok) for one in table.scores.values()} == {(0.0, False)}
    assert run(path).ran == 0


def test_what_fails_at_the_provider_is_no_evidence_and_is_tried_again(tmp_path: Path) -> None:
    with counting_endpoint() as counting:
        counting.status = 401
        path = asking_project(tmp_path / "p", counting.url)
        table = run(path)
        assert {one.state for one in table.trials.values()} == {TrialState.PROVIDER}
        assert not table.scores
        counting.status = 200
        assert {one.state for one in run(path).trials.values()} == {TrialState.DONE}


def test_who_cannot_answer_is_stood_in_for_by_who_its_profile_falls_back_on(tmp_path: Path) -> None:
    with counting_endpoint() as counting:
        counting.status = 401
        path = asking_project(tmp_path / "p", counting.url)
        file = tmp_path / "p" / "project.json"
        file.write_text(
            file.read_text("utf-8").replace('"llm"', '"fallback": ["solvers"], "llm"', 1), "utf-8"
        )
        table = run(path)
        assert {one.state for one in table.trials.values()} == {TrialState.DONE}
        assert counting.asked


def test_where_all_fail_alike_no_more_are_tried_and_it_goes_on_once_that_is_mended(tmp_path: Path) -> None:
    with counting_endpoint() as counting:
        counting.status = 404
        path = asking_project(tmp_path / "p", counting.url, count=20)
        with pytest.raises(TrialsFailedError, match=r"The first \d+ trials all failed .*HTTP 404"):
            run(path)
        assert len(counting.asked) < 20
        counting.status = 200
        table = run(path)
        assert ({one.state for one in table.trials.values()}, table.stopped) == ({TrialState.DONE}, "")


def test_a_flow_that_always_fails_goes_on_when_it_is_run_again(tmp_path: Path) -> None:
    with counting_endpoint() as counting:
        path = asking_project(tmp_path / "p", counting.url, count=20, limits={"tokens": 1})
        with pytest.raises(TrialsFailedError):
            run(path)
        assert {one.state for one in run(path).trials.values()} == {TrialState.FAILED}


def test_an_equal_trial_of_another_experiment_is_not_run_again(tmp_path: Path) -> None:
    path = experiment_project(tmp_path / "p", count=3)
    first = run(path)
    variants = {"voting": {"flow": "voting.json"}, "twice": {"flow": "twice.json"}}
    other = write_experiment(tmp_path / "p", "other", variants=variants)
    one = opened(other)
    with TrialStore(one.project, one.name) as store:
        assert (estimated(one, store).to_run, estimated(one, store).reused) == (3, 3)
        second = run_experiment(one, store, InProcess({}))
    assert (second.ran, second.reused) == (3, 3)
    assert not list(path.parent.parent.glob(".stepwire/experiments/trial.db-*"))
    shared = [cell.key for cell in second.cells if cell.variant == "voting"]
    assert [second.trials[key].run for key in shared] == [first.trials[key].run for key in shared]
    discard(one.project, "trial", is_meant=True)
    store = RunStore(one.project.private)
    assert all(store.path(RunId(second.trials[key].run)).is_file() for key in shared)


def test_a_row_whose_answer_was_mended_is_scored_again_and_not_run_again(tmp_path: Path) -> None:
    variants = {"alone": {"flow": "flow.json"}}
    path = experiment_project(tmp_path / "p", count=3, variants=variants, solver={"accuracy": 1})
    rows = tmp_path / "p" / "data" / "rows.jsonl"
    rows.write_text((tmp_path / "p" / "data" / "problems.jsonl").read_text("utf-8"), "utf-8")
    write_experiment(tmp_path / "p", variants=variants, dataset={"file": "data/rows.jsonl"})
    assert [*scores_of(run(path)).values()] == [1, 1, 1]
    rows.write_text(rows.read_text("utf-8").replace('"answer": "r1"', '"answer": "w1"'), "utf-8")
    again = run(path)
    assert (again.ran, [*scores_of(again).values()]) == (0, [1, 0, 1])


def test_stored_trials_are_scored_again_without_running(tmp_path: Path) -> None:
    path = experiment_project(tmp_path / "p", count=3, scorers={})
    first = run(path)
    lenient = {**RIGHT, "settings": {"by": "exact", "ignore_case": True}}
    write_experiment(tmp_path / "p", scorers={"right": RIGHT, "lenient": lenient}, repeats=5)
    again = run(path, is_rescored=True)
    assert again.ran == 0
    assert {one.run for one in again.trials.values()} == {one.run for one in first.trials.values()}
    assert {name for _, name in again.scores} == {"right", "lenient"}
    assert len(again.scores) == 2 * len(first.trials)


def test_a_flow_scores_as_a_check_does(tmp_path: Path) -> None:
    path = experiment_project(tmp_path / "p", count=4)
    (tmp_path / "p" / "scoring.json").write_text(
        """{"format": "stepwire.flow", "version": 1, "name": "Score", "nodes": {
        "said": {"kind": "io.flow_input"}, "wanted": {"kind": "io.flow_input"},
        "same": {"kind": "value.formula", "settings": {"formula": "1 if said == wanted else 0"}},
        "score": {"kind": "io.flow_output"}},
        "wires": ["said.value -> same.said", "wanted.value -> same.wanted", "same.value -> score.value"]}""",
        "utf-8",
    )
    given = {"said": "outputs.answer", "wanted": "row.answer"}
    write_experiment(
        tmp_path / "p", scorers={"right": RIGHT, "flow": {"flow": "scoring.json", "given": given}}
    )
    table = run(path)
    by_name = {
        name: {key: one.score for (key, scorer), one in table.scores.items() if scorer == name}
        for name in ("right", "flow")
    }
    assert by_name["right"] == by_name["flow"]


def test_only_one_process_at_a_time_runs_an_experiment(tmp_path: Path) -> None:
    one = opened(experiment_project(tmp_path / "p", count=1))
    with (
        TrialStore(one.project, one.name),
        pytest.raises(UsageError, match="already running"),
        TrialStore(one.project, one.name),
    ):
        pass


def test_cost_is_estimated_from_stored_trials_and_bounded_by_limits(tmp_path: Path) -> None:
    with counting_endpoint() as counting:
        path = asking_project(tmp_path / "p", counting.url, llm=PRICED, limits={"cost": 0.5})
        one = opened(path)
        with TrialStore(one.project, one.name) as store:
            before = estimated(one, store)
            table = run_experiment(one, store, InProcess({}))
        assert (before.to_run, before.cost, before.most) == (2, None, 1.0)
        cost = sum(trial.cost for trial in table.trials.values())
        assert cost > 0
        write_experiment(tmp_path / "p", chat="here", variants={"twice": {"flow": "twice.json"}}, repeats=3)
        path.write_text(
            path.read_text("utf-8").replace('"chat"', '"limits": {"cost": 0.5}, "chat"', 1), "utf-8"
        )
        more = opened(path)
        with TrialStore(more.project, more.name) as store:
            after = estimated(more, store)
        assert (after.to_run, after.reused) == (4, 2)
        assert after.cost == pytest.approx(2 * cost)


def test_no_more_is_spent_than_is_allowed_and_it_goes_on_where_it_was(tmp_path: Path) -> None:
    with counting_endpoint() as counting:
        path = asking_project(tmp_path / "p", counting.url, count=6, llm=PRICED)
        one_trial = run(asking_project(tmp_path / "q", counting.url, count=1, llm=PRICED))
        price = next(iter(one_trial.trials.values())).cost
        counting.asked.clear()
        table = run(path, max_cost=2.5 * price)
        spent = sum(one.cost for one in table.trials.values())
        assert "The cost limit was reached" in table.stopped
        assert 2 * price <= spent <= 3 * price + 1e-9
        whole = run(path)
        assert {one.state for one in whole.trials.values()} == {TrialState.DONE}
        assert set(counting.asked.values()) == {1}


def test_what_is_cancelled_stops_and_goes_on_where_it_was(tmp_path: Path) -> None:
    control = Control()

    def stop(told: Progress) -> None:
        if told.done == 4:
            control.cancel()

    path = experiment_project(tmp_path / "p", count=6)
    table = run(path, control=control, on_progress=stop)
    done = [one for one in table.trials.values() if one.state is TrialState.DONE]
    assert (table.stopped, len(done)) == ("It was cancelled.", 4)
    again = run(path)
    assert (again.ran, again.reused) == (8, 4)
    assert scores_of(again) == scores_of(run(experiment_project(tmp_path / "q", count=6)))


def test_what_a_bench_has_open_is_closed_whole_whenever_it_is_cancelled() -> None:
    control = Control()

    class Closing:
        is_closed = False

        async def __aenter__(self) -> Self:
            return self

        async def __aexit__(self, *_: object) -> None:
            control.cancel()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            self.is_closed = True

    class Nothing:
        def take(self, most: int) -> Sequence[Job]:
            del most
            return ()

        def put(self, outcome: Outcome) -> None: ...

    bench = Closing()
    asyncio.run(execute_on(cast("Bench", bench), Nothing(), control, 2))
    assert bench.is_closed


def test_a_pause_begins_nothing_until_it_ends(tmp_path: Path) -> None:
    control, seen = Control(), list[int]()

    def pause(told: Progress) -> None:
        seen.append(told.done)
        if told.done == 2:
            control.pause()
            threading.Timer(0.05, control.resume).start()

    table = run(experiment_project(tmp_path / "p", count=2), control=control, on_progress=pause)
    assert (seen, table.stopped) == ([1, 2, 3, 4], "")


def test_a_project_that_keeps_few_runs_keeps_those_of_its_tables(tmp_path: Path) -> None:
    path = experiment_project(tmp_path / "p", count=3)
    set_keeping(tmp_path / "p", runs=1)
    named = {one.run for one in run(path).trials.values()}
    store = RunStore(tmp_path / "p" / ".stepwire")
    assert set(store.sizes()) == named
    store.new_run_path(RunId("20991121-111546-0000000"), Project.open(tmp_path / "p").keeping)
    assert (set(store.sizes()), len(named)) == (named, 6)


def test_runs_of_trials_that_ask_somebody_and_of_their_judges_stay_as_well(tmp_path: Path) -> None:
    with counting_endpoint() as counting:
        path = judged_project(tmp_path / "p", counting.url, 2)
        set_keeping(tmp_path / "p", runs=1)
        table = run(path)
    named = {one.run for one in (*table.trials.values(), *table.scores.values())} - {""}
    assert (set(RunStore(tmp_path / "p" / ".stepwire").sizes()), len(named)) == (named, 4)


def test_no_run_is_removed_where_a_table_cannot_be_read(tmp_path: Path) -> None:
    path = experiment_project(tmp_path / "p", count=1, variants={"one": {"flow": "flow.json"}})
    run(path)
    (tmp_path / "p" / ".stepwire" / "experiments" / "other.db").write_bytes(b"no table" * 1000)
    store = RunStore(tmp_path / "p" / ".stepwire")
    with pytest.raises(StoreError, match=r"other\.db` can't be read"):
        store.superfluous(Keeping(runs=1))
    store.new_run_path(RunId("20991121-111546-0000000"), Keeping(megabytes=0))
    assert len(store.sizes()) == 1


def test_trials_are_discarded_with_their_runs_when_it_is_meant(tmp_path: Path) -> None:
    root = tmp_path / "p"
    one, other = experiment_project(root, count=2), write_experiment(root, "other", repeats=2, seed=2)
    first, second = run(one), run(other)
    one.unlink()  # an experiment that is deleted leaves its trials
    project, store = Project.open(root), RunStore(root / ".stepwire")
    told = discard(project, "trial", is_meant=False)
    assert (told.trials, told.runs, len(store.sizes())) == (4, 4, 12)
    assert told.bytes == sum(store.size(RunId(trial.run)) for trial in first.trials.values())
    assert discard(project, "trial", is_meant=True) == told
    assert set(store.sizes()) == {trial.run for trial in second.trials.values()}
    assert discard(project, "trial", is_meant=True) == (0, 0, 0)
    write_experiment(root)
    assert run(one).ran == 4


def set_keeping(root: Path, **keep: int) -> None:
    """Have a project keep only so many runs."""
    file = root / "project.json"
    file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), "keep": keep}), "utf-8")
