"""Labels of people are kept beside the experiment, undone, and held against the judges."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.errors import ExperimentFileError, PlaceError
from studio.experiments.labels import Label, Labels, labels_beside
from studio.experiments.report import report_of
from studio.experiments.table import Table
from tests.experiments.builders import experiment_project, opened
from tests.experiments.running import run

ANN, BEN = "Ann", "Ben"


def label(trial: str, score: float, by: str = ANN, **more: object) -> Label:
    return Label(trial=trial, scorer="right", by=by, score=score, **more)  # type: ignore[arg-type]


def test_a_label_is_a_line_and_is_there_again(tmp_path: Path) -> None:
    path = labels_beside(tmp_path / "trial.json")
    assert path.name == "trial.labels.json"
    Labels(path).add(label("a", 1.0, at="2026-11-26T10:00:00Z"))
    Labels(path).add(label("b", 0.0, blind=False, note="it cites nothing"))
    lines = path.read_text("utf-8").splitlines()
    assert sum('"trial": ' in line for line in lines) == 2
    assert [one.score for one in Labels(path).current] == [1.0, 0.0]
    assert Labels(path).current[1].note == "it cites nothing"


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([ANN, BEN]), st.sampled_from([0.0, 1.0]))))
def test_what_was_added_and_undone_leaves_what_was_there(
    tmp_path_factory: pytest.TempPathFactory, said: list[tuple[str, str, float]]
) -> None:
    path = tmp_path_factory.mktemp("labels") / "trial.labels.json"
    labels = Labels(path)
    labels.add(label("a", 0.5))
    for trial, by, score in said:
        before = list(labels.current)
        labels.add(label(trial, score, by))
        assert label(trial, score, by) in labels.current
        assert labels.undo(by) == label(trial, score, by)
        assert list(labels.current) == before == list(Labels(path).current)
        labels.add(label(trial, score, by))


def test_undo_takes_ones_own_and_nothing_where_there_is_none(tmp_path: Path) -> None:
    labels = Labels(tmp_path / "x.labels.json")
    labels.add(label("a", 1.0, ANN))
    labels.add(label("a", 0.0, BEN))
    assert labels.undo(ANN) == label("a", 1.0, ANN)
    assert labels.undo(ANN) is None
    assert [one.by for one in labels.current] == [BEN]


def test_a_file_that_is_none_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "x.labels.json"
    path.write_text('{"format": "stepwire.labels", "version": 1, "labels": [\n{"trial": "a"}]}', "utf-8")
    with pytest.raises(ExperimentFileError, match=r"line 2: labels\[0\]\.scorer: this is required"):
        Labels(path)


def test_a_label_that_cannot_be_written_is_not_said_to_be_kept(tmp_path: Path) -> None:
    labels = Labels(tmp_path / "gone" / "x.labels.json")
    with pytest.raises(PlaceError, match="could not be written"):
        labels.add(label("a", 1.0))
    assert labels.current == []


def labelled(table: Table, wrong_about: int, by: str = ANN) -> list[Label]:
    """What a person says who differs from the scorer about so many trials."""
    keys = list(dict.fromkeys(cell.key for cell in table.cells))
    scores = [table.scores[key, "right"].score or 0.0 for key in keys]
    return [
        label(key, 1 - score if at < wrong_about else score, by)
        for at, (key, score) in enumerate(zip(keys, scores, strict=True))
    ]


def test_a_judge_is_held_against_people_and_rates_are_corrected(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    path = experiment_project(tmp_path / "p", 20)
    table = run(path)
    said = [*labelled(table, 4), *labelled(table, 0, BEN)[:30], label("of another table", 1.0)]
    [judge] = report_of(opened(path), table, labels=said).judges
    assert judge.scorer == "right"
    assert (judge.people, judge.split) == ([ANN, BEN], 4)
    assert judge.confusion.count == 36
    assert judge.confusion.judge_alone + judge.confusion.people_alone == 0
    [both] = judge.agreed
    assert (both.trials, both.same) == (30, 26)
    assert set(judge.corrected) == {"alone", "voting"}
    words = " ".join(judge.words)
    assert "`Ann` and `Ben` agree about 26 of 30 trials: kappa 0." in words
    assert "Corrected for the errors of `right`, `alone` scores" in words


def test_labels_of_other_trials_are_said_to_be(tmp_path: Path) -> None:
    path = experiment_project(tmp_path / "p", 2)
    report = report_of(opened(path), run(path), labels=[label("elsewhere", 1.0)])
    assert report.judges == []
    assert "No label is of a trial and a scorer of this table." in report.notes
