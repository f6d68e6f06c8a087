"""The trajectory of a trial is scored: which tools it called, in which order, and how often it did what."""

from collections.abc import Mapping, Sequence
from math import log
from pathlib import Path
from typing import Any

import pytest

from studio.errors import ExperimentFileError
from studio.experiments.trajectories import TRACE, reader
from studio.ids import RunId, StepId
from studio.trace.events import (
    ChatAnswered,
    Entry,
    Event,
    StepReady,
    StepRetried,
    StepStarted,
    ToolAnswered,
    ToolCalled,
)
from tests.experiments.builders import RIGHT, experiment_project, opened, write_experiment
from tests.experiments.running import run


def told(*happened: tuple[str, Event]) -> list[Entry]:
    """A run in which this happened, each in a step."""
    return [
        Entry(RunId("r"), at, StepId(step), StepId(""), float(at), event)
        for at, (step, event) in enumerate(happened, 1)
    ]


def called(*tools: str) -> list[Mapping[str, Any]]:
    """Calls, each with what is behind its colon as the argument `q`."""
    parts = (one.partition(":") for one in tools)
    return [{"name": name, "arguments": {"q": said} if said else {}} for name, _, said in parts]


MADE = called("find:wren", "open:1", "find:owl")


@pytest.mark.parametrize(
    ("match", "wanted", "score"),
    [
        ("exact", ["find", "open", "find"], 1),
        ("exact", ["find", "find", "open"], 0.5),
        ("exact", ["find", "open"], 2 / 3),
        ("in order", ["find", "find"], 1),
        ("in order", ["open", "open"], 0.5),
        ("in order", called("find:owl", "open:1"), 0.5),
        ("any order", called("find:owl", "open:1"), 1),
        ("any order", called("find:owl", "find:owl"), 0.5),
        ("same calls", called("find:owl", "open:1", "find:wren"), 1),
        ("same calls", ["open"], 1 / 3),
        ("subset", ["open", "find", "shut"], 1),
        ("subset", called("find:wren", "open:1"), 2 / 3),
    ],
)
def test_calls_are_held_against_those_that_are_expected(match: str, wanted: Any, score: float) -> None:
    scored = reader("tool_calls", {"match": match}, ["wanted"])({"tool_calls": MADE, "wanted": wanted})
    assert (scored.score, scored.ok) == (pytest.approx(score), score == 1)
    assert bool(scored.reason) == (score < 1)


def test_arguments_may_be_left_aside() -> None:
    wanted = called("find:nothing", "open:2")
    for arguments, score in ((True, 0), (False, 1)):
        read = reader("tool_calls", {"arguments": arguments}, ["wanted"])
        assert read({"tool_calls": MADE, "wanted": wanted}).score == score


def test_what_names_no_calls_scores_nothing_and_says_why() -> None:
    scored = reader("tool_calls", {}, ["wanted"])({"tool_calls": MADE, "wanted": [7]})
    assert scored.score is None
    assert "Calls must be" in scored.reason


HAPPENED: Sequence[tuple[str, Event]] = [
    ("ask", StepStarted()),
    ("ask#chat.1", ChatAnswered({}, "stop")),
    ("ask#tool.1", ToolCalled("find", {"q": "wren", "n": 1})),
    ("ask#tool.1", ToolAnswered("find", "no", is_error=True)),
    ("ask#tool.2", ToolCalled("find", {"n": 1, "q": "wren"})),
    ("ask#tool.2", ToolAnswered("find", "yes")),
    ("ask#tool.3", ToolCalled("find", {"q": "owl"})),
    ("ask", StepRetried(1, "No.")),
    *((f"rounds.{at}/critic", StepReady()) for at in (1, 2, 3)),
    *((f"rounds.{at}/again.{at}/judge", StepStarted()) for at in (1, 2)),
    *((f"each.{at}/one", StepStarted()) for at in range(8)),
]


@pytest.mark.parametrize(
    ("metric", "count"),
    [
        ("steps", 11),
        ("chats", 1),
        ("calls", 3),
        ("failed_calls", 1),
        ("repeated_calls", 1),
        ("retries", 1),
        ("rounds", 3),
    ],
)
def test_what_happened_is_counted_and_is_to_be_no_more_than_said(metric: str, count: int) -> None:
    found = TRACE[metric](told(*HAPPENED))
    assert found == count
    enough = reader(metric, {"most": count}, [])({metric: found})
    assert (enough.score, enough.ok) == (1, True)
    much = reader(metric, {}, ["most"])({metric: found, "most": count / 2})
    assert (much.score, much.ok) == (0.5, False)
    assert f"{count}, at most" in much.reason


def test_trials_are_scored_by_their_trajectory_and_those_of_before_by_their_runs(tmp_path: Path) -> None:
    few = {"trajectory": "chats", "settings": {"most": 1}}
    path = experiment_project(tmp_path / "p", count=2, scorers={"few": few})
    table = run(path)
    scored = {cell.variant: table.scores[cell.key, "few"].score for cell in table.cells}
    assert scored == {"alone": 1, "voting": pytest.approx(1 / 3)}
    rule = {"check": "check.expect", "settings": {"rule": "value == 3"}, "given": {"value": "trace.chats"}}
    write_experiment(tmp_path / "p", scorers={"few": few, "three": rule})
    table = run(path, is_rescored=True)
    assert {cell.variant: table.scores[cell.key, "three"].score for cell in table.cells} == {
        "alone": 0,
        "voting": 1,
    }


def test_without_its_run_a_trial_has_no_trajectory_to_be_scored(tmp_path: Path) -> None:
    path = experiment_project(tmp_path / "p", count=1, scorers={"right": RIGHT})
    run(path)
    for file in (tmp_path / "p" / ".stepwire" / "runs").rglob("*.db"):
        file.unlink()
    write_experiment(tmp_path / "p", scorers={"few": {"trajectory": "steps", "settings": {"most": 9}}})
    table = run(path, is_rescored=True)
    assert {score.score for score in table.scores.values()} == {None}
    assert all("could not be scored" in score.reason for score in table.scores.values())


@pytest.mark.parametrize(
    ("scorer", "said"),
    [
        ({"trajectory": "leaps"}, "there is no trajectory metric `leaps`"),
        ({"trajectory": "steps"}, "how many steps"),
        ({"trajectory": "steps", "settings": {"least": 1}}, "settings.least"),
        ({"trajectory": "tool_calls"}, "nothing is given to its input `wanted`"),
        ({"trajectory": "tool_calls", "given": {"wanted": "row.calls"}}, "no row has a column `calls`"),
        ({"trajectory": "steps", "given": {"wanted": "row.answer"}}, "`steps` has no input `wanted`"),
        ({"trajectory": "steps", "check": "check.score"}, "either"),
        ({**RIGHT, "given": {"value": "trace.leaps"}}, "nothing called `leaps` is read of a trial's run"),
    ],
)
def test_a_trajectory_that_means_nothing_is_told(
    tmp_path: Path, scorer: Mapping[str, Any], said: str
) -> None:
    path = experiment_project(tmp_path / "p", count=1, scorers={"way": scorer})
    with pytest.raises(ExperimentFileError) as raised:
        opened(path)
    assert said in str(raised.value)


def test_a_trial_is_scored_by_how_sure_its_model_was() -> None:
    sure = ChatAnswered(
        {"role": "assistant"}, "stop", log_probabilities=([["a", log(0.5)], ["b", log(0.5)]],)
    )
    entries = told(("a#chat.1", ChatAnswered({"role": "assistant"}, "stop")), ("a#chat.2", sure))
    found = {"token_confidence": TRACE["token_confidence"](entries)}
    assert found["token_confidence"] == pytest.approx(0.5)
    assert reader("token_confidence", {}, ())(found).score == pytest.approx(0.5)
    assert reader("token_confidence", {"least": 0.6}, ())(found).ok is False
    assert reader("token_confidence", {"least": 0.4}, ())(found).ok is True
    untold = reader("token_confidence", {}, ())({})
    assert untold.score is None
    assert "log-probabilities" in untold.reason
