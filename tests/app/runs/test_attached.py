"""A window follows a run of another process: live, held and edited from here, left, and when that is gone."""

import itertools
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from studio.app.runs.attached_run import AttachedRun
from studio.app.runs.followed_runs import RunsElsewhere
from studio.app.runs.live_run import LiveRun
from studio.errors import StepwireError
from studio.host.protocol import AnswerForm, HoldRun, ReleaseStep, ResumeRun, RunTo, SetBreakpoints
from studio.host.sockets import find_socket
from studio.ids import RunId, StepId
from studio.runtime.gates.breakpoints import Breakpoint
from studio.store.reader import RunStore
from studio.terminal.runs import spoken_in
from studio.trace.events import ChatRequested, Entry, StepFailed, TextStreamed
from studio.trace.fold.state import RunStatus, fold
from tests.app.pumping import pump_until
from tests.app.written_projects import write_project
from tests.documents import document
from tests.host.elsewhere import RUN, Elsewhere, run_elsewhere, runtime_folder


class Following:
    """A window that follows the run, and what it was told went wrong."""

    def __init__(self, run: Elsewhere, *places: str) -> None:
        self.told: list[StepwireError] = []
        ticks = itertools.count()
        breakpoints = tuple(Breakpoint(place) for place in places)
        self.attached = AttachedRun(
            run.store, RUN, breakpoints, run.environ, self.told.append, lambda: float(next(ticks))
        )
        self.live: LiveRun = self.attached.live

    def until(self, condition: Callable[[], bool]) -> None:
        pump_until(self.attached.pump, condition)

    @property
    def held(self) -> list[str]:
        return list(self.live.state.held_steps)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Elsewhere]:
    """A run that waits for its person."""
    with run_elsewhere(tmp_path / "project") as one:
        yield one


def test_a_run_is_followed_from_its_file_on_to_its_end_without_a_gap(run: Elsewhere) -> None:
    pump_until(lambda: None, lambda: bool(run.state.waiting))
    window = Following(run)
    window.until(lambda: bool(window.live.state.waiting) and window.attached.can_hold)
    window.until(lambda: window.live.state.steps[StepId("ask")].text == "so far")
    assert not window.live.is_over
    run.people.answer({"answer": "a"})
    window.until(lambda: window.attached.is_over)
    stored = run.join()
    assert window.live.status is RunStatus.FINISHED
    assert window.live.state.outputs == stored.outputs
    assert window.live.state.entries_count == stored.entries_count + 1
    assert window.told == []


def test_breakpoints_hold_it_and_edits_are_taken(run: Elsewhere) -> None:
    window = Following(run, "first")
    window.until(lambda: window.attached.can_hold)
    run.people.answer({"answer": "a"})
    window.until(lambda: window.held == ["first"])
    window.live.ask(SetBreakpoints(window.live.run, (Breakpoint("second"),)))
    window.live.ask(ReleaseStep(window.live.run, StepId("first"), {"x": "b"}))
    window.until(lambda: window.held == ["second"])
    window.live.ask(ResumeRun(window.live.run))
    window.until(lambda: window.attached.is_over)
    assert window.live.state.outputs["out"].data == "b12"
    assert window.live.hits == {"second": 1}


def test_let_go_by_itself_it_is_held_by_nothing_and_followed_all_the_same(run: Elsewhere) -> None:
    window = Following(run, "first", "second")
    window.until(lambda: window.attached.can_hold)
    run.people.answer({"answer": "a"})
    window.until(lambda: window.held == ["first"])
    window.live.ask(SetBreakpoints(window.live.run, ()))
    window.live.ask(RunTo(window.live.run, ""))
    window.until(lambda: window.attached.is_over)
    assert window.live.status is RunStatus.FINISHED
    assert [step for step, one in window.live.state.steps.items() if one.held] == ["first"]


def test_a_question_is_answered_here(run: Elsewhere) -> None:
    window = Following(run)
    window.until(lambda: bool(window.live.state.waiting))
    window.live.ask(AnswerForm(window.live.run, next(iter(window.live.state.waiting)), {"answer": "w"}))
    window.until(lambda: window.attached.is_over)
    assert window.live.state.outputs["out"].data == "w12"


def test_it_is_stopped_from_here(run: Elsewhere) -> None:
    window = Following(run)
    window.until(lambda: window.attached.can_hold)
    window.live.cancel()
    window.until(lambda: window.attached.is_over)
    assert window.live.status is RunStatus.CANCELLED
    assert run.was_stopped


def test_when_it_is_left_it_goes_on_and_nothing_stays_held(run: Elsewhere) -> None:
    window = Following(run, "first")
    window.until(lambda: window.attached.can_hold)
    run.people.answer({"answer": "a"})
    window.until(lambda: window.held == ["first"])
    window.attached.close()
    assert run.join().status is RunStatus.FINISHED


def test_a_run_that_another_window_holds_is_shown_as_it_goes_on(run: Elsewhere) -> None:
    first, second = Following(run), None
    first.until(lambda: first.attached.can_hold)
    second = Following(run, "first")
    second.until(lambda: bool(second.live.state.waiting and second.told))
    assert str(second.told[0]).startswith("Another window controls this run.")
    second.live.ask(HoldRun(second.live.run))
    assert "cannot control" in second.told[-1].message
    run.people.answer({"answer": "a"})
    second.until(lambda: second.attached.is_over)
    assert second.live.status is RunStatus.FINISHED
    assert second.live.state.outputs == run.join().outputs
    first.attached.close()


def test_a_run_without_a_socket_is_followed_in_its_file(run: Elsewhere) -> None:
    path = find_socket(run.materials.store, run.environ)
    assert path is not None
    path.unlink()
    window = Following(run, "first")
    window.until(lambda: bool(window.live.state.waiting))
    run.people.answer({"answer": "a"})
    window.until(lambda: window.attached.is_over)
    assert window.live.state.outputs["out"].data == "a12"
    assert window.told == []


def test_a_process_that_does_not_answer_is_shown_as_far_as_its_file_goes(run: Elsewhere) -> None:
    path = find_socket(run.materials.store, run.environ)
    assert path is not None
    path.unlink()
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(path))
        silent.listen()
        window = Following(run, "first")
        window.until(lambda: bool(window.live.state.waiting))
        run.people.answer({"answer": "a"})
        run.join()
        window.until(lambda: window.live.status is RunStatus.FINISHED)
    window.until(lambda: window.attached.is_over)


def test_runs_elsewhere_are_followed_once_and_left(run: Elsewhere) -> None:
    ended: list[LiveRun] = []
    runs = RunsElsewhere(run.environ, lambda _: None, ended.append)
    live = runs.follow(run.store, RUN, ())
    assert runs.follow(run.store, RUN, ()) is live
    pump_until(runs.pump, lambda: runs.can_hold(RUN))
    assert runs.running == [live]
    runs.leave(RUN)
    assert (live.is_over, runs.running, ended) == (True, [], [])
    assert not live.status.is_final
    run.people.answer({"answer": "a"})
    run.join()
    runs.close()


START = 60.0
"""Seconds that a process may take to come so far, on a busy machine."""


def test_what_a_chat_has_said_so_far_is_told_and_nothing_of_those_that_are_over() -> None:
    said = [ChatRequested({}, "scripted"), TextStreamed("so "), TextStreamed("far")]
    names = [StepId("writer#chat.1"), StepId("critic#chat.1")]
    entries = [
        Entry(RUN, number, name, StepId("writer"), 0.0, event)
        for number, (name, event) in enumerate(itertools.product(names, said), start=1)
    ]
    entries.append(Entry(RUN, 7, names[1], StepId("writer"), 1.0, StepFailed("ChatError", "No.")))
    assert spoken_in(fold(entries)) == [(names[0], "writer", "so far")]


SLOW = document(
    "Slow",
    {"writer": {"kind": "llm.chat", "inputs": {"prompt": "Say something."}}, "answer": "io.flow_output"},
    "writer.reply -> answer.value",
)


@pytest.mark.process
def test_a_run_whose_process_is_killed_reads_as_interrupted(tmp_path: Path) -> None:
    script = "rules:\n  - name: slow\n    reply: never\n    delay: 60\n"
    project = write_project(tmp_path / "trial", flow=SLOW, script=script)
    environ = {**os.environ, **runtime_folder()}
    process = subprocess.Popen(  # noqa: S603  # our own interpreter
        [sys.executable, "-m", "studio", "run", str(project)], env=environ, stderr=subprocess.DEVNULL
    )
    store, told, ended = RunStore(project / ".stepwire"), list[StepwireError](), list[LiveRun]()
    runs = RunsElsewhere(environ, told.append, ended.append)
    try:
        pump_until(lambda: None, lambda: any("chat" in str(step) for step in steps_of(store)), START)
        live = runs.follow(store, store.find("latest"), (Breakpoint("answer"),))
        pump_until(runs.pump, lambda: runs.can_hold(live.run))
        assert live.status is RunStatus.RUNNING
        process.kill()
        process.wait()
        pump_until(runs.pump, lambda: ended == [live])
        assert live.status is RunStatus.INTERRUPTED
        assert told == []
    finally:
        process.kill()
        process.wait()
        runs.close()


def steps_of(store: RunStore) -> list[StepId]:
    return [step for one in store.runs() for step in store.load(RunId(one.run)).steps]
