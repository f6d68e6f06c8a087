"""A page of the table is read from index and store alone, sorted and filtered as a person asks."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from studio.app.experiments.experiment_list import experiments_of
from studio.errors import StoreError
from studio.experiments.trial_index import index_path, keep_report, read_about, write_index
from studio.experiments.trial_pages import ShownRow, TrialPages, Wanted
from studio.experiments.trials import TrialState
from studio.workspace.project import Project
from tests.experiments.builders import experiment_project, opened, write_experiment
from tests.experiments.running import run

COUNT = 12


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with the experiment `trial`, run, and `fresh`, which was not."""
    root = tmp_path_factory.mktemp("pages") / "p"
    path = experiment_project(root, COUNT, {"accuracy": 0.5}, repeats=2)
    problems = root / "data" / "problems.jsonl"
    rows = [json.loads(line) for line in problems.read_text("utf-8").splitlines()]
    for number, row in enumerate(rows):
        row["topic"] = ("boxes", "bags_50%")[number % 2]
    problems.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    one = opened(path)
    assert write_index(one)
    run(path)
    write_index(opened(write_experiment(root, "fresh")))
    return one.project


@pytest.fixture
def pages(project: Project) -> Iterator[TrialPages]:
    with TrialPages(project, "trial") as found:
        yield found


def means(rows: list[ShownRow], variant: int) -> list[float]:
    return [sum(one.score or 0 for one in row.trials[variant]) / len(row.trials[variant]) for row in rows]


def test_a_page_has_the_rows_in_order_with_their_trials(pages: TrialPages) -> None:
    rows = pages.page(pages.places(Wanted())[3:6], "right")
    assert [row.id for row in rows] == ["p3", "p4", "p5"]
    assert rows[0].said == "What is in box 3?"
    assert list(rows[0].tags) == ["topic: bags_50%"]
    first = rows[0].trials[0]
    assert [one.repeat for one in first] == [1, 2]
    assert all(one.state is TrialState.DONE and one.run and one.tokens > 0 for one in first)


@pytest.mark.parametrize("variant", [0, 1])
@pytest.mark.parametrize("is_descending", [False, True])
def test_rows_are_sorted_by_the_score_of_a_variant(
    pages: TrialPages, variant: int, *, is_descending: bool
) -> None:
    wanted = Wanted(sort=variant, is_descending=is_descending)
    found = means(pages.page(pages.places(wanted), "right"), variant)
    assert found == sorted(found, reverse=is_descending)
    assert len(found) == COUNT


def test_all_words_have_to_be_there_and_signs_mean_themselves(pages: TrialPages) -> None:
    assert list(pages.places(Wanted(words="box 11"))) == [11]
    assert list(pages.places(Wanted(words="%"))) == list(range(1, COUNT, 2))
    assert list(pages.places(Wanted(words="_"))) == list(range(1, COUNT, 2))
    assert list(pages.places(Wanted(words="nothing"))) == []


def test_rows_are_filtered_by_tag(pages: TrialPages) -> None:
    assert pages.about["tags"] == ["topic: bags_50%", "topic: boxes"]
    assert list(pages.places(Wanted(tag="topic: boxes"))) == list(range(0, COUNT, 2))


def test_rows_on_which_variants_differ_are_those_that_are_better_and_worse(pages: TrialPages) -> None:
    base = Wanted(variant=1)
    apart, better, worse = (
        set(pages.places(replace(base, only=only))) for only in ("apart", "better", "worse")
    )
    assert apart == better | worse
    assert not better & worse
    rows = pages.page(range(COUNT), "right")
    first, second = means(rows, 0), means(rows, 1)
    assert better == {place for place in range(COUNT) if second[place] > first[place]}
    assert apart
    assert list(pages.places(replace(base, only="failed"))) == []
    assert list(pages.places(replace(base, only="unscored"))) == []


def test_histograms_count_every_row_once(pages: TrialPages) -> None:
    counted = pages.histograms("right")
    assert {name: sum(counts) for name, counts in counted.items()} == {"alone": COUNT, "voting": COUNT}
    rows = pages.page(range(COUNT), "right")
    assert counted["alone"][9] == sum(one == 1 for one in means(rows, 0))
    assert counted["alone"][0] == sum(one == 0 for one in means(rows, 0))


def test_the_runs_of_shown_rows_are_named(pages: TrialPages) -> None:
    rows = pages.page([2, 4], "right")
    assert pages.runs_of([2, 4], 1) == [one.run for row in rows for one in row.trials[1]]
    assert pages.counts() == (COUNT * 4, COUNT * 4)
    assert pages.outputs(rows[0].trials[0][0].key)["answer"] in {"r2", "w2"}


def test_what_was_not_run_is_shown_as_that(project: Project) -> None:
    with TrialPages(project, "fresh") as found:
        (row,) = found.page([0], "")
        assert found.counts() == (0, COUNT * 2)
        assert set(found.places(Wanted(only="unscored"))) == set(range(COUNT))
    assert [one.state for one in row.trials[0]] == [None]
    assert not row.trials[0][0].is_over


def test_an_index_is_made_anew_only_when_the_table_is_another(tmp_path: Path) -> None:
    path = experiment_project(tmp_path / "p", 3)
    one = opened(path)
    assert write_index(one)
    keep_report(index_path(one.project, one.name), {"rows": 3})
    assert not write_index(opened(path))
    assert read_about(index_path(one.project, one.name))["report"] == {"rows": 3}
    write_experiment(tmp_path / "p", repeats=2)
    assert write_index(opened(path))
    assert "report" not in read_about(index_path(one.project, one.name))


def test_each_combination_of_factors_has_the_flow_that_it_runs(tmp_path: Path) -> None:
    factors = {
        "flow": {"one": {"flow": "flow.json"}, "three": {"flow": "voting.json"}},
        "limit": {"wide": {}, "none": {"limits": {"tokens": 1}}},
    }
    one = opened(experiment_project(tmp_path / "p", 2, variants=None, factors=factors))
    write_index(one)
    about = read_about(index_path(one.project, one.name))
    assert about["variants"] == ["one + wide", "one + none", "three + wide", "three + none"]
    assert about["flows"] == ["flow.json", "flow.json", "voting.json", "voting.json"]
    (listed,) = experiments_of(one.project)
    assert listed.variants == 4


def test_a_damaged_index_counts_as_none(tmp_path: Path) -> None:
    one = opened(experiment_project(tmp_path / "p", 2))
    write_index(one)
    index_path(one.project, one.name).write_bytes(b"no database")
    with pytest.raises(StoreError), TrialPages(one.project, one.name):
        pass
    assert write_index(one)
