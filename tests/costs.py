"""What each test costs in seconds of CPU, those of its child processes included."""

import json
import os
import sys
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest
from _pytest.terminal import TerminalReporter

SLOWEST = 10

STARTS = {"subprocess.Popen", "os.posix_spawn", "os.fork", "os.forkpty"}

_started: list[str] = []


def _note_a_start(event: str, arguments: Sequence[object]) -> None:
    if event in STARTS:
        _started.append(" ".join(map(str, arguments[1])) if event == "subprocess.Popen" else event)  # type: ignore[arg-type]


sys.addaudithook(_note_a_start)


def _cpu() -> float:
    """Seconds of this process and of the children that it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class Costs:
    """Measures each test, its set-up and its call, without the fixtures that it shares with others."""

    def __init__(self, file: Path | None) -> None:
        self._spent = 0.0
        self._shared = 0.0
        self._depth = 0
        self._file = file
        self._told: list[tuple[float, str, list[str]]] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: "pytest.FixtureDef[Any]") -> Generator[None, object, object]:
        """Leave out what others share."""
        if fixturedef.scope == "function":
            return (yield)
        begun, self._depth = _cpu(), self._depth + 1
        try:
            return (yield)
        finally:
            self._depth -= 1
            if not self._depth:
                self._shared += _cpu() - begun

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self) -> Generator[None, object, object]:
        """Begin to count."""
        self._spent = self._shared = 0.0
        _started.clear()
        return (yield from self._counted())

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self) -> Generator[None, object, object]:
        """Count on."""
        return (yield from self._counted())

    def _counted(self) -> Generator[None, object, object]:
        begun = _cpu()
        try:
            return (yield)
        finally:
            self._spent += _cpu() - begun

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Write the cost into the report, which takes it to whoever gathers reports of several workers."""
        report = yield
        if report.when == "call":
            report.cpu = self._spent - self._shared
            report.started = list(_started)
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Gather what the tests cost."""
        if hasattr(report, "cpu"):
            self._told.append((report.cpu, report.nodeid, report.started))

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        """Print the dearest tests, and write all into the file that was asked for."""
        self._told.sort(reverse=True)
        terminalreporter.section(f"the {SLOWEST} slowest, in seconds of CPU")
        for cpu, name, _ in self._told[:SLOWEST]:
            terminalreporter.write_line(f"{cpu:7.2f}  {name[:150]}")
        if self._file is not None:
            self._file.write_text("".join(f"{json.dumps(one)}\n" for one in self._told), encoding="utf-8")
