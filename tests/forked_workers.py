"""Runs tests in several processes, forked from this one when it has collected them: `-n NUMBER`, or `auto`.

What was imported and collected, a worker has from its start. The tests of a file, and what they share, stay
together. A worker asks for the next file before it runs its last test, so that it knows what to keep for it.
"""

import os
import signal
import sys
import traceback
import warnings
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import Any, NoReturn

import pytest

MOST = 4
"""Workers at `-n auto`: in each that opens windows is a Qt of its own."""

SECONDS = {"window": 0.5, "process": 0.3, "slow": 0.3, "hypothesis": 0.2, "script": 0.1, "box": 0.1}
"""What a test with a marker takes on the average: files that take long are begun first."""

CHEAP = 0.02


def add_options(parser: pytest.Parser) -> None:
    """Know how many are asked for."""
    group = parser.getgroup("workers")
    what = "run tests in so many processes at once"
    group._addoption("-n", dest="workers", metavar="NUMBER", default="0", help=what)


def asked(config: pytest.Config) -> int:
    """How many workers are asked for: `auto` is twice as many as there are cores, as tests also wait."""
    told = config.getoption("workers")
    return min(MOST, 2 * (os.cpu_count() or 1)) if told == "auto" else int(told)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Run what was collected in workers, where more than one is asked for."""
    option = session.config.option
    if session.testsfailed or option.collectonly or option.usepdb or asked(session.config) < 2:
        return None
    Workers(session).run(asked(session.config))
    return True


def files_of(items: Sequence[pytest.Item]) -> list[list[int]]:
    """Numbers of tests by their files, the dearest file first."""
    files = [list(some) for _, some in groupby(range(len(items)), lambda number: items[number].path)]
    return sorted(files, key=lambda some: -sum(_seconds(items[number]) for number in some))


def _seconds(item: pytest.Item) -> float:
    patience = max((mark.args[0] / 10 for mark in item.iter_markers("timeout") if mark.args), default=0.0)
    return max([CHEAP, patience, *(SECONDS.get(mark.name, 0.0) for mark in item.iter_markers())])


class _Worker:
    """A process that runs tests, as the one that hands them out knows it."""

    def __init__(self, pid: int, link: Connection) -> None:
        self.pid = pid
        self.link = link
        self.given: deque[int] = deque()


class Workers:
    """Hands out the tests of a session by files, and hears what came of each."""

    def __init__(self, session: pytest.Session) -> None:
        self._session = session
        self._hook = session.config.hook
        self._files = deque(files_of(session.items))
        self._workers: dict[Connection, _Worker] = {}

    def run(self, count: int) -> None:
        """Run all tests; raises what ends a session early."""
        session = self._session
        folders = session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
        self._folders = iter(folders / f"worker-{number}" for number in range(len(session.items)))
        try:
            for _ in range(min(count, len(self._files))):
                self._begin()
            while self._workers:
                for link in wait(list(self._workers)):
                    self._hear(self._workers[link])  # type: ignore[index]
                    if session.shouldfail:
                        raise session.Failed(session.shouldfail)
                    if session.shouldstop:
                        raise session.Interrupted(session.shouldstop)
        finally:
            self._end()

    def _begin(self) -> None:
        ours, theirs = Pipe()
        folder = next(self._folders)
        sys.stdout.flush()
        sys.stderr.flush()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that threads of imported libraries are not forked along
            pid = os.fork()
        if not pid:
            for link in (ours, *self._workers):
                link.close()
            folder.mkdir()
            self._session.config._tmp_path_factory._basetemp = folder  # type: ignore[attr-defined]
            _work(self._session, theirs)
        theirs.close()
        self._workers[ours] = _Worker(pid, ours)

    def _hear(self, worker: _Worker) -> None:
        try:
            told = worker.link.recv()
        except (EOFError, ConnectionResetError):
            self._bury(worker)
            return
        if told is None:
            some = self._files.popleft() if self._files else []
            worker.given.extend(some)
            worker.link.send(some)
            return
        config = self._session.config
        for one in told:
            report = self._hook.pytest_report_from_serializable(config=config, data=one)
            self._hook.pytest_runtest_logreport(report=report)
        self._finish(self._session.items[worker.given.popleft()])

    def _finish(self, item: pytest.Item) -> None:
        self._hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)

    def _bury(self, worker: _Worker) -> None:
        """Forget a worker that has ended; a new one has what was left of its files, less what killed it."""
        worker.link.close()
        del self._workers[worker.link]
        _, status = os.waitpid(worker.pid, 0)
        if not worker.given:
            return
        item = self._session.items[worker.given.popleft()]
        report = pytest.TestReport(
            nodeid=item.nodeid,
            location=item.location,
            keywords={},
            outcome="failed",
            longrepr=f"The process that ran it ended by {_cause(os.waitstatus_to_exitcode(status))}.",
            when="call",
        )
        self._hook.pytest_runtest_logreport(report=report)
        self._finish(item)
        if worker.given:
            self._files.appendleft(list(worker.given))
        if self._files:
            self._begin()

    def _end(self) -> None:
        """Have those that are left stop after the test at which they are."""
        for worker in self._workers.values():
            worker.link.close()
        for worker in self._workers.values():
            os.waitpid(worker.pid, 0)
        self._workers.clear()


def _cause(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"


# ------------------------------------------------------------------------------------- in the worker


class _Teller:
    """Tells what came of each test to the process that hands them out."""

    def __init__(self, config: pytest.Config, link: Connection) -> None:
        self._config = config
        self._link = link
        self._reports: list[Mapping[str, Any]] = []

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        hook = self._config.hook
        self._reports.append(hook.pytest_report_to_serializable(config=self._config, report=report))

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logfinish(self) -> None:
        self._link.send(self._reports)
        self._reports = []


def _work(session: pytest.Session, link: Connection) -> NoReturn:
    """Run what is handed out until nothing is, and end without what libraries do at their end."""
    config = session.config
    plugins = config.pluginmanager
    plugins.unregister(name="terminalreporter")
    plugins.register(_Teller(config, link))
    captured = plugins.get_plugin("capturemanager")
    captured.stop_global_capturing()  # its files are those of all workers
    captured.start_global_capturing()
    captured.suspend_global_capture()
    code = 1
    try:
        with suppress(ConnectionError, EOFError, KeyboardInterrupt):  # the session has ended
            for item, following in _handed_out(session, link):
                config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        code = 0
    finally:
        if code:
            traceback.print_exc()
        with suppress(BaseException):
            session._setupstate.teardown_exact(None)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _handed_out(
    session: pytest.Session, link: Connection
) -> Iterator[tuple[pytest.Item, pytest.Item | None]]:
    given: deque[int] = deque()

    def ask() -> None:
        link.send(None)
        given.extend(link.recv())

    ask()
    while given:
        item = session.items[given.popleft()]
        if not given:
            ask()
        yield item, session.items[given[0]] if given else None
