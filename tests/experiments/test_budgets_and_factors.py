"""A variant that costs less may try again, and what single factors do is told over all others."""

from itertools import combinations, product
from pathlib import Path
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.errors import ExperimentFileError
from studio.experiments.experiment import Experiment
from studio.experiments.figures.budgets import Try, at_equal_budget
from studio.experiments.figures.factors import effects_of, interactions_of
from studio.experiments.files import experiment_of, write_experiment
from studio.experiments.report import report_of
from studio.experiments.statistics import pass_at
from tests.experiments.builders import VOTING, experiment_project, opened
from tests.experiments.running import run, scores_of

pytest.importorskip("scipy")

RIGHT, WRONG = Try(1.0, "17"), Try(0.0, "12")


def test_the_majority_of_three_tries_is_what_condorcet_says() -> None:
    row = [RIGHT] * 6 + [WRONG] * 4
    found = at_equal_budget({"a": row, "b": row}, {"a": [1.0], "b": [1.0]}, 3, "sample")
    assert found is not None
    majority, best, apart = found
    told = [fmean(one.score for one in each) > 0.5 for each in combinations(row, 3)]
    assert majority.value == pytest.approx(fmean(told))
    assert best == pytest.approx(pass_at(10, 6, 3))
    assert apart.value == pytest.approx(1 - fmean(told))


@given(st.integers(1, 6), st.data())
def test_the_best_of_several_tries_is_what_trying_all_sets_gives(count: int, data: st.DataObject) -> None:
    scores = data.draw(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=count, max_size=7))
    tries = [Try(one, str(one)) for one in scores]
    found = at_equal_budget({"a": tries, "b": tries}, {"a": [1.0], "b": [0.0]}, count, "sample")
    assert found is not None
    assert found[1] == pytest.approx(fmean(max(each) for each in combinations(scores, count)))


def test_half_a_try_is_one_half_of_the_time() -> None:
    rows = {"a": [RIGHT] * 2 + [WRONG] * 2, "b": [RIGHT] * 4}
    dear = {"a": [1.0], "b": [1.0]}
    bests = [at_equal_budget(rows, dear, tries, "fixed") for tries in (1, 1.5, 2)]
    one, half, two = (found[1] for found in bests if found is not None)
    assert half == pytest.approx((one + two) / 2)


def test_too_few_repeats_cannot_tell() -> None:
    assert at_equal_budget({"a": [RIGHT]}, {"a": [1.0]}, 3, "sample") is None


def test_beside_a_dearer_variant_stands_what_its_budget_would_give_otherwise(tmp_path: Path) -> None:
    solver = {"accuracy": 0.6, "correlation_of_samples": 0}
    path = experiment_project(tmp_path / "p", 12, solver, repeats=8)
    [one] = report_of(opened(path), run(path)).compared
    assert one.equal is not None
    assert (one.equal.cheaper, round(one.equal.tries)) == ("alone", 3)
    assert one.equal.majority is not None
    assert one.equal.difference is not None
    assert one.equal.difference.low < 0 < one.equal.difference.high
    single = experiment_project(tmp_path / "q", 3)
    assert any("more repeats would tell" in note for note in report_of(opened(single), run(single)).notes)


FACTORS = {
    "flow": {"one": {"flow": "flow.json"}, "three": {"flow": "voting.json"}},
    "words": {"few": {}, "brief": {"patch": [{"edit": "prompt", "node": "w", "text": "Be brief."}]}},
}


def experiment(**different: object) -> Experiment:
    return Experiment.model_validate({**VOTING, "variants": {}, "factors": FACTORS, **different})


def test_factors_are_every_combination_of_their_levels() -> None:
    one = experiment()
    assert list(one.tried) == ["one + few", "one + brief", "three + few", "three + brief"]
    assert one.tried["three + brief"].flow == "voting.json"
    assert len(one.tried["three + brief"].patch) == 1
    assert one.compared_with == "one + few"
    text = write_experiment(one)
    assert experiment_of(text, "trial") == one
    assert '"one + few"' not in text


def test_the_effect_of_a_level_is_its_mean_over_all_else() -> None:
    """A table of two by two as in Box, Hunter and Hunter: main effects 23 and -5 of 100, over four cells."""
    means = {"one + few": 0.60, "three + few": 0.72, "one + brief": 0.44, "three + brief": 0.78}
    scores = {
        name: {str(row): [mean + 0.01 * (row % 3)] for row in range(12)} for name, mean in means.items()
    }
    flow, words = effects_of(experiment(), scores, "sample")
    assert (flow.factor, flow.level, flow.than) == ("flow", "three", "one")
    assert flow.difference.interval.value == pytest.approx(0.23)
    assert words.difference.interval.value == pytest.approx(-0.05)
    assert flow.words.startswith("`flow`: `three` adds 23.0 points")
    assert words.words.startswith("`words`: `brief` takes 5.0 points")


def test_levels_interact_by_how_much_more_the_one_does_with_the_other() -> None:
    """The same table: `three` adds 12 points with `few` and 34 with `brief`, 22 more."""
    means = {"one + few": 0.60, "three + few": 0.72, "one + brief": 0.44, "three + brief": 0.78}
    scores = {
        name: {str(row): [mean + 0.01 * (row % 3)] for row in range(12)} for name, mean in means.items()
    }
    [found] = interactions_of(experiment(), scores, "sample")
    assert (found.one, found.other) == (("flow", "three", "one"), ("words", "brief", "few"))
    assert found.difference.interval.value == pytest.approx(0.22)
    assert found.words.startswith(
        "`flow`: `three` with `words`: `brief` adds 22.0 points more than with `few`"
    )


@given(st.data())
def test_a_level_that_adds_the_same_everywhere_has_that_effect(data: st.DataObject) -> None:
    base = data.draw(st.lists(st.floats(0, 0.5), min_size=3, max_size=6))
    scores = {
        f"{flow} + {words}": {
            str(row): [one + 0.25 * (flow == "three") + 0.1 * (words == "brief")]
            for row, one in enumerate(base)
        }
        for flow, words in product(FACTORS["flow"], FACTORS["words"])
    }
    found = effects_of(experiment(), scores, "sample")
    assert [one.difference.interval.value for one in found] == pytest.approx([0.25, 0.1])
    [together] = interactions_of(experiment(), scores, "sample")
    assert together.difference.interval.value == pytest.approx(0)


def test_factors_run_as_variants_do_and_their_effects_are_told(tmp_path: Path) -> None:
    factors = {"flow": FACTORS["flow"], "limit": {"wide": {}, "none": {"limits": {"tokens": 1}}}}
    path = experiment_project(tmp_path / "p", 8, {"accuracy": 1}, variants=None, factors=factors)
    report = report_of(opened(path), run(path))
    assert len(report.figures) == 4
    assert [(one.factor, round(one.difference.interval.value, 6)) for one in report.effects] == [
        ("flow", 0.0),
        ("limit", -1.0),
    ]


def test_what_is_wrong_with_factors_is_told(tmp_path: Path) -> None:
    with pytest.raises(ExperimentFileError, match="`flow` needs two levels at least"):
        opened(experiment_project(tmp_path / "p", 1, variants=None, factors={"flow": {"one": {}}}))
    wrong = {"flow": {"one": {}, "gone": {"flow": "gone.json"}}}
    with pytest.raises(ExperimentFileError, match=r"factors: the project has no flow `gone\.json`"):
        opened(experiment_project(tmp_path / "q", 1, variants=None, factors=wrong))


def test_faults_are_levels_of_a_factor_and_their_trials_are_runs_of_their_own(tmp_path: Path) -> None:
    faults = {
        "none": {},
        "liar": {"faults": ["replace *#chat: no idea"]},
        "dead": {"faults": ["fail *#chat"]},
    }
    factors = {"flow": FACTORS["flow"], "fault": faults}
    path = experiment_project(tmp_path / "p", 4, {"accuracy": 1}, variants=None, factors=factors)
    table = run(path)
    scores = scores_of(table)
    by_fault: dict[str, set[float | None]] = {}
    for (variant, *_), score in scores.items():  # type: ignore[misc, has-type]
        by_fault.setdefault(str(variant).split(" + ")[-1], set()).add(score)  # type: ignore[arg-type]
    assert by_fault == {"none": {1.0}, "liar": {0.0}, "dead": {0.0}}
    assert table.ran == 4 * 3 * len(FACTORS["flow"])
    again = run(path)
    assert (again.ran, scores_of(again)) == (0, scores)


def test_faults_are_written_as_they_were_meant() -> None:
    variant = {"flow": "a.json", "faults": ["corrupt *#chat rate=0.5", {"fault": "fail", "at": "b"}]}
    read = Experiment.model_validate({**VOTING, "variants": {"one": variant}})
    assert experiment_of(write_experiment(read), "x") == read
    with pytest.raises(ExperimentFileError, match="faults"):
        experiment_of(write_experiment(read).replace("corrupt", "explode"), "x")


def test_a_fault_that_stands_nowhere_is_told_with_its_variant(tmp_path: Path) -> None:
    variants = {"one": {"flow": "flow.json", "faults": ["fail nobody"]}}
    with pytest.raises(ExperimentFileError, match="no node `nobody`"):
        opened(experiment_project(tmp_path / "p", 1, variants=variants))


@pytest.mark.parametrize("spread", [1, 2])
def test_what_a_rate_draws_is_luck_of_the_repeat_and_the_same_for_all_variants(
    tmp_path: Path, spread: int
) -> None:
    faults = {"faults": ["replace w#chat rate=0.5: no idea"]}
    variants = {
        "one": {"flow": "flow.json", **faults},
        "two": {"flow": "flow.json", **faults, "limits": {"tokens": 9_999}},
    }
    table = run(
        experiment_project(tmp_path / "p", 10, {"accuracy": 1}, variants=variants, repeats=3, seed=spread)
    )
    found = scores_of(table)
    one = {key[1:]: score for key, score in found.items() if key[0] == "one"}
    two = {key[1:]: score for key, score in found.items() if key[0] == "two"}
    assert one == two
    assert 5 < sum(score or 0 for score in one.values()) < 25
