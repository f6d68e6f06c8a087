"""A check that only computes is called as the function that it is."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from studio.experiments.scorers import FlowScorer
from studio.experiments.scores import UNSCORED
from studio.experiments.unkept import run_unkept
from tests.experiments.builders import RIGHT, experiment_project, opened

CHECKS: Sequence[Mapping[str, Any]] = [
    {"settings": {"by": "contains", "ignore_case": True}},
    {"settings": {"by": "regular expression"}},
    {"settings": {"by": "number"}},
    {"settings": {"by": "words", "enough": 0.5}},
    {"settings": {"by": "JSON"}},
    {"settings": {"by": "tool calls"}, "given": {"value": "row.wrong", "wanted": "row.wrong"}},
    {"check": "check.expect", "settings": {"rule": 'value == "r1"'}, "given": {"value": "outputs.answer"}},
    {"check": "check.expect", "settings": {"rule": "value > 1"}, "given": {"value": "outputs.answer"}},
]


def test_a_check_that_is_called_says_what_a_run_of_it_would(tmp_path: Path) -> None:
    scorers = {f"n{at}": {**RIGHT, **one} for at, one in enumerate(CHECKS)}
    variants = {"alone": {"flow": "flow.json"}}
    one = opened(experiment_project(tmp_path / "p", count=3, variants=variants, scorers=scorers))
    run_alike = {
        name: replace(scorer, call=None)
        for name, scorer in one.scorers.items()
        if isinstance(scorer, FlowScorer) and scorer.call is not None
    }
    assert set(run_alike) == set(scorers)
    called, ran = (run_unkept(by, {}).scores for by in (one, replace(one, scorers=run_alike)))
    for key, score in called.items():
        assert score[:2] == ran[key][:2]
        assert ran[key].reason.endswith(score.reason.removeprefix(UNSCORED))
    assert {score.score for score in called.values()} == {0.0, 1.0, None}
