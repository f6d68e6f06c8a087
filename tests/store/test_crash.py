import os
import subprocess
import sys
from pathlib import Path

import pytest

from studio.store.reader import RunStore
from studio.trace.fold.state import RunStatus
from tests.trace.builders import RUN

pytestmark = pytest.mark.process


@pytest.mark.parametrize("seen", [1, 50, 500])
def test_what_was_published_before_a_kill_can_be_read_after_it(tmp_path: Path, seen: int) -> None:
    published = 0
    command = [sys.executable, "-m", "tests.store.writing", str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:  # noqa: S603
        assert process.stdout is not None
        store = RunStore(tmp_path)
        for line in process.stdout:
            published = int(line)
            if published >= seen:
                break
        assert store.runs()[0].status is RunStatus.RUNNING
        process.kill()
        # The last line may be cut, and was then not yet told.
        rest = process.stdout.read().rpartition("\n")[0].split()
        published = int(rest[-1]) if rest else published
        if hasattr(os, "waitid"):  # dead, and not buried: its id is still taken
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            assert store.runs()[0].status is RunStatus.INTERRUPTED
    numbers = [entry.number for entry in store.entries(RUN)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) >= published >= seen
    assert store.runs()[0].status is RunStatus.INTERRUPTED
    assert store.load(RUN).status is RunStatus.INTERRUPTED
    assert store.load(RUN).tokens == len(numbers) // 7 == store.runs()[0].tokens


@pytest.mark.parametrize("seen", [1, 20])
def test_of_runs_written_in_one_piece_a_kill_leaves_all_that_were_told_and_none_damaged(
    tmp_path: Path, seen: int
) -> None:
    command = [sys.executable, "-m", "tests.store.writing_many", str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:  # noqa: S603
        assert process.stdout is not None
        told = [process.stdout.readline().strip() for _ in range(seen)]
        process.kill()
        told += process.stdout.read().rpartition("\n")[0].split()
    store = RunStore(tmp_path)
    runs = {one.run: one for one in store.runs()}
    assert not [one for one in runs.values() if one.damaged]
    for run in told:
        assert runs[run].status is RunStatus.FINISHED
        assert [one.number for one in store.entries(run)] == [1, 2, 3]
    assert all(one.status in {RunStatus.FINISHED, RunStatus.INTERRUPTED} for one in runs.values())
