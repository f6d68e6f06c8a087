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
    default_profile,
    expected_in,
    mapping_of,
    unchanged,
    unfilled,
    write_draft,
)
from studio.errors import UsageError
from studio.ids import NodeId
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


def test_an_input_takes_the_column_of_its_label_and_one_without_a_column_or_default_is_told(
    project: Project,
) -> None:
    flow = read_flow(project.root / FLOW).flow
    name = NodeId("question")
    node = flow.nodes[name].model_copy(update={"title": "Asked of it"})
    flow = replace(flow, nodes={**flow.nodes, name: node})
    registry = builtin_registry()
    found = mapping_of(flow, registry, ["id", "asked of it", "other", "answer"])
    assert found == {"question": "asked of it"}
    assert unfilled(flow, registry, found) == []
    assert unfilled(flow, registry, {"question": ""}) == ["Asked of it"]


def test_a_variant_that_edits_nothing_is_told(project: Project) -> None:
    changeable = changeable_in(read_flow(project.root / FLOW).flow, builtin_registry())
    first = changeable[0]
    same = VariantDraft("same", "prompt", first.node, first.setting, first.value)
    variants = [VariantDraft("as it is"), same, replace(same, name="other", value="Think.")]
    assert unchanged(variants, changeable) == ["same"]


def test_the_default_profile_is_that_of_the_project_unless_it_has_nothing_to_say(project: Project) -> None:
    assert default_profile(project, {}) == ""  # `scripted`, and there are no scripts
    usual = replace(project, default_profile="solvers")
    assert default_profile(usual, {"STEPWIRE_CHAT": "made-up"}) == "solvers"
    assert default_profile(replace(project, default_profile=""), {"STEPWIRE_CHAT": "made-up"}) == "made-up"


@pytest.mark.parametrize(
    ("chat", "variant", "allowed"),
    [("solvers", "solvers", False), ("made-up", "solvers", True), ("solvers", "made-up", True)],
)
def test_made_up_answers_are_allowed_where_they_were_chosen(
    project: Project, chat: str, variant: str, *, allowed: bool
) -> None:
    variants = (VariantDraft("a"), VariantDraft("b", "profile", value=variant))
    path = write_draft(project, replace(GOOD, chat=chat, variants=variants))
    assert opened(path).experiment.made_up is allowed


def test_a_judge_is_asked_with_the_question_and_the_reference(project: Project) -> None:
    inputs = {"question": "question"}
    draft = replace(GOOD, name="judged", inputs=inputs, scorer="judge", chat="solvers")
    scorer = opened(write_draft(project, draft)).scorers["judge"]
    assert dict(scorer.given) == {
        "value": "outputs.answer",
        "question": "inputs.question",
        "reference": "row.answer",
    }
