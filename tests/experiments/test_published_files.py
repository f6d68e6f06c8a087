"""Other forms in which files of benchmarks are handed round: what holds their rows, and what is no rows."""

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from studio.errors import ExperimentFileError
from studio.experiments.datasets import Row, load_dataset
from studio.experiments.experiment import DatasetUse
from studio.experiments.formats import FORMATS, guessed
from tests.experiments import toys
from tests.experiments.toys import lines, write, write_bfcl

TURN = [[{"role": "user", "content": "Weather?"}]]


def recognised(path: Path) -> tuple[str, list[Row]]:
    """The format that a file is taken for, and its rows in it."""
    found = guessed(path)
    assert found is not None
    use = DatasetUse.model_validate({"file": path.name, "as": found.name})
    return found.name, [*load_dataset(path.parent, use).rows]


def refusal(path: Path) -> str:
    """Why a file is refused, by the format that it is taken for."""
    with pytest.raises(ExperimentFileError) as caught:
        recognised(path)
    return str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "question,A,B,C,D,answer\nWhich is blue?,Crow,Jay,Dove,Owl,1\n",
        "Question,A,B,C,D,Answer\nWhich is blue?,Crow,Jay,Dove,Owl,B\n",
        "question,choice0,choice1,choice2,choice3,answer\nWhich is blue?,Crow,Jay,Dove,Owl,1\n",
    ],
)
def test_mmlu_may_have_a_column_for_each_choice(tmp_path: Path, text: str) -> None:
    form, [row] = recognised(write(tmp_path / "birds_test.csv", text))
    assert form == "mmlu"
    assert (row.columns["answer"], row.columns["subject"]) == ("B", "birds")
    assert row.columns["question"] == "Which is blue?\nA. Crow\nB. Jay\nC. Dove\nD. Owl"


def test_gsm8k_with_solutions_of_models_keeps_them(tmp_path: Path) -> None:
    plain = {
        "question": "Two?",
        "ground_truth": "1 + 1 = 2\nA: 2",
        "6b": {"is_correct": False, "solution": "3"},
    }
    form, [row] = recognised(write(tmp_path / "example_model_solutions.jsonl", lines(plain)))
    assert (form, row.columns["answer"], row.columns["6b"]) == ("gsm8k", "2", plain["6b"])


def test_questions_over_paragraphs_need_no_names(tmp_path: Path) -> None:
    plain = {name: one for name, one in toys.HOTPOT_TABLE.items() if name != "id"}
    form, [row] = recognised(write(tmp_path / "dev.json", json.dumps([plain])))
    assert (form, row.id) == ("hotpotqa", "1")


def test_2wiki_has_other_names_of_an_answer_from_the_file_beside_it(tmp_path: Path) -> None:
    path = write(tmp_path / "dev.json", json.dumps([toys.TWO_WIKI]))
    assert recognised(path)[1][0].columns["answers"] == ["Bath"]
    names = {"Q_id": "Q22889", "aliases": ["City of Bath", "Bath"], "demonyms": ["Bathonian"]}
    write(tmp_path / "id_aliases.json", lines(names, {**names, "Q_id": "Q1"}))
    assert recognised(path)[1][0].columns["answers"] == ["Bath", "City of Bath", "Bathonian"]
    assert FORMATS["2wiki"].scorers["f1"]["given"] == {"wanted": "row.answers"}


def test_gaia_without_answers_and_capitals_is_read(tmp_path: Path) -> None:
    plain = {"task_id": "c6", "question": "How many?", "Level": "1", "file_name": ""}
    form, [row] = recognised(write(tmp_path / "questions.jsonl", lines(plain)))
    assert (form, row.columns["question"], row.columns["answer"]) == ("gaia", "How many?", None)


def test_what_sets_up_tests_of_mbpp_may_name_what_the_solution_defines(tmp_path: Path) -> None:
    plain = {
        **toys.MBPP,
        "code": "class Node:\n    eggs = 2",
        "test_setup_code": "root = Node()",
        "test_list": ["assert root.eggs == 2"],
    }
    _, [row] = recognised(write(tmp_path / "mbpp.jsonl", lines(plain)))
    assert row.columns["tests"] == ["root = Node()\nassert root.eggs == 2"]
    assert row.columns["setup"] == ""


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"test": "import numpy as np\n\ndef check(one):\n    assert one"}, "its test needs NumPy"),
        ({"test": None, "base_input": [[1]], "plus_input": [[2]]}, "inputs without results are not covered"),
    ],
)
def test_what_of_evalplus_cannot_be_run_is_refused(
    tmp_path: Path, more: Mapping[str, Any], said: str
) -> None:
    plain = {name: one for name, one in {**toys.HUMANEVAL, **more}.items() if one is not None}
    assert said in refusal(write(tmp_path / "HumanEvalPlus.jsonl", lines(plain)))


@pytest.mark.parametrize("category", ["memory", "multi_turn_base", "web_search"])
def test_a_category_of_bfcl_that_is_not_covered_is_named_once(tmp_path: Path, category: str) -> None:
    row = {"question": TURN, "involved_classes": ["Shop"]}
    some = [{"id": f"{category}_{place}", **row} for place in range(3)]
    told = refusal(write(tmp_path / f"BFCL_v4_{category}.json", lines(*some)))
    assert told.count(f"line 1: rows of the category `{category}` are not covered.") == 1
    assert "line 2" not in told


def test_lists_of_ids_and_answers_of_bfcl_are_no_rows(tmp_path: Path) -> None:
    write_bfcl(tmp_path)
    ids = write(
        tmp_path / "BFCL_v4_format_sensitivity.json", '{\n    "simple_python": ["simple_python_0"]\n}'
    )
    assert "the category `format_sensitivity` are not covered" in refusal(ids)
    told = refusal(tmp_path / "possible_answer" / "BFCL_v4_simple_python.json")
    assert "these are answers; name the file of the questions" in told


def test_a_folder_of_bfcl_is_known_by_its_files_whichever_comes_first(tmp_path: Path) -> None:
    write_bfcl(tmp_path / "data")
    write(tmp_path / "data" / "BFCL_v4_format_sensitivity.json", '{\n"simple_python": []\n}')
    form, found = recognised(tmp_path / "data")
    assert (form, len(found)) == ("bfcl", 3)


def test_tau2_tells_voices_from_tasks_and_joins_the_policies_of_telecom(tmp_path: Path) -> None:
    voices = {"base_seed": 42, "configs": {"7": {"control": {"persona_name": "Ada"}}}}
    told = refusal(write(tmp_path / "tasks_voice.json", json.dumps(voices, indent=2)))
    assert "these are the voices of tasks, which are not covered" in told
    write(tmp_path / "main_policy.md", "Be kind.")
    write(tmp_path / "tech_support_manual.md", "Turn it off.")
    plain = {**toys.TAU2, "user_tools": ["look"]}
    _, [row] = recognised(write(tmp_path / "tasks.json", json.dumps([plain])))
    assert row.columns["policy"] == (
        "<main_policy>\nBe kind.\n</main_policy>\n<tech_support_policy>\nTurn it off.\n</tech_support_policy>"
    )
    assert row.columns["user_tools"] == ["look"]


def test_tasks_of_attackers_that_agentdojo_tries_as_a_users_are_not_benign(tmp_path: Path) -> None:
    own = {**toys.DOJO["none"], "user_task_id": "injection_task_0", "utility": False}
    other = {**toys.DOJO["injection_task_0"], "suite_name": "slack", "attack_type": "tool_knowledge"}
    write(tmp_path / "runs/toy/banking/injection_task_0/none/none.json", json.dumps(own, indent=4))
    for name, one in toys.DOJO.items():
        write(tmp_path / f"runs/toy/banking/user_task_0/direct/{name}.json", json.dumps(one, indent=4))
    form, found = recognised(tmp_path / "runs")
    figures = FORMATS[form].figures
    assert figures is not None
    assert [*figures([one.columns for one in found])] == [
        "benign utility: 100.0% of 1",
        "utility under attack: 50.0% of 2",
        "targeted attack success: 50.0% of 2",
        "attackers' tasks as a user's: 0.0% of 1",
    ]
    write(tmp_path / "runs/toy/slack/user_task_0/tool_knowledge/x.json", json.dumps(other, indent=4))
    told = [*figures([one.columns for one in recognised(tmp_path / "runs")[1]])]
    assert "toy, all suites: utility under attack (direct): 50.0% of 2" in told
    assert "toy, all suites: utility under attack (tool_knowledge): 0.0% of 1" in told
    assert "toy, slack: targeted attack success: 100.0% of 1" in told


def test_an_archive_is_to_be_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "dataset.zip", "w") as archive:
        archive.writestr("gpqa_main.csv", toys.table(toys.GPQA))
    assert "`dataset.zip` is a ZIP archive." in refusal(tmp_path / "dataset.zip")
