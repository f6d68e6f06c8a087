"""A window, or another terminal, and a run of `stepwire run`: what it says of them, and what they can do."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from studio.cli.cancel import cancel_run
from studio.cli.stored_runs import store_of
from studio.host.client import HostClient
from studio.host.protocol import AnswerForm, AttachRun, CancelRun, ReleaseStep
from studio.host.sockets import connect, find_socket
from studio.ids import RunId, StepId
from studio.runtime.gates.breakpoints import Breakpoint
from studio.trace.fold.state import RunStatus
from tests.app.written_projects import write_project
from tests.cli.conftest import Call
from tests.documents import document
from tests.host.elsewhere import runtime_folder
from tests.host.test_host import Window
from tests.patience import patience

ASKING = document(
    "Ask a person",
    {
        "ask": {"kind": "human.ask", "inputs": {"question": "Really?"}},
        "said": {"kind": "text.template", "settings": {"template": "{{x}}!"}},
        "answer": {"kind": "io.flow_output", "title": "Answer"},
    },
    "ask.answer -> said.x",
    "said.text -> answer.value",
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A project whose flow asks the person at a terminal, who says nothing."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", runtime_folder()["XDG_RUNTIME_DIR"])
    reading, writing = os.pipe()
    monkeypatch.setattr("studio.terminal.people.terminal", lambda: reading)
    yield write_project(tmp_path / "trial", flow=ASKING)
    os.close(reading)
    os.close(writing)


class Elsewhere:
    """Acts on the run from a thread of its own; what goes wrong there is raised at the end."""

    def __init__(self, project: Path, act: Callable[["Elsewhere"], None]) -> None:
        self.project = project
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._work, args=(act,))
        self._thread.start()

    @property
    def run(self) -> RunId:
        return store_of(self.project).find("latest")

    def window(self) -> Window:
        """Come to the run as soon as there is one."""
        end = threading.Event()
        for _ in range(int(patience() / 0.005)):
            store = store_of(self.project)
            for summary in store.runs():
                path = find_socket(store.path(summary.run), os.environ)
                if path is not None and store.load(summary.run).waiting:
                    return Window(HostClient(None, connect(path)))
            end.wait(0.005)
        raise AssertionError("no run to come to")

    def end(self) -> None:
        self._thread.join(patience())
        if self._error is not None:
            raise self._error

    def _work(self, act: Callable[["Elsewhere"], None]) -> None:
        try:
            act(self)
        except BaseException as error:  # noqa: BLE001  # it is raised where it is seen
            self._error = error
            os.kill(os.getpid(), signal.SIGINT)  # or the run would wait for its person


def waiting(there: Elsewhere) -> StepId:
    """The step that asks."""
    return next(iter(store_of(there.project).load(there.run).waiting))


def test_a_window_holds_answers_and_edits_and_the_terminal_says_so(project: Path, call: Call) -> None:
    def act(there: Elsewhere) -> None:
        window = there.window()
        window.client.ask(AttachRun(there.run, (Breakpoint("said"),)))
        window.client.ask(AnswerForm(there.run, waiting(there), {"answer": "yes"}))
        window.wait_for(lambda: window.held(there.run) == ["said"])
        window.client.ask(ReleaseStep(there.run, StepId("said"), {"x": "no"}))
        window.wait_for(lambda: window.is_over(there.run))
        window.client.close()

    there = Elsewhere(project, act)
    called = call("run", project)
    there.end()
    assert (called.code, called.out) == (0, "no!\n")
    lines = [line.strip() for line in called.err.splitlines()]
    assert "window   follows the run and can pause it" in lines
    assert "window   has answered the question" in lines
    assert "paused   said · before its work · breakpoint" in lines
    assert "resumed  said" in lines


def test_a_window_that_goes_away_lets_the_run_go_on(project: Path, call: Call) -> None:
    def act(there: Elsewhere) -> None:
        window = there.window()
        window.client.ask(AttachRun(there.run, (Breakpoint("said"),)))
        window.client.ask(AnswerForm(there.run, waiting(there), {"answer": "yes"}))
        window.wait_for(lambda: window.held(there.run) == ["said"])
        window.client.close()

    there = Elsewhere(project, act)
    called = call("run", project)
    there.end()
    assert (called.code, called.out) == (0, "yes!\n")
    assert "window   has left; what it paused continues" in called.err


def test_a_window_can_stop_the_run(project: Path, call: Call) -> None:
    def act(there: Elsewhere) -> None:
        window = there.window()
        window.client.ask(CancelRun(there.run))
        window.wait_for(lambda: window.is_over(there.run))
        window.client.close()

    there = Elsewhere(project, act)
    called = call("run", project)
    there.end()
    assert called.code == 130
    assert "was stopped from elsewhere" in called.err
    assert f"`stepwire resume {there.run}` resumes it." in called.err


def test_runs_cancel_stops_a_run_of_another_terminal(
    project: Path, call: Call, capsys: pytest.CaptureFixture[str]
) -> None:
    def act(there: Elsewhere) -> None:
        there.window().client.close()
        cancel_run(store_of(there.project), "latest", as_json=True)

    there = Elsewhere(project, act)
    called = call("run", project)
    there.end()
    assert called.code == 130
    assert '"status": "cancelled"' in called.out + capsys.readouterr().out
    assert store_of(project).summary(there.run).status is RunStatus.CANCELLED


def test_runs_cancel_says_what_it_cannot_stop(project: Path, call: Call) -> None:
    def act(there: Elsewhere) -> None:
        window = there.window()
        window.client.ask(AnswerForm(there.run, waiting(there), {"answer": "unheard"}))
        window.client.ask(CancelRun(there.run))
        window.wait_for(lambda: window.is_over(there.run))
        window.client.close()

    there = Elsewhere(project, act)
    assert call("run", project).code == 130
    there.end()
    called = call("runs", "cancel", "latest", "--project", project)
    assert called.code == 2
    assert "has already ended" in called.err
    assert call("runs", "cancel", "nothing", "--project", project).code == 2
