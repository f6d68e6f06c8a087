"""Tests that run in several processes are each run once, whatever becomes of a process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CONFTEST = """
from tests import forked_workers

def pytest_addoption(parser):
    forked_workers.add_options(parser)

def pytest_configure(config):
    config.pluginmanager.register(forked_workers)
"""
SHARED = """
import os
import pytest

@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    yield (os.getpid(), tmp_path_factory.mktemp("shared"))
    print("given up by", os.getpid())

@pytest.mark.parametrize("number", range(3))
def test_one(shared, number):
    pid, folder = shared
    (folder / str(number)).touch()
    print("kept by", pid)
    assert pid == os.getpid()
    assert len(list(folder.iterdir())) == number + 1
"""
DEADLY = """
import os, signal, time
import pytest

def test_before(): pass
def test_deadly(): os.kill(os.getpid(), signal.SIGKILL)
def test_after(): pass
def test_failing(): assert 1 == 2, "not equal"
def test_skipped(): pytest.skip("for a reason")
"""


def told(folder: Path, *more: str) -> str:
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "pytest.ini").write_text("[pytest]\n")
    arguments = ("-rA", "-p", "no:cacheprovider", "-p", "no:pytest-qt", "-p", "no:xdist", *more, str(folder))
    return subprocess.run(  # noqa: S603 - pytest, on files of ours
        [sys.executable, "-m", "pytest", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    ).stdout


def outcomes(told: str) -> list[str]:
    """What is said of each test at the end, in order."""
    words = ("PASSED", "FAILED", "SKIPPED", "ERROR")
    return sorted(line.partition(" - ")[0] for line in told.splitlines() if line.startswith(words))


@pytest.mark.process
def test_a_file_stays_in_one_process_and_a_killed_one_loses_one_test(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"test_{name}.py").write_text(SHARED)
    (tmp_path / "test_deadly.py").write_text(DEADLY)
    said = told(tmp_path, "-n", "2")
    shared = [f"PASSED test_{name}.py::test_one[{number}]" for name in ("one", "two") for number in range(3)]
    assert outcomes(said) == sorted(
        [
            *shared,
            "FAILED test_deadly.py::test_deadly",
            "FAILED test_deadly.py::test_failing",
            "PASSED test_deadly.py::test_after",
            "PASSED test_deadly.py::test_before",
            "SKIPPED [1] test_deadly.py:9: for a reason",
        ]
    )
    assert "The process that ran it ended by SIGKILL." in said
    keepers = [line for line in said.splitlines() if line.startswith("kept by")]
    assert len(keepers) == 6
    assert said.count("given up by") == 2
    assert "2 failed, 8 passed, 1 skipped" in said


@pytest.mark.process
def test_nothing_is_begun_after_the_failure_that_is_the_last(tmp_path: Path) -> None:
    failing = "\n".join(f"def test_{number}(): assert False" for number in range(200))
    for name in ("one", "two"):
        (tmp_path / f"test_{name}.py").write_text(failing)
    said = told(tmp_path, "-n", "2", "-x")
    assert "stopping after 1 failures" in said
    assert outcomes(said) == [next(line for line in outcomes(said) if line.startswith("FAILED"))]
