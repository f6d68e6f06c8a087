"""`stepwire measure` says what a topology is worth, and what the figures hide."""

import sys
from pathlib import Path
from typing import Any, cast

import pytest

from studio.places import projects
from tests.app.solving import solving_project
from tests.cli.conftest import Call


def test_flows_are_measured_side_by_side_and_unequal_budgets_are_told(call: Call, tmp_path: Path) -> None:
    root = solving_project(tmp_path / "p")
    flows = [root / "flow.json", root / "voting.json"]
    called = call("measure", *flows, "--problems", root / "data/problems.jsonl", "--runs", 5)
    assert called.code == 0, called.err
    lines = called.out.splitlines()
    assert lines[0].split()[:3] == ["flow", "right", "95"]
    assert lines[1].startswith("flow.json")
    assert "points" in lines[2]
    assert "10 problems, 5 runs each, solvers `solvers`, seed 1" in called.out
    assert "The budgets differ: `voting.json` uses 3.00 times the tokens of `flow.json`." in called.out
    assert "evaluating `voting.json`" in called.err


def test_the_figures_are_given_as_json(call: Call, tmp_path: Path) -> None:
    root = solving_project(tmp_path / "p", accuracy=1)
    flows = [root / "flow.json", root / "voting.json"]
    called = call("measure", *flows, "--problems", root / "data/problems.jsonl", "--runs", 2, "--json")
    alone, voting = cast("dict[str, Any]", called.json)["flows"]
    assert (alone["accuracy"], alone["trials"], alone["chats"]) == (1, 20, 1)
    assert (voting["difference"], voting["chance"], voting["is_equal_budget"]) == (0, 1, False)
    assert "difference" not in alone


def test_without_its_library_accuracies_are_told_and_how_to_have_the_rest(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    root = solving_project(tmp_path / "p", accuracy=1)
    flows = [root / "flow.json", root / "voting.json"]
    called = call("measure", *flows, "--problems", root / "data/problems.jsonl", "--runs", 2)
    assert called.code == 0
    assert "100.0 %" in called.out
    assert "need a library that is not installed. Run: " in called.out


def test_easy_and_hard_problems_are_told_apart(call: Call, tmp_path: Path) -> None:
    root = solving_project(tmp_path / "p", count=2, accuracy=1, accuracy_at_hardest=0)
    problems = root / "data/problems.jsonl"
    easy, hard = problems.read_text("utf-8").splitlines()
    problems.write_text(f'{easy[:-1]}, "difficulty": 0}}\n{hard[:-1]}, "difficulty": 1}}', "utf-8")
    called = call("measure", root / "flow.json", "--problems", problems, "--by", "difficulty", "--runs", 4)
    table = [line.split("  ") for line in called.out.splitlines()[-2:]]
    assert [cell.strip() for cell in table[0] if cell] == ["flow", "easy", "hard"]
    assert [cell.split(" (")[0].strip() for cell in table[1] if cell] == ["flow.json", "100.0 %", "0.0 %"]
    told = call("measure", root / "flow.json", "--problems", problems, "--by", "difficulty", "--json")
    assert cast("dict[str, Any]", told.json)["by"] == {"easy": [1], "hard": [0]}


def test_a_number_of_runs_below_one_is_refused(call: Call, tmp_path: Path) -> None:
    assert call("measure", tmp_path, "--problems", tmp_path, "--runs", 0).code == 2


def test_a_project_without_simulated_solvers_is_told_how_to_have_some(call: Call, project: Path) -> None:
    problems = project / "problems.jsonl"
    problems.write_text('{"id": "a", "question": "q", "answer": "1", "wrong": ["2"]}', "utf-8")
    called = call("measure", project, "--problems", problems)
    assert called.code == 2
    assert "no simulated chat profile" in called.err
    assert "project.json" in called.err


def test_of_several_simulated_profiles_one_is_to_be_named(call: Call) -> None:
    debate = projects() / "debate"
    called = call("measure", debate, "--problems", debate / "data/problems.jsonl")
    assert called.code == 2
    assert "Several chat profiles are simulated: `solvers`, `strong`" in called.err
    assert "Name one with `--chat`." in called.err


def test_a_run_is_answered_by_simulated_solvers_offline_and_priced_as_they_are(
    call: Call, tmp_path: Path
) -> None:
    quick: dict[str, Any] = {"accuracy": 1, "seconds": 0, "tokens": 100, "tokens_per_second": 1e6}
    root = solving_project(tmp_path / "p", **quick, input_price=0, output_price=100)
    question = "question=What is in box 3?"
    called = call("run", root, "--chat", "solvers", "--offline", "--input", question, "--json")
    assert called.json == {"answer": "r3"}
    assert "$0.01" in called.err
    missed = call("run", root, "--chat", "solvers", "--input", "question=What is in box 33?")
    assert missed.code == 1
    assert "contains no problem of `problems.jsonl`" in missed.err
    listed = call("profiles", "list", "--project", root)
    assert "solvers: simulated solvers of data/problems.jsonl" in listed.out
