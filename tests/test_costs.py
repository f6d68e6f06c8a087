"""Tests that are dear have a marker, or fail."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CONFTEST = """
import pytest
from tests import costs

costs.MOST = 0.2

def pytest_configure(config):
    for name in costs.DEAR:
        config.addinivalue_line("markers", f"{name}: dear")
    config.pluginmanager.register(costs.Costs(None))
"""
TESTS = """
import subprocess, sys, time
import pytest

turns = []

def work():
    begun = time.process_time()
    while time.process_time() - begun < 0.3:
        pass

def start():
    subprocess.run([sys.executable, "-c", ""], check=True)

def test_cheap(): pass
def test_dear(): work()
@pytest.mark.slow
def test_dear_and_marked(): work()
def test_dear_once():
    turns.append(1)
    len(turns) == 1 and work()
def test_starting(): start()
@pytest.mark.process
def test_starting_and_marked(): start()
"""


@pytest.mark.process
def test_what_is_dear_twice_or_starts_a_process_fails_without_a_marker(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_some.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    told = subprocess.run(  # noqa: S603 - pytest, on a file of ours
        [
            sys.executable,
            "-m",
            "pytest",
            "-rA",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:pytest-qt",
            str(tmp_path),
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    passed = {"cheap", "dear_and_marked", "dear_once", "starting_and_marked"}
    found = {line.partition("::test_")[2] for line in told.splitlines() if line.startswith("PASSED")}
    assert found == passed, told
    assert "FAILED test_some.py::test_dear - It takes" in told
    assert "FAILED test_some.py::test_starting - It starts a process" in told
