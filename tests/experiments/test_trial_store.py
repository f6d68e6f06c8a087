"""Files of trials open whatever version stored them, and whoever writes to them tells what it cannot keep."""

import shutil
from pathlib import Path

import pytest

from studio.experiments.scores import Score
from studio.experiments.trial_store import STEPS, TrialStore, reading, scores_in, store_path, trials_in
from studio.experiments.trials import Outcome, TrialState
from studio.workspace.project import Project
from tests.app.solving import solving_project

STORED = Path(__file__).parent / "stored"
KEYS = ("2c0141e38631/1/1", "47b9c9943ca4/1/1", "830593e2f3f6/1/1", "b837565577f1/1/1")
RIGHT = "26e74d60a4ba"


@pytest.mark.parametrize("version", range(1, len(STEPS)))
def test_what_an_older_version_stored_is_read_and_gone_on_with(version: int, tmp_path: Path) -> None:
    project = Project.open(solving_project(tmp_path / "p", 2))
    path = store_path(project, "trial")
    path.parent.mkdir(parents=True)
    shutil.copyfile(STORED / f"trials-{version}.db", path)
    with reading(path) as connection:
        before, scores = trials_in(connection, KEYS), scores_in(connection, KEYS)
    assert [before[key].outputs["answer"] for key in KEYS] == ["r0", "w0", "r1", "w1"]
    assert [scores[key, RIGHT].score for key in KEYS] == [1, 0, 1, 0]
    assert {one.state for one in before.values()} == {TrialState.DONE}
    with TrialStore(project, "trial") as store:
        assert (store.trials(KEYS), store.scores(KEYS)) == (before, scores)
        store.keep([Outcome(before[KEYS[0]], {"right": Score(0.5)})], {"right": RIGHT})
    with reading(path) as connection:
        assert scores_in(connection, KEYS)[KEYS[0], RIGHT].score == 0.5
