"""The file of an experiment is canonical, and tells the line of whatever is wrong in it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.errors import ExperimentFileError
from studio.experiments.experiment import Experiment
from studio.experiments.files import experiment_of, write_experiment
from tests.experiments.builders import RIGHT, VOTING, experiment_project, opened

PROMPT = {"edit": "prompt", "node": "w", "text": "You are brief.\nSay one word."}


def experiment(**different: object) -> Experiment:
    return Experiment.model_validate({**VOTING, **different})


def test_a_file_has_one_thing_a_line_and_long_texts_line_by_line() -> None:
    text = write_experiment(experiment(variants={"brief": {"patch": [PROMPT]}}, scorers={}))
    assert '          "text": {\n            "$lines": [\n              "You are brief.",' in text
    assert max(len(line) for line in text.splitlines()) < 60


@given(
    st.dictionaries(
        st.from_regex(r"[a-z]{1,8}", fullmatch=True), st.text(max_size=30), min_size=1, max_size=3
    ),
    st.integers(1, 20),
)
def test_what_was_written_is_read_as_it_was_and_written_as_it_was(
    texts: dict[str, str], repeats: int
) -> None:
    variants = {name: {"patch": [{**PROMPT, "text": text}]} for name, text in texts.items()}
    one = experiment(variants=variants, repeats=repeats)
    text = write_experiment(one)
    read = experiment_of(text, "trial.json")
    assert read == one
    assert list(read.variants) == list(one.variants)
    assert write_experiment(read) == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"format": "stepwire.flow", "version": 1}', "format: this must be `stepwire.experiment`"),
        ('{"format": "stepwire.experiment", "version": 2}', "install a newer one"),
        ('{"format": "stepwire.experiment",\n "version": 1}', "dataset: this is required"),
        ("{", "line 1, column 2"),
        ('{"a": 1,\n"a": 2}', "the key occurs twice, on line 1 and on line 2"),
        ("[]", "format: this must be"),
        (
            '{"format": "stepwire.experiment", "version": 1, "variants": {"<b>": {}}}',
            "variants.<b>: a name consists of letters",
        ),
    ],
)
def test_what_is_no_experiment_is_refused_in_words(text: str, said: str) -> None:
    with pytest.raises(ExperimentFileError) as caught:
        experiment_of(text, "trial.json")
    assert said in str(caught.value)


def test_every_fault_of_what_it_names_is_told_at_once_with_its_line(tmp_path: Path) -> None:
    variants = {
        "unwired": {"patch": [{"edit": "setting", "node": "nobody", "name": "times", "value": 1}]},
        "misfit": {"patch": [{"edit": "setting", "node": "w", "name": "retries", "value": 1}]},
        "gone": {"flow": "gone.json"},
    }
    path = experiment_project(tmp_path / "p", variants=variants, baseline="nothing")
    with pytest.raises(ExperimentFileError) as caught:
        opened(path)
    lines = path.read_text("utf-8").splitlines()
    said = [(lines[int(one.split()[1].rstrip(":")) - 1].strip(), one) for one in caught.value.details]
    assert [line for line, _ in said] == ["{", "{", '"gone": {', '"baseline": "nothing"']
    words = " ".join(one for _, one in said)
    assert "The flow has no node `nobody`. It has `answer`, `question`, `w`." in words
    assert "`w` has no setting `retries`" in words
    assert "the project has no flow `gone.json`" in words
    assert "there is no variant `nothing`" in words


@pytest.mark.parametrize(
    ("scorer", "said"),
    [
        ({"check": "check.nothing"}, "there is no check `check.nothing`. There are `check.expect`"),
        ({}, "either `check`, `flow` or `trajectory` says what scores"),
        ({**RIGHT, "settings": {"by": "magic"}}, "`Score by`: input should be"),
        ({**RIGHT, "settings": {"bye": "exact"}}, "no setting `bye`"),
        ({**RIGHT, "given": {"value": "outputs.reply"}}, "`alone` has no output `reply`"),
        ({**RIGHT, "given": {"wanted": "row.gold"}}, "no row has a column `gold`"),
        ({**RIGHT, "given": {"goal": "row.answer"}}, "has no input `goal`"),
        ({"flow": "flow.json"}, "no output `score`"),
    ],
)
def test_a_scorer_that_could_not_score_is_refused(tmp_path: Path, scorer: object, said: str) -> None:
    path = experiment_project(tmp_path / "p", count=1, scorers={"right": scorer})
    with pytest.raises(ExperimentFileError) as caught:
        opened(path)
    assert said in str(caught.value)


def test_made_up_answers_are_refused_unless_they_are_named(tmp_path: Path) -> None:
    path = experiment_project(tmp_path / "p", count=1, chat="made-up")
    with pytest.raises(ExperimentFileError, match="would be made up and say nothing of a model"):
        opened(path)
    assert opened(experiment_project(tmp_path / "q", count=1, chat="made-up", made_up=True)).variants


def test_nobody_is_there_to_answer_in_the_place_of_a_model(tmp_path: Path) -> None:
    with pytest.raises(ExperimentFileError, match="answered by a person"):
        opened(experiment_project(tmp_path / "p", count=1, chat="person"))
