"""What a window takes in within one frame: some of what came, in turn and in order, and in the end all."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from studio.app.compose import Application
from studio.app.runs.hosted_run import SLICE
from studio.app.runs.live_run import LiveRun
from studio.app.runs.live_runs import LiveRuns
from studio.app.runs.old_runs import READ_AT_ONCE, TOLD_TOGETHER
from studio.errors import HostError
from studio.host.client import MOST_UNREAD, HostClient
from studio.host.protocol import Entries, HostReady, RunEnded, frame
from studio.ids import RunId, StepId
from studio.supervisor import GRACE
from studio.trace.events import Entry, LogWritten, RunFinished, RunStarted
from studio.trace.fold.packed_steps import YOUNG
from tests.app.flows import SCRIPT, chain
from tests.app.written_projects import write_project

MANY = 5 * SLICE + 1


def told(run: LiveRun, count: int) -> list[bytes]:
    """A run that writes so many lines, as its host tells of it: all at once."""
    events = [RunStarted("one", "{}"), *(LogWritten(str(line)) for line in range(count - 2)), RunFinished()]
    none = StepId("")
    entries = [Entry(run.run, number, none, none, 1.0 + number, one) for number, one in enumerate(events, 1)]
    return [frame(HostReady(1)), frame(Entries(run.run, tuple(entries))), frame(RunEnded(run.run))]


@contextmanager
def hosts(application: Application, tmp_path: Path, count: int) -> Iterator[tuple[LiveRuns, list[LiveRun]]]:
    """Runs in hosts that have told of all that happens in them, which is read and waits."""
    session = application.open(write_project(tmp_path / "trial", flow=chain(), script=SCRIPT))
    pairs = [socket.socketpair() for _ in range(count)]
    clients = [HostClient(None, ours) for ours, _ in pairs]
    waiting = list(clients)

    def take() -> HostClient:
        if not waiting:
            raise HostError("There is no other host.")
        return waiting.pop(0)

    runs = LiveRuns(take)
    begun = [runs.start(session, {"question": "Why?"}) for _ in pairs]
    for run, (_, theirs), client in zip(begun, pairs, clients, strict=True):
        theirs.sendall(b"".join(told(run, MANY)))
        theirs.close()
        client._reader.join(10)
    yield runs, begun
    runs.close()


def test_a_frame_takes_in_some_of_what_came_and_the_next_ones_the_rest_in_order(
    application: Application, tmp_path: Path
) -> None:
    with hosts(application, tmp_path, 1) as (runs, (run,)):
        seen: list[int] = []
        run.on_entries(lambda entries: seen.extend(one.number for one in entries))
        runs.pump(seconds=0)
        assert seen == list(range(1, SLICE + 1))
        frames = 1
        while not run.is_over:
            runs.pump(seconds=0)
            frames += 1
        assert seen == list(range(1, MANY + 1))
        assert frames == 7, "one for each slice, and one for the end"
        assert len(run.state.log) == MANY - 2


def test_two_runs_that_tell_much_at_once_are_taken_in_by_turns(
    application: Application, tmp_path: Path
) -> None:
    with hosts(application, tmp_path, 2) as (runs, (first, second)):
        runs.pump(seconds=0)
        runs.pump(seconds=0)
        assert first.state.entries_count == second.state.entries_count == 2 * SLICE


def test_without_a_limit_all_is_taken_in_at_once(application: Application, tmp_path: Path) -> None:
    with hosts(application, tmp_path, 1) as (runs, (run,)):
        runs.pump()
        assert run.is_over


def test_a_busy_window_ends_no_host_whose_answer_it_has_yet_to_take_in(
    application: Application, tmp_path: Path
) -> None:
    with hosts(application, tmp_path, 1) as (runs, (run,)):
        (host,) = runs._hosts
        runs.pump(seconds=0)
        run.cancel()
        runs.pump(seconds=0)
        host.end_if_deaf(time.monotonic() + GRACE + 1)
        assert not host.is_killed, "that the run is over was said, and waits"
        runs.pump()
        assert run.is_over


def test_a_host_that_says_nothing_after_its_run_was_told_to_stop_is_ended(
    application: Application, tmp_path: Path
) -> None:
    session = application.open(write_project(tmp_path / "trial", flow=chain(), script=SCRIPT))
    ours, theirs = socket.socketpair()
    runs = LiveRuns(lambda: HostClient(None, ours))
    runs.start(session, {"question": "Why?"}).cancel()
    (host,) = runs._hosts
    host.end_if_deaf(time.monotonic())
    assert not host.is_killed
    host.end_if_deaf(time.monotonic() + GRACE + 1)
    assert host.is_killed
    theirs.close()
    runs.close()


def test_steps_of_an_old_run_are_not_packed_before_panels_were_told_of_them() -> None:
    most = (TOLD_TOGETHER + READ_AT_ONCE) / 3  # a step that did nothing but work has three entries
    assert most < YOUNG, "each panel would unpack them anew"


@pytest.mark.timeout(30)
def test_what_nobody_takes_in_waits_at_the_host() -> None:
    ours, theirs = socket.socketpair()
    client = HostClient(None, ours)
    count, seen = 3 * MOST_UNREAD, 0
    theirs.sendall(frame(Entries(RunId("one"), ())) * count)
    while seen < count:
        came = client.drain()
        assert len(came) <= MOST_UNREAD + 1
        seen += len(came)
    client.close()
    theirs.close()
