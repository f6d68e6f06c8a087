"""A run at a terminal ends when it has to, even where a step lets its process hear of nothing."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from studio.process_tree import end_tree
from studio.store.reader import RunStore
from studio.trace.fold.state import RunStatus
from tests.app.flows import SCRIPT, SLOW_SCRIPT, chain
from tests.app.written_projects import write_project
from tests.holding import HOLDING, LET_GO, holding

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
LONG = 60


def started(*arguments: object, before: Sequence[str] = (), **environ: str) -> "subprocess.Popen[str]":
    """Start the command, in a process group of its own as a shell does."""
    return subprocess.Popen(  # noqa: S603  # our own interpreter
        [*before, sys.executable, "-m", "tests.holding.command", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, **environ},
        start_new_session=True,
    )


def wait_for(process: "subprocess.Popen[str]", word: str) -> None:
    """Read what it says on standard error, up to a line with a word."""
    assert process.stderr is not None
    assert any(word in line for line in process.stderr)


@pytest.mark.parametrize(
    ("way", "number", "code", "remedy"),
    [
        ("asleep", None, 3, " --limit-seconds N` resumes it with a larger limit"),
        ("pattern", signal.SIGINT, 130, "` resumes it"),
        ("lists", signal.SIGTERM, 143, "` resumes it"),
    ],
)
def test_a_run_whose_step_holds_the_interpreter_is_ended_from_above_and_goes_on_when_told_to(
    tmp_path: Path, way: str, number: signal.Signals | None, code: int, remedy: str
) -> None:
    project = write_project(tmp_path / "trial", flow=holding(way), script=SCRIPT)
    process = started("run", project, *(() if number else ("--limit-seconds", 4)))
    if number is not None:
        wait_for(process, HOLDING)
        process.send_signal(number)
    _, err = process.communicate(timeout=LONG)
    store = RunStore(project / ".stepwire")
    (run,) = store.runs()
    assert process.returncode == code
    assert f"`stepwire resume {run.run}{remedy}" in err
    assert run.status is RunStatus.INTERRUPTED
    goes_on = started("resume", run.run, "--project", project, "--limit-seconds", LONG, **{LET_GO: "1"})
    assert (goes_on.communicate(timeout=LONG)[0], goes_on.returncode) == ("You asked: Why?\n", 0)
    kinds = [one.event.kind for one in store.entries(run.run)]
    assert kinds.count("chat_requested") - kinds.count("answer_reused") == 1, (
        "what was bought is not bought again"
    )


def test_a_run_that_hears_of_ctrl_c_ends_by_itself_though_it_comes_from_the_terminal_and_from_above(
    tmp_path: Path,
) -> None:
    project = write_project(tmp_path / "trial", flow=chain(default="Why?"), script=SLOW_SCRIPT)
    process = started("run", project, "--events")
    assert process.stdout is not None
    assert any('"chat_requested"' in line for line in process.stdout)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=LONG)
    assert process.returncode == 130
    assert "is recorded as cancelled" in err
    assert RunStore(project / ".stepwire").runs()[0].status is RunStatus.CANCELLED


def test_a_run_does_not_outlive_the_process_that_was_started(tmp_path: Path) -> None:
    project = write_project(tmp_path / "trial", flow=chain(default="Why?"), script=SLOW_SCRIPT)
    process = started("run", project, "--events")
    assert process.stdout is not None
    assert any('"chat_requested"' in line for line in process.stdout)
    process.kill()
    process.communicate(timeout=LONG)  # to the end of its output, which the run would hold open
    assert RunStore(project / ".stepwire").runs()[0].status is RunStatus.INTERRUPTED


def test_a_run_that_a_shell_keeps_from_ctrl_c_is_ended_by_sigterm_alone(tmp_path: Path) -> None:
    project = write_project(tmp_path / "trial", flow=chain(default="Why?"), script=SLOW_SCRIPT)
    process = started("run", project, "--events", before=["/bin/sh", "-c", 'trap "" INT; exec "$@"', "sh"])
    assert process.stdout is not None
    assert any('"chat_requested"' in line for line in process.stdout)
    os.killpg(process.pid, signal.SIGINT)
    os.killpg(process.pid, signal.SIGTERM)
    process.communicate(timeout=LONG)
    assert process.returncode == 143


def test_what_a_process_started_ends_with_it_wherever_it_went() -> None:
    inner = "import time; print('up', flush=True); time.sleep(600)"
    outer = (
        f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}], start_new_session=True)"
    )
    with subprocess.Popen([sys.executable, "-c", outer], stdout=subprocess.PIPE) as process:  # noqa: S603
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        end_tree(process.pid)
        assert process.stdout.read() == b"", "nobody holds it open any more"
    assert process.returncode == -signal.SIGKILL
