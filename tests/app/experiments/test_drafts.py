"""An experiment in a form: what is guessed, a file that runs as drafted, and one of which all else stays."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.app.experiments.choices import (
    changeable_in,
    columns_of,
    datasets_of,
    default_profile,
    expected_in,
    mapping_of,
    unfilled,
)
from studio.app.experiments.drafts import (
    ChangeDraft,
    Draft,
    ScorerDraft,
    VariantDraft,
    creation,
    draft_of,
    edited,
    revision,
    unchanged,
)
from studio.app.experiments.kept_words import edit_words, kept_of
from studio.app.projects.file_changes import FileChanges
from studio.errors import UsageError
from studio.experiments.experiment import DatasetUse, Experiment, Stop
from studio.experiments.files import experiment_of, write_experiment
from studio.experiments.patches import PromptEdit
from studio.ids import NodeId
from studio.workspace.catalog import builtin_registry
from studio.workspace.problems import read_flow
from studio.workspace.project import Project
from tests.app.solving import solving_project
from tests.examples import examples
from tests.experiments.builders import RIGHT, VOTING, opened
from tests.experiments.running import run

FLOW = "flow.json"
PROBLEMS = DatasetUse(file="data/problems.jsonl")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project.open(solving_project(tmp_path / "p", 4))


def written(project: Project, draft: Draft, environ: Mapping[str, str] | None = None) -> Path:
    """Write the file of a new experiment, as the window does."""
    name, change = creation(project, draft, environ or {})
    FileChanges(project.root).do(change)
    return project.root / "experiments" / f"{name}.json"


def test_dataset_columns_and_settings_are_found(project: Project) -> None:
    flow = read_flow(project.root / FLOW).flow
    registry = builtin_registry()
    assert datasets_of(project) == ["data/problems.jsonl"]
    columns = columns_of(project, PROBLEMS)
    assert columns == ["id", "question", "answer", "wrong"]
    assert mapping_of(flow, registry, columns) == {"question": "question"}
    assert mapping_of(flow, registry, ["id", "Asked", "answer"]) == {"question": "Asked"}
    assert expected_in(columns) == "answer"
    first = changeable_in(flow, registry)[0]
    assert (first.node, first.setting, first.is_prompt) == ("w", "instructions", True)


BRIEF = ChangeDraft("w", "instructions", "Answer in one word.", is_prompt=True)
WARM = ChangeDraft("w", "temperature", 0.5)


def test_a_draft_opens_and_runs_as_it_was_drafted(project: Project) -> None:
    variants = (
        VariantDraft("as it is", FLOW),
        VariantDraft("brief and warm", FLOW, changes=(BRIEF, WARM)),
        VariantDraft("voting", "voting.json"),
        VariantDraft("same profile", FLOW, "solvers"),
    )
    draft = Draft(
        "My first one!",
        "data/problems.jsonl",
        {"question": "question"},
        variants,
        (ScorerDraft("right", expected="answer"), ScorerDraft("has it", "contains", "answer")),
        chat="solvers",
        limits={"tokens": 5_000.0},
    )
    path = written(project, draft)
    assert path.name == "my_first_one.json"
    table = run(path)
    assert len(table.cells) == 16
    one = opened(path)
    assert list(one.variants) == [each.name for each in variants]
    assert list(one.scorers) == ["right", "has it"]
    assert one.experiment.limits == {"tokens": 5_000}
    with pytest.raises(UsageError, match="already"):
        creation(project, draft)


GOOD = Draft(
    "x",
    "data/problems.jsonl",
    variants=(VariantDraft("as it is", FLOW),),
    scorers=(ScorerDraft("right", expected="answer"),),
)


@pytest.mark.parametrize(
    ("draft", "words"),
    [
        (replace(GOOD, name=" ! "), "needs a name"),
        (replace(GOOD, dataset=""), "needs a dataset"),
        (replace(GOOD, variants=(VariantDraft("a"), VariantDraft("a "))), "variant needs a name of its own"),
        (replace(GOOD, variants=(VariantDraft("a/b"),)), "cannot be called"),
        (replace(GOOD, variants=()), "needs a variant"),
        (replace(GOOD, scorers=(ScorerDraft("right"),)), "right answer"),
        (replace(GOOD, scorers=(*GOOD.scorers, *GOOD.scorers)), "scorer needs a name of its own"),
    ],
)
def test_what_is_missing_is_told_and_nothing_is_written(project: Project, draft: Draft, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        creation(project, draft)


RICH: Mapping[str, Any] = {
    **VOTING,
    "description": "Why it is tried.",
    "dataset": {"file": "data/problems.jsonl", "as": "jsonl", "id": "id", "where": {"id": "p1"}, "first": 9},
    "rows": "fixed",
    "variants": {
        "alone": {"limits": {"steps": 9}, "faults": ["fail w"]},
        "odd": {
            "flow": "flow.json",
            "patch": [
                {"edit": "limits", "node": "w", "limits": {"tokens": 90}},
                {"edit": "prompt", "node": "w", "text": "Be brief."},
                {"edit": "profile", "node": "w", "profile": "solvers"},
                {"edit": "setting", "node": "w", "name": "stop", "value": ["a"]},
            ],
        },
    },
    "baseline": "odd",
    "repeats": 3,
    "seed": 4,
    "row_passes": 1,
    "limits": {"steps": 20, "cost": 0.5},
    "scorers": {
        "right": RIGHT,
        "near": {**RIGHT, "settings": {"by": "number", "tolerance": 0.5}},
        "judge": {"check": "check.judge", "settings": {"scale": 7}, "given": {"value": "outputs.answer"}},
        "own": {"flow": "scorer.json"},
    },
    "stop": {"looks": 3},
}


def rich(**different: Any) -> Experiment:
    return Experiment.model_validate({**RICH, **different})


def test_what_a_form_does_not_show_stays_and_is_said_to() -> None:
    experiment = rich()
    before = draft_of(experiment, FLOW)
    assert edited(experiment, before, before) == experiment
    told = "; ".join(kept_of(experiment))
    for words in ("description", "jsonl", "by id", "first 9", "seed 4"):
        assert words in told
    assert "limit on steps" in told
    assert "injected faults of alone" in told
    itself = rich(dataset={"file": "data/test.jsonl", "as": "gsm8k"}, scorers={})
    assert "the scorer of that format, unless one is added here" in list(kept_of(itself))
    assert [one.kind for one in before.scorers] == ["exact", "number", "judge", ""]
    kept = [edit_words(one.kept) for one in before.variants[1].changes if one.kept is not None]
    assert kept == ["limits of w on tokens", "w asks solvers", "stop of w"]


@settings(max_examples=examples(60))
@given(st.data())
def test_only_what_was_changed_in_the_form_is_changed_in_the_file(data: st.DataObject) -> None:
    experiment = rich()
    before = draft_of(experiment, FLOW)
    variants = [*before.variants]
    if data.draw(st.booleans()):
        variants[1] = replace(variants[1], name="other")
    if data.draw(st.booleans()):
        changes = [*variants[1].changes]
        changes[1] = replace(changes[1], value=data.draw(st.text(max_size=8)))
        variants[1] = replace(variants[1], changes=changes)
    after = replace(
        before,
        repeats=data.draw(st.integers(1, 9)),
        limits=data.draw(st.sampled_from([before.limits, {}, {"cost": 2.0, "seconds": 9.0}])),
        variants=variants,
        scorers=data.draw(st.permutations(before.scorers)),
        rows=data.draw(st.sampled_from(["sample", "fixed"])),
        stop=data.draw(st.none() | st.builds(Stop, looks=st.integers(2, 20))),
    )
    fresh = edited(experiment, before, after)
    assert experiment_of(write_experiment(fresh), "x") == fresh
    assert fresh.baseline == variants[1].name  # a baseline keeps its variant
    assert (fresh.rows, fresh.stop) == (after.rows, after.stop)
    assert dict(fresh.scorers) == dict(experiment.scorers)
    assert list(fresh.scorers) == [one.name for one in after.scorers]
    same = fresh.model_copy(
        update={
            "repeats": experiment.repeats,
            "limits": {name: fresh.limits.get(name, one) for name, one in experiment.limits.items()},
            "variants": dict(zip(experiment.variants, fresh.variants.values(), strict=True)),
            "baseline": experiment.baseline,
            "scorers": dict(experiment.scorers),
            "rows": experiment.rows,
            "stop": experiment.stop,
        }
    )
    whole = same.model_dump(exclude={"variants", "limits"})
    assert whole == experiment.model_dump(exclude={"variants", "limits"})
    assert fresh.limits["steps"] == 20
    assert same.variants["alone"] == experiment.variants["alone"]
    patch, was = same.variants["odd"].patch, experiment.variants["odd"].patch
    assert [patch[0], *patch[2:]] == [was[0], *was[2:]]
    assert draft_of(fresh, FLOW).variants[1].changes == variants[1].changes


FACTORS: Mapping[str, Any] = {
    "model": {"small": {"chat": "solvers"}, "large": {"chat": "solvers", "limits": {"steps": 3}}},
    "prompt": {"long": {}, "brief": {"patch": [{"edit": "prompt", "node": "w", "text": "Be brief."}]}},
}


def test_factors_are_edited_and_a_baseline_follows_a_level_that_is_renamed() -> None:
    experiment = rich(factors=FACTORS, baseline="large + brief", stop=None)
    before = draft_of(experiment, FLOW)
    assert edited(experiment, before, before) == experiment
    model, prompt = before.factors
    renamed = replace(model, name="size", levels=[model.levels[0], replace(model.levels[1], name="huge")])
    terse = VariantDraft("terse", changes=(BRIEF,))
    after = replace(before, factors=[renamed, replace(prompt, levels=[*prompt.levels, terse])])
    fresh = edited(experiment, before, after)
    assert fresh.baseline == "huge + brief"
    assert {name: list(one) for name, one in fresh.factors.items()} == {
        "size": ["small", "huge"],
        "prompt": ["long", "brief", "terse"],
    }
    assert fresh.factors["size"]["huge"] == experiment.factors["model"]["large"]
    assert fresh.tried["huge + terse"].patch == (
        PromptEdit(edit="prompt", node="w", name="instructions", text="Answer in one word."),
    )
    assert edited(experiment, before, replace(before, factors=[prompt])).baseline == ""
    with pytest.raises(UsageError, match="two levels"):
        edited(experiment, before, replace(before, factors=[replace(model, levels=model.levels[:1])]))
    with pytest.raises(UsageError, match=r"level of “prompt”"):
        edited(experiment, before, replace(before, factors=[replace(prompt, levels=[terse, terse])]))


def test_an_early_stop_needs_something_to_compare() -> None:
    experiment = rich()
    before = draft_of(experiment, FLOW)
    with pytest.raises(UsageError, match="second one and a scorer"):
        edited(experiment, before, replace(before, variants=before.variants[1:]))


def test_a_scorer_of_a_file_takes_what_was_changed_and_keeps_its_other_settings() -> None:
    experiment = rich()
    before = draft_of(experiment, FLOW)
    scorers = [
        replace(one, expected="wrong")
        if one.name == "near"
        else replace(one, expected="answer")
        if one.name == "judge"
        else one
        for one in before.scorers
    ]
    fresh = edited(experiment, before, replace(before, scorers=scorers))
    assert fresh.scorers["near"].settings == {"by": "number", "tolerance": 0.5}
    assert fresh.scorers["near"].given["wanted"] == "row.wrong"
    assert fresh.scorers["judge"].settings == {"scale": 7}
    assert fresh.scorers["judge"].given == {"value": "outputs.answer", "reference": "row.answer"}


def test_an_edit_is_a_change_of_the_file_that_can_be_undone(project: Project) -> None:
    path = written(project, replace(GOOD, chat="solvers"))
    text = path.read_text("utf-8")
    draft = draft_of(experiment_of(text, "x"), FLOW)
    assert revision(project, "x", text, draft) is None
    change = revision(project, "x", text, replace(draft, repeats=7))
    assert change is not None
    changes = FileChanges(project.root)
    changes.do(change)
    assert opened(path).experiment.repeats == 7
    changes.jump(changes.position - 1)
    assert path.read_text("utf-8") == text
    changes.jump(changes.position - 1)
    assert not path.exists()  # as before it was made
    path.write_text("{}", "utf-8")
    with pytest.raises(UsageError, match="already exists"):
        changes.jump(changes.position + 1)


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


def test_a_new_variant_that_edits_nothing_is_told(project: Project) -> None:
    changeable = changeable_in(read_flow(project.root / FLOW).flow, builtin_registry())
    first = changeable[0]
    same = VariantDraft("same", FLOW, changes=[ChangeDraft(first.node, first.setting, first.value)])
    other = replace(same, name="other", changes=[ChangeDraft(first.node, first.setting, "Think.")])
    variants = [VariantDraft("as it is", FLOW), same, other, replace(same, name="of a file", was="of a file")]
    assert unchanged(variants, lambda _: changeable) == ["same"]


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
    variants = (VariantDraft("a", FLOW), VariantDraft("b", FLOW, variant))
    path = written(project, replace(GOOD, chat=chat, variants=variants))
    assert opened(path).experiment.made_up is allowed


def test_a_judge_is_asked_with_the_question_and_the_reference(project: Project) -> None:
    inputs = {"question": "question"}
    judge = ScorerDraft("judge", "judge", "answer")
    draft = replace(GOOD, name="judged", inputs=inputs, scorers=(judge,), chat="solvers")
    scorer = opened(written(project, draft)).scorers["judge"]
    assert dict(scorer.given) == {
        "value": "outputs.answer",
        "question": "inputs.question",
        "reference": "row.answer",
    }
