"""Folders of files and recorded runs are rows too, and columns find the inputs that they are for."""

from pathlib import Path

import pytest

from studio.errors import ExperimentFileError
from studio.experiments.datasets import completed_mapping, load_dataset
from studio.experiments.experiment import DatasetUse
from studio.experiments.loaders.own import read_files
from studio.experiments.readers import Source
from studio.flow.ports import PortType
from studio.ids import NodeId
from studio.workspace.inputs import InputField
from tests.experiments.builders import experiment_project
from tests.experiments.running import run
from tests.experiments.toys import GSM8K, lines, write


def load(root: Path, file: str, form: str, **more: object):  # noqa: ANN201
    return load_dataset(root, DatasetUse.model_validate({"file": file, "as": form, **more}))


def field(name: str, default: str | None = None) -> InputField:
    return InputField(NodeId(name), name, PortType("text"), default=default)


def test_a_folder_gives_a_row_a_file_by_its_path(tmp_path: Path) -> None:
    write(tmp_path / "letters" / "b.txt", "Größe")
    write(tmp_path / "letters" / "a" / "x.png", b"\x89PNG\xff")
    write(tmp_path / "letters" / ".hidden", "no")
    found = load(tmp_path, "letters", "files").rows
    assert [(one.id, one.columns["path"], one.columns["text"]) for one in found] == [
        ("a/x.png", "letters/a/x.png", None),
        ("b.txt", "letters/b.txt", "Größe"),
    ]
    [only] = load(tmp_path, "letters", "files", where={"ending": ".txt"}).rows
    assert only.id == "b.txt"
    with pytest.raises(ExperimentFileError, match="is not a folder"):
        load(tmp_path, "letters/b.txt", "files")


def test_a_file_that_goes_while_its_folder_is_read_is_left_out(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        write(tmp_path / "letters" / name, name)
    reading = read_files(Source(tmp_path / "letters"))
    found = [next(reading).columns["name"]]
    (tmp_path / "letters" / "b.txt").unlink()
    assert [*found, *(one.columns["name"] for one in reading)] == ["a", "c"]


def test_recorded_runs_are_rows_with_what_they_were_given_and_gave(tmp_path: Path) -> None:
    path = experiment_project(tmp_path / "p", count=2, variants={"alone": {"flow": "flow.json"}})
    table = run(path)
    found = load(tmp_path / "p", ".stepwire/runs", "runs", where={"status": "finished"})
    assert {one.id for one in found.rows} == {one.run for one in table.trials.values()}
    asked = {str(one.columns["inputs"]) for one in found.rows}
    assert asked == {str({"question": f"What is in box {n}?"}) for n in range(2)}
    assert completed_mapping(found, [field("question")], {}) == {"question": "inputs.question"}
    with pytest.raises(ExperimentFileError, match="There are no recorded runs"):
        load(tmp_path / "p", "data", "runs")


@pytest.mark.parametrize(
    ("names", "mapping", "wanted"),
    [
        (["question"], {}, {}),
        (["prompt"], {}, {"prompt": "question"}),
        (["prompt", "topic"], {}, {}),
        (["prompt", "topic"], {"topic": "answer"}, {"topic": "answer", "prompt": "question"}),
        (["prompt"], {"prompt": "reasoning"}, {"prompt": "reasoning"}),
        (["prompt", "question"], {}, {}),
    ],
)
def test_the_column_that_a_format_asks_by_fills_the_one_input_that_is_left(
    tmp_path: Path, names: list[str], mapping: dict[str, str], wanted: dict[str, str]
) -> None:
    write(tmp_path / "test.jsonl", lines(*GSM8K))
    found = load(tmp_path, "test.jsonl", "gsm8k")
    assert completed_mapping(found, [*map(field, names), field("style", "plain")], mapping) == wanted
