"""Rows come from files of several formats, are named by content, and fit the inputs before anything runs."""

import json
from pathlib import Path
from typing import Any

import pytest

from studio.errors import ExperimentFileError
from studio.experiments.datasets import load_dataset
from studio.experiments.experiment import DatasetUse
from studio.experiments.trials import cells_of
from tests.experiments.builders import experiment_project, opened

ROWS = [{"id": "a", "question": "1 + 1?", "answer": 2}, {"id": "b", "question": "2 + 2?", "answer": 4}]


def use(file: str, **more: Any) -> DatasetUse:
    return DatasetUse.model_validate({"file": file, **more})


def write_rows(root: Path) -> None:
    (root / "rows.jsonl").write_text("\n".join(map(json.dumps, ROWS)), "utf-8")
    (root / "rows.csv").write_text("id,question,answer\na,1 + 1?,2\nb,2 + 2?,4\n", "utf-8")


def test_json_lines_and_csv_give_the_same_rows_but_that_cells_are_texts(tmp_path: Path) -> None:
    write_rows(tmp_path)
    lines, table = load_dataset(tmp_path, use("rows.jsonl")), load_dataset(tmp_path, use("rows.csv"))
    assert [one.columns for one in lines.rows] == ROWS
    assert [one.columns for one in table.rows] == [{**one, "answer": str(one["answer"])} for one in ROWS]
    assert [(one.id, one.line) for one in table.rows] == [("a", 2), ("b", 3)]


def test_parquet_gives_the_same_rows_as_json_lines(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    pyarrow = pytest.importorskip("pyarrow")
    write_rows(tmp_path)
    parquet.write_table(pyarrow.Table.from_pylist(ROWS), tmp_path / "rows.parquet")
    found = load_dataset(tmp_path, use("rows.parquet"))
    assert found.digest == load_dataset(tmp_path, use("rows.jsonl")).digest


def test_without_its_library_parquet_says_which_line_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    (tmp_path / "rows.parquet").write_bytes(b"PAR1")
    with pytest.raises(ExperimentFileError, match=r"Run: .*parquet"):
        load_dataset(tmp_path, use("rows.parquet"))


def test_a_dataset_is_named_by_its_rows_and_by_nothing_else(tmp_path: Path) -> None:
    write_rows(tmp_path)
    first = load_dataset(tmp_path, use("rows.jsonl")).digest
    (tmp_path / "other.jsonl").write_text("\n\n".join(map(json.dumps, ROWS)), "utf-8")
    assert load_dataset(tmp_path, use("other.jsonl")).digest == first
    assert load_dataset(tmp_path, use("rows.jsonl", first=1)).digest != first


def test_rows_are_chosen_by_what_stands_in_their_columns(tmp_path: Path) -> None:
    write_rows(tmp_path)
    found = load_dataset(tmp_path, use("rows.jsonl", where={"answer": 4}))
    assert [one.id for one in found.rows] == ["b"]
    with pytest.raises(ExperimentFileError, match="There are no rows"):
        load_dataset(tmp_path, use("rows.jsonl", where={"answer": 5}))


def test_kept_cases_are_rows_with_what_they_expect_as_columns(tmp_path: Path) -> None:
    case = {"name": "short", "node": "w", "inputs": {"prompt": "?"}, "expected": {"reply": {"value": "!"}}}
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / "flow.jsonl").write_text(json.dumps(case), "utf-8")
    found = load_dataset(tmp_path, use("cases/flow.jsonl", **{"as": "cases", "where": {"node": "w"}}))
    assert [one.id for one in found.rows] == ["short"]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("rows.jsonl", '{"id": 1}\n[2]\n{', "line 2: a row is an object"),
        ("rows.jsonl", '{"id": 1}\n\n{"id": 1}', "two rows are called `1` (lines 1 and 3)"),
        ("rows.csv", "a,b\n1\n", "line 2: 1 cells, and 2 columns"),
        ("rows.csv", 'a,b\n1,"2\n', "line 2"),
        ("rows.csv", "a,a\n1,2\n", "two columns are called `a`"),
        ("rows.txt", "", "Of which format is `rows.txt`?"),
        ("../rows.csv", "", "outside the project"),
    ],
)
def test_what_is_no_dataset_is_refused_with_its_line(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / Path(name).name).write_text(text, "utf-8")
    with pytest.raises(ExperimentFileError) as caught:
        load_dataset(tmp_path, use(name))
    assert said in str(caught.value)


def test_columns_that_do_not_fill_the_inputs_are_told_before_anything_runs(tmp_path: Path) -> None:
    mapped = {"file": "data/problems.jsonl", "inputs": {"question": "asked", "topic": "answer"}}
    with pytest.raises(ExperimentFileError) as caught:
        opened(experiment_project(tmp_path / "p", dataset=mapped))
    assert "for `alone`: The flow has no input `topic`. It has `question`." in str(caught.value)
    assert "The input `question` has no column `asked` (in all rows)" in str(caught.value)


def test_a_row_that_lacks_what_others_have_is_named_with_its_line(tmp_path: Path) -> None:
    path = experiment_project(tmp_path / "p", count=3)
    file = tmp_path / "p" / "data" / "rows.jsonl"
    file.write_text('{"id": "a", "question": "?", "answer": "!"}\n{"id": "b", "answer": "!"}', "utf-8")
    path.write_text(path.read_text("utf-8").replace("problems.jsonl", "rows.jsonl"), "utf-8")
    with pytest.raises(ExperimentFileError, match=r"row `b`, line 2"):
        opened(path)


def test_rows_that_ask_alike_share_a_trial_only_where_they_expect_the_same(tmp_path: Path) -> None:
    path = experiment_project(tmp_path / "p", variants={"alone": {"flow": "flow.json"}})
    asked = [("a", "!"), ("b", "!"), ("c", "?")]
    rows = [{"id": name, "question": "Which?", "answer": answer} for name, answer in asked]
    (tmp_path / "p" / "data" / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    path.write_text(path.read_text("utf-8").replace("problems.jsonl", "rows.jsonl"), "utf-8")
    first, second, third = (cell.key for cell in cells_of(opened(path)))
    assert first == second != third
