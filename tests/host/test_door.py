"""A window comes to a run of another process, holds it, leaves it; and the run cannot be told from others."""

import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.errors import HostError
from studio.host import outbox, visit
from studio.host.door import News
from studio.host.doorway import Doorway
from studio.host.protocol import (
    AnswerForm,
    Attached,
    AttachRun,
    CancelRun,
    HoldRun,
    RaiseLimit,
    ReleaseStep,
    ResumeRun,
    RunRefused,
    StepOn,
    frame,
)
from studio.host.sockets import SETTLED, connect, find_socket, make_socket, sweep
from studio.ids import RunId, StepId
from studio.trace.fold.state import RunStatus
from tests.host.elsewhere import RUN, Elsewhere, is_gone, run_elsewhere, runtime_folder, told
from tests.host.test_host import Window


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Elsewhere]:
    """A run that waits for its person."""
    with run_elsewhere(tmp_path / "project") as one:
        yield one


def refusals(window: Window) -> list[str]:
    return [one.message for one in window.said if isinstance(one, RunRefused)]


def test_a_window_hears_all_that_its_file_does_not_have_yet_and_nothing_twice(run: Elsewhere) -> None:
    window = run.window()
    attached = next(one for one in window.said if isinstance(one, Attached))
    in_file = [entry.number for entry in run.store.entries(RUN) if entry.number <= attached.published]
    run.people.answer({"answer": "a"})
    window.wait_for(lambda: window.is_over(RUN))
    live = [one for one in window.entries(RUN) if one.event.kind != "text_streamed"]
    numbers = in_file + [entry.number for entry in live]
    assert numbers == [entry.number for entry in run.store.entries(RUN)]
    assert run.join().outputs["out"].data == "a12"
    window.client.close()


def test_a_breakpoint_of_the_window_holds_a_step_and_what_is_edited_is_used(run: Elsewhere) -> None:
    window = run.window("first")
    run.people.answer({"answer": "a"})
    window.wait_for(lambda: window.held(RUN) == ["first"])
    assert run.store.load(RUN).status is RunStatus.HELD
    window.client.ask(ReleaseStep(RUN, StepId("first"), {"x": "b"}))
    window.wait_for(lambda: window.is_over(RUN))
    assert run.join().outputs["out"].data == "b12"
    window.client.close()


def test_stepping_goes_from_one_step_to_the_next(run: Elsewhere) -> None:
    window = run.window("first")
    run.people.answer({"answer": "a"})
    window.wait_for(lambda: window.held(RUN) == ["first"])
    window.client.ask(StepOn(RUN))
    window.wait_for(lambda: window.held(RUN) == ["second"])
    window.client.ask(ResumeRun(RUN))
    window.wait_for(lambda: window.is_over(RUN))
    assert run.attended == [True, False]
    window.client.close()


def test_when_the_window_leaves_what_it_held_goes_on_and_nothing_is_held_any_more(run: Elsewhere) -> None:
    window = run.window("first", "second")
    run.people.answer({"answer": "a"})
    window.wait_for(lambda: window.held(RUN) == ["first"])
    window.client.close()
    assert run.join().status is RunStatus.FINISHED
    assert [entry.step for entry in run.entries if entry.event.kind == "step_held"] == ["first"]
    assert run.news == [News.CAME, News.LEFT]


def test_a_window_that_left_can_come_again(run: Elsewhere) -> None:
    run.window("first").client.close()
    again: list[Window] = []
    while not again:  # until the run has noticed that the first one is gone
        window = run.window(attach=False)
        window.client.ask(AttachRun(RUN))
        window.wait_for(lambda window=window: len(window.said) > 0)
        again = [window] if not refusals(window) else []
    run.people.answer({"answer": "a"})
    again[0].wait_for(lambda: again[0].is_over(RUN))
    again[0].client.close()
    assert run.join().outputs["out"].data == "a12"


def test_a_second_window_is_told_that_another_one_holds_the_run(run: Elsewhere) -> None:
    first, second = run.window("first"), run.window(attach=False)
    told(second, AttachRun(RUN), HoldRun(RUN))
    second.wait_for(lambda: len(refusals(second)) == 2)
    assert refusals(second)[0] == "Another window controls this run."
    run.people.answer({"answer": "a"})
    first.wait_for(lambda: first.held(RUN) == ["first"])
    second.client.close()
    first.client.ask(ReleaseStep(RUN, StepId("first")))
    first.wait_for(lambda: first.is_over(RUN))
    first.client.close()


def test_whoever_answers_first_has_answered(run: Elsewhere) -> None:
    window = run.window()
    window.client.ask(AnswerForm(RUN, StepId("ask#form.1"), {"answer": "nobody asked"}))
    window.wait_for(lambda: bool(run.state.waiting))
    waiting = next(iter(run.state.waiting))
    window.client.ask(AnswerForm(RUN, waiting, {"answer": "w"}))
    window.wait_for(lambda: window.is_over(RUN))
    assert run.join().outputs["out"].data == "w12"
    assert run.news == [News.CAME, News.ANSWERED]
    window.client.close()


def test_a_question_that_nobody_here_can_answer_waits_for_the_window_as_long_as_it_stays(
    run: Elsewhere,
) -> None:
    window = run.window()
    run.people.answer(None)
    window.client.ask(HoldRun(RUN))
    window.wait_for(lambda: any(one.event.kind == "run_held" for one in window.entries(RUN)))
    assert not run.state.status.is_final
    window.client.close()
    state = run.join()
    assert state.error is not None
    assert state.error.exit_code == 4


def test_a_limit_holds_the_run_for_a_window_and_ends_it_when_that_leaves(tmp_path: Path) -> None:
    run = Elsewhere(tmp_path / "project", runtime_folder(), limits={"steps": 1})
    run.start()
    window = run.window()
    run.people.answer({"answer": "a"})
    window.wait_for(lambda: bool(window.state(RUN).reached))
    window.client.ask(RaiseLimit(RUN, "steps", 2))
    window.wait_for(lambda: "first" in window.state(RUN).steps and bool(window.state(RUN).reached))
    window.client.close()
    state = run.join()
    assert state.error is not None
    assert state.error.exit_code == 3


def test_a_run_can_be_stopped_by_somebody_who_does_not_follow_it(run: Elsewhere) -> None:
    window, other = run.window("first"), run.window(attach=False)
    other.client.ask(CancelRun(RUN))
    other.wait_for(lambda: other.is_over(RUN))
    window.wait_for(lambda: window.is_over(RUN))
    assert run.join().status is RunStatus.CANCELLED
    assert run.was_stopped
    for one in (window, other):
        one.client.close()


def test_what_is_not_about_this_run_or_is_no_request_is_refused_and_nothing_happens(run: Elsewhere) -> None:
    window = run.window()
    window.client.ask(CancelRun(RunId("another")))
    window.client.ask(ReleaseStep(RUN, StepId("first"), {"x": "b"}))
    window.wait_for(lambda: len(refusals(window)) == 2)
    assert "no longer paused" in refusals(window)[1]
    run.people.answer({"answer": "a"})
    assert run.join().outputs["out"].data == "a12"
    window.client.close()


def test_garbage_at_the_socket_ends_only_the_connection(run: Elsewhere) -> None:
    path = find_socket(run.file, run.environ)
    assert path is not None
    for garbage in (b"\xff" * 64, b"GET / HTTP/1.1\r\n\r\n", frame(HoldRun(RUN))[:7]):
        connection = connect(path)
        connection.sendall(garbage)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(1 << 16):
            pass
        connection.close()
    run.people.answer({"answer": "a"})
    assert run.join().outputs["out"].data == "a12"


def test_a_window_that_does_not_read_is_let_go_and_the_run_goes_on(
    run: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = run.window("first")
    monkeypatch.setattr(outbox, "MOST_WAITING", 0)
    run.people.answer({"answer": "a"})
    window.wait_for(is_gone(window))
    assert run.join().status is RunStatus.FINISHED
    window.client.close()


def test_a_frozen_window_keeps_the_end_of_a_run_only_for_its_last_words(
    run: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visit, "LAST_WORDS", 0.0)
    window = run.window()
    run.people.answer({"answer": "a"})
    assert run.join().status is RunStatus.FINISHED
    window.wait_for(lambda: window.is_over(RUN) or is_gone(window)())
    window.client.close()


def test_the_socket_is_its_users_alone_and_gone_with_the_run(run: Elsewhere) -> None:
    path = find_socket(run.file, run.environ)
    assert path is not None
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0
    run.people.answer({"answer": "a"})
    run.join()
    assert not path.exists()
    assert find_socket(run.file, run.environ) is None


def test_a_folder_that_others_may_enter_has_no_sockets_and_the_run_goes_on_without(tmp_path: Path) -> None:
    environ = runtime_folder()
    open_to_all = Path(environ["XDG_RUNTIME_DIR"]) / "stepwire"
    open_to_all.mkdir()
    open_to_all.chmod(0o755)
    elsewhere = Elsewhere(tmp_path / "project", {**environ, "TMPDIR": str(tmp_path)})
    elsewhere.start()
    assert list(open_to_all.iterdir()) == []
    elsewhere.people.answer({"answer": "a"})
    assert elsewhere.join().outputs["out"].data == "a12"


def test_a_too_deep_folder_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path / "/".join(["deep" * 12] * 3)
    deep.mkdir(parents=True)
    monkeypatch.setattr("tempfile.tempdir", runtime_folder()["XDG_RUNTIME_DIR"])
    environ = {"XDG_RUNTIME_DIR": str(deep)}
    listening, path = make_socket(tmp_path / "run.db", environ)
    with listening:
        assert deep not in path.parents
        assert find_socket(tmp_path / "run.db", environ) == path


@pytest.mark.process
def test_what_a_killed_process_left_is_swept_away_and_what_answers_stays(tmp_path: Path) -> None:
    left, kept = tmp_path / "left.sock", tmp_path / "kept.sock"
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(kept))
    listening.listen()
    code = f"import socket, os; s = socket.socket(socket.AF_UNIX); s.bind({str(left)!r}); s.listen(); "
    kill = f"os.kill(os.getpid(), {signal.SIGKILL:d})"
    subprocess.run([sys.executable, "-c", code + kill], check=False)  # noqa: S603  # our own interpreter
    sweep(tmp_path)
    assert left.exists()  # it might be one that is just being made
    old = left.stat().st_mtime - 2 * SETTLED
    for path in (left, kept):
        os.utime(path, (old, old))
    sweep(tmp_path)
    assert (left.exists(), kept.exists()) == (False, True)
    with pytest.raises(HostError, match="does not answer"):
        connect(left)
    listening.close()


async def test_a_run_goes_on_without_a_door_where_nothing_more_can_be_opened(tmp_path: Path) -> None:
    environ, run_file = runtime_folder(), tmp_path / "run.db"
    async with Doorway(run_file, environ, _nobody):
        assert find_socket(run_file, environ) is not None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with (tmp_path / "last").open("w") as last:
        lowest = last.fileno()
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, hard))
    try:
        async with Doorway(run_file, environ, _nobody):
            door = find_socket(run_file, environ)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert door is None


async def _nobody(_reader: object, _writer: object) -> None:
    raise AssertionError
