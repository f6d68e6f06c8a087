"""What each test costs in seconds of CPU, those of its child processes included, and which tests may be dear.

The inner loop leaves out tests with a marker of `DEAR`; one without has to be cheap, and to start no process.
"""

import json
import os
import subprocess
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from _pytest.terminal import TerminalReporter

from tests.examples import effort
from tests.hearing import tell_before

DEAR = ("process", "window", "script", "box", "slow")
"""The markers of tests that the inner loop leaves out; pyproject.toml says what each means."""

DEAR_FOLDERS = {
    "export": "script",
    "projects": "script",
    "ui/window": "window",
}
"""Folders of which nearly every test is dear, each with the marker that all have."""

DEAR_FIXTURES = {"application": "process", "box": "box"}
"""Fixtures that make a test dear: its runs are in a host, which the first one starts for all."""

MOST = 3.0
"""Seconds of CPU that an unmarked test may take; one of random examples more where more are asked for."""

SLOWEST = 10
"""How many tests are named at the end."""

HARMLESS = frozenset({"uname"})
"""Programs that libraries call to know where they are."""

_started: list[str] = []
"""What was started since the last test began."""


def _note_program(_process: object, args: Any, *_: object, **__: object) -> None:
    if (args if isinstance(args, str) else args[0]) not in HARMLESS:
        _started.append(f"{args}"[:200])


tell_before(subprocess.Popen, "__init__", _note_program)
for _name in ("fork", "forkpty", "posix_spawn"):
    tell_before(os, _name, lambda *_, name=_name, **__: _started.append(f"os.{name}"))


def mark_dear(item: pytest.Item) -> None:
    """Give a test the markers of the folder in which it stands, and of the fixtures that it needs."""
    for fixture, marker in DEAR_FIXTURES.items():
        if fixture in getattr(item, "fixturenames", ()):
            item.add_marker(marker)
    folder = item.path.parent.relative_to(Path(__file__).parent).as_posix()
    for dear, marker in DEAR_FOLDERS.items():
        if f"{folder}/".startswith(f"{dear}/"):
            item.add_marker(marker)


def _cpu() -> float:
    """Seconds of this process and of the children that it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class Costs:
    """Measures each test, its set-up and its call, without the fixtures that it shares with others."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._spent = 0.0
        self._shared = 0.0
        self._depth = 0
        self._told: list[tuple[float, str, list[str]]] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: "pytest.FixtureDef[Any]") -> Generator[None, object, object]:
        """Leave out what others share, and what that starts."""
        if fixturedef.scope == "function":
            return (yield)
        begun, known, self._depth = _cpu(), len(_started), self._depth + 1
        try:
            return (yield)
        finally:
            self._depth -= 1
            if not self._depth:
                self._shared += _cpu() - begun
                del _started[known:]

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
            vars(report).update(cpu=self._spent - self._shared, started=list(_started))
        return report

    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        """Run a test; one that is too dear for having no marker twice, and it fails if it is again."""
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        if not any(item.get_closest_marker(name) for name in DEAR):
            most = MOST * effort() if item.get_closest_marker("hypothesis") else MOST
            if any(_complaint(report, most) for report in reports):
                reports = runtestprotocol(item, nextitem=nextitem, log=False)
            for report in reports:
                if complaint := _complaint(report, most):
                    report.outcome, report.longrepr = "failed", complaint
        for report in reports:
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

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


def _complaint(report: pytest.TestReport, most: float) -> str:
    """Say why a test that passed needs a marker; empty where it needs none."""
    if report.when != "call" or not report.passed:
        return ""
    if report.started:
        return f"It starts a process, without one of the markers {', '.join(DEAR)}: {report.started[0]}"
    if report.cpu > most:
        return f"It takes {report.cpu:.1f} s of CPU, over {most:.0f}: mend it, or mark it slow."
    return ""
