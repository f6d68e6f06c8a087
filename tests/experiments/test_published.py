"""Rows of published benchmarks load as their files have them, and what is none is told with its line."""

import json
from pathlib import Path

import pytest

from studio.errors import ExperimentFileError
from studio.experiments.datasets import load_dataset
from studio.experiments.experiment import DatasetUse
from studio.experiments.formats import FORMATS
from studio.experiments.readers import Columns

GSM8K = json.dumps({"question": "Two nests of 600?", "answer": "600 * 2 = 1200\n#### 1,200"})
MMLU = '"Which bird sings, at night?",Wren,Owl,Nightingale,Crow,C\n'
HUMANEVAL = json.dumps(
    {
        "task_id": "Toy/0",
        "prompt": "def one():\n",
        "entry_point": "one",
        "canonical_solution": "    return 1\n",
        "test": "def check(candidate):\n    assert candidate() == 1\n",
    }
)


def rows(tmp_path: Path, form: str, text: str) -> list[tuple[str, Columns]]:
    (tmp_path / "rows").write_text(text, "utf-8")
    found = load_dataset(tmp_path, DatasetUse.model_validate({"file": "rows", "as": form}))
    return [(one.id, one.columns) for one in found.rows]


def test_gsm8k_gives_the_number_after_the_reasoning(tmp_path: Path) -> None:
    [(_, columns)] = rows(tmp_path, "gsm8k", GSM8K)
    wanted = {"question": "Two nests of 600?", "answer": "1200", "reasoning": "600 * 2 = 1200"}
    assert columns == wanted


def test_mmlu_gives_the_question_with_its_choices_and_the_letter(tmp_path: Path) -> None:
    [(_, columns)] = rows(tmp_path, "mmlu", MMLU)
    assert columns["question"] == "Which bird sings, at night?\nA. Wren\nB. Owl\nC. Nightingale\nD. Crow"
    assert (columns["answer"], columns["choices"]) == ("C", ["Wren", "Owl", "Nightingale", "Crow"])


def test_humaneval_gives_the_check_that_a_right_solution_passes(tmp_path: Path) -> None:
    [(name, columns)] = rows(tmp_path, "humaneval", HUMANEVAL)
    assert name == "Toy/0"
    exec(f"{columns['prompt']}{columns['canonical_solution']}\n{columns['check']}", {})  # noqa: S102  # ours


@pytest.mark.parametrize("form", ["gsm8k", "mmlu", "humaneval"])
def test_what_is_of_another_format_is_told_with_its_line(tmp_path: Path, form: str) -> None:
    text = "a,b\n" if form == "mmlu" else '{"question": "?"}'
    with pytest.raises(ExperimentFileError, match="line 1: "):
        rows(tmp_path, form, text)


def test_every_published_format_says_what_it_does_not_cover() -> None:
    assert all(FORMATS[form].not_covered for form in ("gsm8k", "mmlu", "humaneval", "cases"))
