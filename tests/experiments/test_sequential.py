"""Who looks several times errs no more often than who looks once, and it is said where it ended."""

import json
from pathlib import Path

import numpy as np
import pytest

from studio.errors import ExperimentFileError
from studio.experiments.distributions import normal_quantile, t_quantile
from studio.experiments.figures.sequential import Spending, decided, looks_at
from studio.experiments.report import report_of
from studio.experiments.running import estimated
from studio.experiments.table import Table, table_of
from studio.experiments.trial_store import TrialStore
from studio.experiments.trials import TrialState
from tests.examples import ARE_MANY
from tests.experiments.builders import experiment_project, opened
from tests.experiments.running import run

pytest.importorskip("scipy")

WALKS = 200_000 if ARE_MANY else 20_000
STOP = {"looks": 4, "within": 0.4}
FAR = {"alone": {"flow": "flow.json"}, "wrong": {"flow": "flow.json", "chat": "never"}}


@pytest.mark.parametrize(
    ("spending", "bounds"),
    [
        # Lan and DeMets (1983) for five looks, to two sides; as in the tables of ldbounds and of SAS.
        ("obrien-fleming", [4.8769, 3.3569, 2.6803, 2.2898, 2.0310]),
        ("pocock", [2.4380, 2.4268, 2.4101, 2.3966, 2.3859]),
    ],
)
def test_the_bounds_of_the_looks_are_the_published_ones(spending: Spending, bounds: list[float]) -> None:
    found = [normal_quantile(1 - look.level / 2) for look in looks_at(100, 5, spending, 1)]
    assert found == pytest.approx(bounds, abs=2e-4)


@pytest.mark.parametrize("spending", ["obrien-fleming", "pocock"])
@pytest.mark.parametrize(("pairs", "looks"), [(60, 5), (7, 3), (200, 10)])
def test_where_nothing_differs_five_in_a_hundred_end_with_a_difference(
    spending: Spending, pairs: int, looks: int
) -> None:
    steps = np.random.default_rng(1).standard_normal((WALKS, pairs)).cumsum(axis=1)
    crossed = np.zeros(WALKS, dtype=bool)
    for look in looks_at(pairs, looks, spending, 1):
        bound = normal_quantile(1 - look.level / 2)
        crossed |= np.abs(steps[:, look.pairs - 1]) > bound * look.pairs**0.5
    assert crossed.mean() == pytest.approx(0.05, abs=0.005)


def test_of_several_comparisons_five_in_a_hundred_experiments_mislead() -> None:
    chance = np.random.default_rng(2)
    crossed = np.zeros(WALKS, dtype=bool)
    looks = looks_at(50, 4, "obrien-fleming", 3)
    for _ in range(3):
        steps = chance.standard_normal((WALKS, 50)).cumsum(axis=1)
        for look in looks:
            bound = normal_quantile(1 - look.level / 2)
            crossed |= np.abs(steps[:, look.pairs - 1]) > bound * look.pairs**0.5
    assert crossed.mean() == pytest.approx(0.05, abs=0.006)


@pytest.mark.parametrize("alike", [0.0, 0.5, 0.95])
def test_nor_do_more_where_further_repeats_tell_less_than_further_rows(alike: float) -> None:
    """Rows and three repeats of each, which are more or less alike: looked at as the rule looks at them."""
    chance, (rows, repeats) = np.random.default_rng(3), (40, 3)
    shared = chance.standard_normal((WALKS // 4, 1, rows)) * alike**0.5
    drawn = shared + chance.standard_normal((WALKS // 4, repeats, rows)) * (1 - alike) ** 0.5
    values = drawn.reshape(WALKS // 4, repeats * rows)
    crossed = np.zeros(WALKS // 4, dtype=bool)
    for look in looks_at(rows * repeats, 6, "pocock", 1):
        there = np.arange(rows * repeats).reshape(repeats, rows) < look.pairs
        counts = there.sum(axis=0)
        sums = np.where(there.ravel(), values, 0).reshape(-1, repeats, rows).sum(axis=1)
        means = sums[:, counts > 0] / counts[counts > 0]
        found = means.mean(axis=1) / means.std(axis=1, ddof=1) * means.shape[1] ** 0.5
        crossed |= np.abs(found) > t_quantile(1 - look.level / 2, means.shape[1] - 1)
    assert crossed.mean() <= 0.05 + 0.009


def test_the_rule_itself_misleads_no_more_often() -> None:
    chance, misled, times = np.random.default_rng(3), 0, 300
    looks = looks_at(40, 4, "pocock", 1)
    for _ in range(times):
        each = chance.beta(1, 1, size=40)
        pair = [(chance.random(40) < each).astype(float).tolist() for _ in range(2)]
        for look in looks:
            one, other = ({str(row): [values[row]] for row in range(look.pairs)} for values in pair)
            if decided(one, other, "sample", look, None):
                misled += 1
                break
    assert misled / times <= 0.05 + 3 * (0.05 * 0.95 / times) ** 0.5


def ending(root: Path, **different: object) -> Path:
    """An experiment with a variant that is never right, so that the question is decided early."""
    path = experiment_project(root, 40, {"accuracy": 0.95}, variants=FAR, stop=STOP, **different)
    file = root / "project.json"
    project = json.loads(file.read_text("utf-8"))
    profiles = project["chat"]["profiles"]
    profiles["never"] = json.loads(json.dumps(profiles["solvers"]).replace("0.95", "0"))
    file.write_text(json.dumps(project), "utf-8")
    return path


def cells(table: Table) -> list[object]:
    return [(cell.variant, cell.row, cell.repeat) for cell in table.cells]


def test_it_ends_when_the_question_is_decided_and_says_where(tmp_path: Path) -> None:
    path = ending(tmp_path / "p", repeats=3)
    table = run(path)
    assert table.look is not None
    assert (table.look.is_end, table.look.number, table.look.of_pairs) == (True, 1, 120)
    done = [one for one in table.trials.values() if one.state is TrialState.DONE]
    assert (len(table.cells), table.ran, len(done)) == (60, 60, 60)
    assert {cell.variant for cell in table.cells} == set(FAR)
    report = report_of(opened(path), table)
    [one] = report.compared
    assert one.is_sure
    assert one.words.startswith("`wrong` is worse than `alone` by ")
    assert any("It ended early at look 1 of 4, 30 of 120 rows and repeats" in note for note in report.notes)


def test_what_ended_early_is_not_gone_on_with_and_reads_the_same(tmp_path: Path) -> None:
    path = ending(tmp_path / "p", repeats=3)
    first, one = run(path), opened(path)
    again = run(path)
    assert (again.ran, again.reused, cells(again)) == (0, 60, cells(first))
    with TrialStore(one.project, one.name) as store:
        assert cells(table_of(one)) == cells(first)
        assert estimated(one, store).to_run == 0


def test_it_goes_on_to_the_end_where_nothing_is_decided(tmp_path: Path) -> None:
    table = run(experiment_project(tmp_path / "p", 10, {"accuracy": 0.5}, stop={"looks": 3}))
    assert table.look is not None
    assert (table.look.is_end, table.look.number, len(table.cells)) == (False, 3, 20)


def test_it_ends_as_well_where_no_difference_that_matters_is_left(tmp_path: Path) -> None:
    same = {"one": {"flow": "flow.json"}, "same": {"flow": "flow.json", "limits": {"steps": 999}}}
    path = experiment_project(tmp_path / "p", 60, variants=same, stop=STOP)
    table = run(path)
    assert table.look is not None
    assert table.look.is_end
    [one] = report_of(opened(path), table).compared
    assert "`same` and `one` differ by less than 40 points" in one.words


def test_rows_come_in_a_random_order_where_the_first_may_be_all_that_are_run(tmp_path: Path) -> None:
    table = run(experiment_project(tmp_path / "p", 10, stop={"looks": 2}))
    rows = [cell.row for cell in table.cells if cell.variant == "alone"]
    assert sorted(rows) == list(range(10)) != rows


def test_a_rule_with_nothing_to_compare_is_refused(tmp_path: Path) -> None:
    path = experiment_project(tmp_path / "p", 2, variants={"one": {"flow": "flow.json"}}, stop={})
    with pytest.raises(ExperimentFileError, match="name two at least, and a scorer"):
        opened(path)
