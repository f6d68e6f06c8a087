"""Rows of published benchmarks load as the authors' files have them; what is none is told with its line."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from studio.errors import ExperimentFileError
from studio.experiments.datasets import Row, load_dataset
from studio.experiments.experiment import DatasetUse
from studio.experiments.formats import FORMATS, guessed
from studio.flow.ports import parse_type
from studio.sdk.values import from_plain
from tests.experiments import toys
from tests.experiments.toys import lines, write, write_bfcl, write_toys

PUBLISHED = [one.name for one in FORMATS.values() if one.source]


def rows(root: Path, file: str, form: str = "", **more: Any) -> list[Row]:
    use = DatasetUse.model_validate({"file": file, "as": form, **more})
    return [*load_dataset(root, use).rows]


def only(tmp_path: Path, form: str, *plain: Mapping[str, Any]) -> Mapping[str, Any]:
    """The columns of the one row that this file has."""
    write(tmp_path / "data" / "rows.json", lines(*plain))
    [row] = rows(tmp_path, "data/rows.json", form)
    return row.columns


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    return write_toys(tmp_path_factory.mktemp("toys"))


@pytest.mark.parametrize("form", PUBLISHED)
def test_a_file_as_its_authors_publish_it_is_read_and_recognised(
    form: str, files: Mapping[str, Path]
) -> None:
    found = guessed(files[form])
    assert found is not None
    assert found.name == form
    assert rows(files[form].parent, files[form].name, form)


@pytest.mark.parametrize("form", PUBLISHED)
def test_a_format_says_where_it_comes_from_and_what_it_does_not_cover(form: str) -> None:
    assert FORMATS[form].not_covered.endswith(".")
    assert FORMATS[form].source


def test_gsm8k_gives_the_number_after_the_reasoning(tmp_path: Path) -> None:
    write(tmp_path / "test.jsonl", lines(*toys.GSM8K))
    first, second = rows(tmp_path, "test.jsonl", "gsm8k")
    reasoning = "600 * 2 = <<600*2=1200>>1200"
    assert first.columns == {"question": "Two nests of 600?", "answer": "1200", "reasoning": reasoning}
    assert second.columns["answer"] == "-2"


def test_mmlu_gives_the_question_with_its_choices_and_the_letter(files: Mapping[str, Path]) -> None:
    [row] = rows(files["mmlu"].parent, "birds_test.csv", "mmlu")
    assert row.columns["question"] == "Which bird sings, at night?\nA. Wren\nB. Owl\nC. Nightingale\nD. Crow"
    assert (row.columns["answer"], row.columns["subject"]) == ("C", "birds")
    [same] = rows(files["mmlu"].parent.parent, "test", "mmlu")
    assert same.id == "birds_test/0"


def test_mmlu_with_columns_has_places_or_letters_and_up_to_ten_choices(tmp_path: Path) -> None:
    assert only(tmp_path, "mmlu", *toys.MMLU_ROWS)["answer"] == "B"
    pro = only(tmp_path, "mmlu", *toys.MMLU_PRO)
    assert (pro["answer"], pro["category"], pro["question"][-7:]) == ("E", "birds", "E. Coot")


def test_gpqa_puts_the_right_answer_where_the_row_decides_and_nowhere_else(files: Mapping[str, Path]) -> None:
    [row] = rows(files["gpqa"].parent, "gpqa_main.csv", "gpqa")
    letter, choices = row.columns["answer"], row.columns["choices"]
    assert isinstance(choices, list)
    assert choices["ABCD".index(str(letter))] == "Keratin"
    assert sorted(map(str, choices)) == ["Chitin", "Keratin", "Lignin, mostly", "Silk"]
    assert (row.id, row.columns["subdomain"]) == ("recToy1", "Ornithology")


@pytest.mark.parametrize("plain", [toys.HOTPOT, toys.HOTPOT_TABLE])
def test_hotpotqa_has_its_paragraphs_and_the_sentences_that_support_the_answer(
    tmp_path: Path, plain: Mapping[str, Any]
) -> None:
    columns = only(tmp_path, "hotpotqa", plain)
    assert columns["supporting_facts"] == [
        {"title": "Wren", "sentence": 1, "text": "It was drawn in Tiverton."},
        {"title": "Tiverton", "sentence": 0, "text": "Tiverton stands on the Exe."},
    ]
    assert columns["wanted"] == {"answer": "the River Exe", "supporting_facts": columns["supporting_facts"]}
    assert columns["context"].startswith("Wren\nThe wren is small. It was drawn in Tiverton.\n\nTiverton\n")


def test_2wiki_has_evidence_also_where_a_table_keeps_it_as_text(tmp_path: Path) -> None:
    packed = {name: json.dumps(one) if isinstance(one, list) else one for name, one in toys.TWO_WIKI.items()}
    columns = only(tmp_path, "2wiki", packed)
    assert columns == only(tmp_path, "2wiki", toys.TWO_WIKI)
    assert columns["evidences"][1] == ["Tom", "place of birth", "Bath"]
    assert "She painted wrens. Her father was Tom." in columns["context"]


def test_gaia_names_an_attachment_by_its_path_in_the_project(files: Mapping[str, Path]) -> None:
    root = files["gaia"].parent.parent
    first, second = rows(root, "gaia/metadata.jsonl", "gaia")
    assert (first.columns["file"], first.columns["file_found"]) == ("gaia/c61.txt", True)
    assert (first.columns["level"], second.columns["level"]) == (1, 2)
    assert (second.columns["file"], second.columns["answer"]) == (None, None)


def test_programs_come_with_what_a_right_solution_passes(files: Mapping[str, Path], tmp_path: Path) -> None:
    [human] = rows(files["humaneval"].parent, "HumanEval.jsonl.gz", "humaneval")
    solved = [(human, human.columns["canonical_solution"])]
    [sanitized] = rows(files["mbpp"].parent, "sanitized-mbpp.json", "mbpp")
    write(tmp_path / "mbpp.jsonl", lines(toys.MBPP))
    [full] = rows(tmp_path, "mbpp.jsonl", "mbpp")
    solved += [(one, one.columns["code"]) for one in (sanitized, full)]
    for row, code in solved:
        parts = [row.columns["setup"], row.columns["before"], code]
        tests = row.columns["tests"]
        assert isinstance(tests, list)
        exec("\n".join(map(str, [*parts, *tests])), {})  # noqa: S102  # ours
    assert [row.id for row, _ in solved] == ["Toy/0", "602", "601"]
    assert "assert double(2) == 4" in str(full.columns["question"])


@pytest.mark.parametrize("version", [3, 4])
def test_bfcl_joins_questions_with_what_counts_as_right(tmp_path: Path, version: int) -> None:
    write_bfcl(tmp_path / "data", version)
    write(tmp_path / "data" / f"BFCL_v{version}_multi_turn_base.json", '{"id": "multi_turn_base_0"}')
    found = {row.columns["category"]: row.columns for row in rows(tmp_path, "data", "bfcl")}
    assert set(found) == {"simple_python", "live_parallel_multiple", "irrelevance"}
    wanted, functions = (found["live_parallel_multiple"][name] for name in ("wanted", "functions"))
    assert isinstance(wanted, dict)
    assert (wanted["kind"], functions) == ("parallel_multiple", wanted["functions"])
    assert found["live_parallel_multiple"]["system"] == "You know the weather."
    assert found["irrelevance"]["question"] == "Who are you?"


def test_bfcl_of_the_first_version_has_one_function_and_answers_without_ids(tmp_path: Path) -> None:
    name = "gorilla_openfunctions_v1_test_simple.json"
    write(tmp_path / name, lines({"question": "Weather in Bath?", "function": toys.WEATHER}))
    write(tmp_path / "possible_answer" / name, lines({"weather.get": {"city": ["Bath"]}}))
    [row] = rows(tmp_path, name, "bfcl")
    wanted = row.columns["wanted"]
    assert isinstance(wanted, dict)
    assert (wanted["kind"], wanted["answers"]) == ("simple", [{"weather.get": {"city": ["Bath"]}}])
    write(tmp_path / "gorilla_openfunctions_v1_test_relevance.json", (tmp_path / name).read_text("utf-8"))
    [row] = rows(tmp_path, "gorilla_openfunctions_v1_test_relevance.json", "bfcl")
    assert row.columns["category"] == "irrelevance"


@pytest.mark.parametrize(
    ("category", "said"),
    [
        ("simple_java", "the category `simple_java` are not covered"),
        ("exec_simple", "the category `exec_simple` are not covered"),
        ("multi_turn_base", "the category `multi_turn_base` are not covered"),
        ("simple_python", "`possible_answer/BFCL_v4_simple_python.json` beside the file has no answers"),
    ],
)
def test_what_bfcl_is_not_covered_is_refused_by_name(tmp_path: Path, category: str, said: str) -> None:
    question = {**toys.BFCL["simple_python"][0], "id": f"{category}_0"}
    write(tmp_path / f"BFCL_v4_{category}.json", lines(question))
    with pytest.raises(ExperimentFileError) as caught:
        rows(tmp_path, f"BFCL_v4_{category}.json", "bfcl")
    assert "line 1: " in str(caught.value)
    assert said in str(caught.value)


def test_tau_bench_tasks_are_read_from_python_that_is_never_executed(tmp_path: Path) -> None:
    write(tmp_path / "shop/tasks_test.py", toys.TAU_PY)
    write(tmp_path / "shop/wiki.md", "Cancel what is pending.")
    write(tmp_path / "shop/data/orders.json", "{}")
    first, second = rows(tmp_path, "shop/tasks_test.py", "tau-bench")
    assert first.columns["actions"] == [
        {"name": "get_order", "arguments": {"order": "#1"}},
        {"name": "cancel", "arguments": {"order": "#1", "reason": "too late"}},
    ]
    assert (first.columns["outputs"], first.line, second.id) == (["12.5"], 4, "1")
    assert first.columns["policy"] == "Cancel what is pending."
    assert first.columns["database"] == {"orders": "shop/data/orders.json"}
    write(tmp_path / "evil.py", "TASKS = [\n    Task(instruction=open('x')),\n]")
    with pytest.raises(ExperimentFileError, match="line 2, column 5"):
        rows(tmp_path, "evil.py", "tau-bench")


def test_tau_bench_reads_objects_and_results_of_runs_too(tmp_path: Path) -> None:
    task = {"user_id": "a", "instruction": "!", "actions": [{"name": "cancel", "arguments": {"order": "#1"}}]}
    assert only(tmp_path, "tau-bench", task)["actions"] == task["actions"]
    result = only(tmp_path, "tau-bench", toys.TAU_RESULT)
    assert (result["id"], result["reward"], result["messages"][1]["content"]) == ("3/1", 0.0, "Hello.")


def test_tau2_bench_has_the_user_the_end_state_and_what_has_to_be_said(files: Mapping[str, Path]) -> None:
    [row] = rows(files["tau2-bench"].parent.parent, "tau2/tasks.json", "tau2-bench")
    columns = row.columns
    assert columns["instruction"] == (
        "Domain: shop\nReason for call:\n\tYou want to cancel order #1.\nKnown info:\n\tYou are Ada.\n"
        "Task instructions:\n\tAsk for the sum."
    )
    actions = columns["actions"]
    assert isinstance(actions, list)
    assert [one["requestor"] for one in actions if isinstance(one, dict)] == ["assistant", "user"]
    assert (columns["outputs"], columns["split"], columns["database"]) == (["12.5"], "test", "tau2/db.json")
    assert columns["initial"] == toys.TAU2["initial_state"]["initialization_data"]


def test_agentdojo_tells_utility_from_a_successful_attack(files: Mapping[str, Path]) -> None:
    form = FORMATS["agentdojo"]
    found = rows(files["agentdojo"].parent, "dojo", "agentdojo")
    by_injection = {row.columns["injection_task"]: row.columns for row in found}
    assert by_injection[None]["hijacked"] is False
    assert by_injection["injection_task_0"]["hijacked"] is True
    assert form.figures is not None
    assert [*form.figures([row.columns for row in found])] == [
        "benign utility: 100.0% of 1",
        "utility under attack: 50.0% of 2",
        "targeted attack success: 50.0% of 2",
    ]
    messages = from_plain(by_injection[None]["messages"], parse_type("messages"))
    assert [one.role for one in messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert messages[2].tool_calls[0].name == "pay"


def test_who_and_when_names_the_agent_and_the_step_at_fault(files: Mapping[str, Path]) -> None:
    one, other = rows(files["who-when"].parent, "who", "who-when")
    assert (one.id, other.id) == ("Algorithm-Generated/1", "Hand-Crafted/1")
    assert (one.columns["mistake_agent"], one.columns["mistake_step"]) == ("Counter", 1)
    assert one.columns["log"] == "Step 0 - Planner: Count them.\nStep 1 - Counter: There are 4."
    assert other.columns["agents"] == ["human", "Orchestrator (thought)"]


@pytest.mark.parametrize("form", [one for one in PUBLISHED if one not in {"mmlu", "bfcl"}])
def test_what_is_of_another_format_is_told_with_its_line(tmp_path: Path, form: str) -> None:
    write(tmp_path / "rows.json", '\n{"answer": "?"}')
    with pytest.raises(ExperimentFileError, match="line 2: "):
        rows(tmp_path, "rows.json", form)
