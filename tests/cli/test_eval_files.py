"""`stepwire eval` writes its trials for other programs, reads labels, and plans without its library."""

from pathlib import Path
from typing import Any, cast

import pytest

from studio.experiments.datasets import load_dataset
from studio.experiments.experiment import DatasetUse
from studio.experiments.labels import Label, Labels, labels_beside
from studio.experiments.trials import cells_of
from tests.cli.conftest import Call
from tests.experiments.builders import experiment_project, opened

ALONE = {"alone": {"flow": "flow.json"}}


def test_a_plan_tells_trials_and_cost_also_without_its_library(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = experiment_project(tmp_path / "p")
    monkeypatch.setitem(__import__("sys").modules, "scipy", None)
    called = call("eval", path, "--plan")
    assert called.code == 0, called.err
    assert "20 trials to run, 0 stored" in called.out
    assert "need a library that is not installed. Run: " in called.out
    told = cast("dict[str, Any]", call("eval", path, "--plan", "--json").json)
    assert (told["to_run"], "rows_needed" in told) == (20, False)


def test_labels_are_taken_from_beside_the_experiment_or_from_a_file(call: Call, tmp_path: Path) -> None:
    path = experiment_project(tmp_path / "p", 4, variants=ALONE)
    call("eval", path)
    labels = Labels(labels_beside(path))
    for cell in cells_of(opened(path)):
        labels.add(Label(trial=cell.key, scorer="right", by="Ann", score=1.0))
    assert "`right` against 4 labelled trials (Ann)" in call("eval", path).out
    other = tmp_path / "other.json"
    labels_beside(path).rename(other)
    assert "labelled" not in call("eval", path).out
    judge = cast("dict[str, Any]", call("eval", path, "--labels", other, "--json").json)["judges"]["right"]
    assert (judge["trials"], judge["people"]) == (4, ["Ann"])
    assert call("eval", path, "--labels", tmp_path / "gone.json").code == 2


def test_trials_are_written_as_csv_and_parquet(call: Call, tmp_path: Path) -> None:
    path = experiment_project(tmp_path / "p", 3, variants=ALONE, repeats=2)
    one, other = tmp_path / "trials.csv", tmp_path / "trials.parquet"
    assert call("eval", path, "--csv", one, "--parquet", other).code == 0
    rows = [row.columns for row in load_dataset(tmp_path, DatasetUse(file=one.name)).rows]
    assert [f"{row['row']}/{row['repeat']}" for row in rows] == [
        "p0/1",
        "p1/1",
        "p2/1",
        "p0/2",
        "p1/2",
        "p2/2",
    ]
    assert all(row["right.score"] in ("0.0", "1.0") for row in rows)
    assert (tmp_path / "p" / ".stepwire" / "runs" / f"{rows[0]['run']}.db").is_file()
    same = [row.columns for row in load_dataset(tmp_path, DatasetUse(file=other.name)).rows]
    assert list(same[0]) == list(rows[0])
    assert [row["right.score"] for row in same] == [float(str(row["right.score"])) for row in rows]
    assert [row["outputs"] for row in same] == [row["outputs"] for row in rows]


def test_what_belongs_to_an_experiment_is_not_listed_as_one(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = experiment_project(tmp_path / "p", 1, variants=ALONE)
    for name in ("trial.scores.json", "trial.labels.json"):
        path.with_name(name).write_text("{}", "utf-8")
    monkeypatch.chdir(tmp_path / "p")
    assert "Here are trial.\n" in call("eval", "nothing").err + "\n"
