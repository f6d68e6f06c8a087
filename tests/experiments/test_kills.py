"""Killed anywhere, an experiment goes on, buys no trial twice, loses none, and gives the same table."""

import os
import random
from pathlib import Path

import pytest

from tests.experiments.killing import Tally, kill_until_whole

pytestmark = pytest.mark.process


def test_processes_that_are_killed_lose_no_trial_and_buy_none_twice(tmp_path: Path) -> None:
    """`python -m tests.bench.experiments_kill_bench` does the same a hundred times."""
    tally, dice = Tally(), random.Random(3)  # noqa: S311
    environ = {**os.environ, "STEPWIRE_CONFIG": str(tmp_path / "config"), "OPENAI_API_KEY": ""}
    kill_until_whole(tmp_path, 10, 2, dice, environ, tally)
    assert tally.kills
    assert (tally.trials, tally.lost, tally.bought_twice, tally.unequal, tally.orphans) == (10, 0, 0, 0, 0)
