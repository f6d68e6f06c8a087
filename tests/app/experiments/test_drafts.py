"""A new experiment: what is guessed, and a file that opens and runs as it was drafted."""

from dataclasses import replace
from pathlib import Path

import pytest

from studio.app.experiments.drafts import (
    Draft,
    VariantDraft,
    changeable_in,
    columns_of,
    datasets_of,
    expected_in,
    mapping_of,
    write_draft,
)
from studio.errors import UsageError
from studio.workspace.catalog import builtin_registry
from studio.workspace.problems import read_flow
from studio.workspace.project import Project
from tests.app.solving import solving_project
from tests.experiments.builders import opened
from tests.experiments.running import run

FLOW = "flow.json"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project.open(solving_project(tmp_path / "p", 4))


def test_dataset_columns_and_settings_are_found(project: Project) -> None:
    flow = read_flow(project.root / FLOW).flow
    registry = builtin_registry()
    assert datasets_of(project) == ["data/problems.jsonl"]
    columns = columns_of(project, "data/problems.jsonl")
    assert columns == ["id", "question", "answer", "wrong"]
    assert mapping_of(flow, registry, columns) == {"question": "question"}
    assert mapping_of(flow, registry, ["id", "Asked", "answer"]) == {"question": "Asked"}
    assert expected_in(columns) == "answer"
    first = changeable_in(flow, registry)[0]
    assert (first.node, first.setting, first.is_prompt) == ("w", "instructions", True)


def test_a_draft_opens_and_runs_as_it_was_drafted(project: Project) -> None:
    variants = (
        VariantDraft("as it is"),
        VariantDraft("brief", "prompt", "w", "instructions", "Answer in one word."),
        VariantDraft("warm", "setting", "w", "temperature", 0.5),
        VariantDraft("voting", "flow", value="voting.json"),
        VariantDraft("same profile", "profile", value="solvers"),
    )
    draft = Draft(
        "My first one!",
        FLOW,
        "data/problems.jsonl",
        {"question": "question"},
        variants,
        expected="answer",
        chat="solvers",
    )
    path = write_draft(project, draft)
    assert path.name == "my_first_one.json"
    table = run(path)
    assert len(table.cells) == 20
    assert list(opened(path).variants) == [one.name for one in variants]
    with pytest.raises(UsageError, match="already"):
        write_draft(project, draft)


GOOD = Draft("x", FLOW, "data/problems.jsonl", expected="answer")


@pytest.mark.parametrize(
    ("draft", "words"),
    [
        (replace(GOOD, name=" ! "), "needs a name"),
        (replace(GOOD, variants=(VariantDraft("a"), VariantDraft("a "))), "name of its own"),
        (replace(GOOD, variants=(VariantDraft("a/b"),)), "cannot be called"),
        (replace(GOOD, expected=""), "right answer"),
    ],
)
def test_what_is_missing_is_told_and_nothing_is_written(project: Project, draft: Draft, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        write_draft(project, draft)
    assert not list(project.root.glob("experiments/*"))


def test_a_judge_is_asked_with_the_question_and_the_reference(project: Project) -> None:
    inputs = {"question": "question"}
    draft = replace(GOOD, name="judged", inputs=inputs, scorer="judge", chat="solvers")
    scorer = opened(write_draft(project, draft)).scorers["judge"]
    assert dict(scorer.given) == {
        "value": "outputs.answer",
        "question": "inputs.question",
        "reference": "row.answer",
    }
