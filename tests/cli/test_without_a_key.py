"""What is drawn runs at once at a terminal, without a key: answers are made up, or a person gives them."""

import shlex
from pathlib import Path

import pytest

from tests.app.flows import chain
from tests.app.written_projects import write_flow, write_project
from tests.cli.conftest import Call

QUESTION = "question=Why do herons wait at the weir?"


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A flow without a project, a script or a key."""
    return write_flow(tmp_path / "own.json", chain())


def test_a_profile_that_cannot_answer_is_refused_with_the_lines_that_run_it(call: Call, bare: Path) -> None:
    for profile in ([], ["--chat", "openai"]):
        refused = call("run", bare, "--input", QUESTION, *profile)
        assert refused.code == 2
        for name in ("made-up", "person"):
            assert (
                f"{shlex.join(['stepwire', 'run', str(bare), '--input', QUESTION])} --chat {name}`"
                in refused.err
            )


def test_a_fork_that_asks_anew_names_its_lines_as_well(call: Call, bare: Path) -> None:
    assert call("run", bare, "--input", QUESTION, "--chat", "made-up").code == 0
    fork = ("replay", "latest", "--project", bare.parent, "--set", 'writer.prompt="Why?"', "--live")
    refused = call(*fork, "--chat", "scripted")
    assert refused.code == 2
    line = shlex.join(["stepwire", *map(str, fork)])
    assert f"`{line} --chat made-up`" in refused.err
    assert call(*fork, "--chat", "made-up").code == 0


def test_made_up_answers_run_it_offline_and_are_marked_wherever_runs_are_told(call: Call, bare: Path) -> None:
    ran = call("run", bare, "--input", QUESTION, "--chat", "made-up", "--offline")
    assert ran.code == 0
    assert "herons" in ran.out.casefold() or "weir" in ran.out.casefold()
    assert "1 made-up answer" in ran.err
    again = call("run", bare, "--input", QUESTION, "--chat", "made-up")
    assert again.out == ran.out
    where = ("--project", bare.parent)
    assert "1 made-up answer" in call("runs", "list", *where).out
    shown = call("runs", "show", "latest", *where).out
    assert "output   answer (made up):" in shown
    assert "1 made-up answer" in shown
    plain = call("runs", "show", "latest", *where, "--json").json
    assert isinstance(plain, dict)
    assert plain["made_up_answers"] == 1
    assert "made_up" in plain["outputs"]["answer"]["labels"]
    assert plain["cost"] == 0


def test_a_person_answers_later_where_nobody_sits_at_the_terminal(call: Call, bare: Path) -> None:
    waits = call("run", bare, "--input", QUESTION, "--chat", "person")
    assert waits.code == 4
    assert "--answer 'writer#chat.1=…'" in waits.err
    where = ("--project", bare.parent)
    told = call("runs", "waiting", *where).out
    assert "asked    writer#chat.1: What should the model answer?" in told
    assert "Why do herons wait at the weir?" in told
    ended = call("resume", "latest", "--answer", "writer#chat.1=For fish.", *where)
    assert (ended.code, ended.out) == (0, "For fish.\n")


def test_both_are_always_listed(call: Call, tmp_path: Path) -> None:
    project = write_project(tmp_path / "trial", flow=chain())
    told = call("profiles", "list", "--project", project).out
    assert "made-up: made-up answers that" in told
    assert "person: you answer" in told


@pytest.mark.script
def test_a_script_is_verified_against_made_up_answers_and_says_so(call: Call, bare: Path) -> None:
    assert call("run", bare, "--input", QUESTION, "--chat", "made-up").code == 0
    made = call("export", bare, "-o", bare.parent / "own.py", "--verify", "latest")
    assert made.code == 0
    assert "made up" in made.out


def test_answers_are_kept_as_a_script_and_answer_again(call: Call, bare: Path) -> None:
    made_up = call("run", bare, "--input", QUESTION, "--chat", "made-up").out
    kept = call("runs", "keep", "latest", "--project", bare.parent)
    assert (kept.code, kept.err, kept.out) == (0, "", "scripts/kept_1.yaml  answers with `--chat kept_1`\n")
    again = call("run", bare, "--input", QUESTION, "--chat", "kept_1", "--offline")
    assert again.out == made_up
    assert "made-up" not in again.err
    refused = call("runs", "keep", "latest", "--project", bare.parent)
    assert refused.code == 2
    assert "No answers were made up or typed" in refused.err


def test_nothing_is_measured_by_made_up_answers(call: Call, bare: Path) -> None:
    problems = bare.parent / "problems.jsonl"
    problems.write_text('{"id": "a", "question": "Why?", "answer": "17", "wrong": ["12"]}', "utf-8")
    refused = call("measure", bare, "--chat", "made-up", "--problems", problems)
    assert refused.code == 2
    assert "uses simulated solvers only" in refused.err
