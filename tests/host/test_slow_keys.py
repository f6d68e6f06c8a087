"""A run that first waits for the keyring, which asks the user: the host goes on with all else meanwhile."""

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from studio.host.client import HostClient
from studio.host.protocol import CancelRun, RunRefused, SetBreakpoints, StartRun
from studio.host.recorded_run import RunMaterials
from studio.host.server import HostServer
from studio.ids import RunId
from studio.runtime.gates.breakpoints import Breakpoint
from studio.trace.fold.state import RunStatus
from tests.host.test_host import Window, materials, start
from tests.patience import patience


@pytest.fixture
def user() -> Iterator[threading.Event]:
    """Set when the user has typed a password."""
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def window(tmp_path: Path, user: threading.Event) -> Iterator[Window]:
    """A window on a host whose runs called `slow…` wait for the user first."""

    def prepare(start: StartRun) -> RunMaterials:
        return materials(start, tmp_path)

    def first(start: StartRun) -> Callable[[], None] | None:
        def wait() -> None:
            user.wait(patience())

        return wait if start.run.startswith("slow") else None

    ours, theirs = socket.socketpair()
    thread = threading.Thread(target=lambda: asyncio.run(HostServer(prepare, first=first).serve(theirs)))
    thread.start()
    client = HostClient(None, ours)
    assert client.wait_until_ready(patience())
    yield Window(client)
    client.close()
    user.set()
    thread.join(patience())
    assert not thread.is_alive()


def test_other_runs_go_on_and_it_begins_when_the_user_has_answered(
    window: Window, user: threading.Event
) -> None:
    window.client.ask(start("slow"))
    window.client.ask(start("quick"))
    window.wait_for(lambda: window.is_over("quick"))
    assert not window.entries("slow")
    user.set()
    window.wait_for(lambda: window.is_over("slow"))
    assert window.state("slow").status is RunStatus.FINISHED


def test_what_is_asked_of_it_meanwhile_is_done_when_it_begins(window: Window, user: threading.Event) -> None:
    window.client.ask(start("slow"))
    window.client.ask(SetBreakpoints(RunId("slow"), (Breakpoint("grow"),)))
    window.client.ask(start("quick"))  # once this is over, the host has heard what was asked before
    window.wait_for(lambda: window.is_over("quick"))
    user.set()
    window.wait_for(lambda: window.held("slow") == ["rounds.1/grow"])
    window.client.ask(CancelRun(RunId("slow")))
    window.wait_for(lambda: window.is_over("slow"))


def test_it_can_be_cancelled_before_the_user_has_answered(window: Window, user: threading.Event) -> None:
    window.client.ask(start("slow"))
    window.client.ask(CancelRun(RunId("slow")))
    window.wait_for(lambda: window.is_over("slow"))
    user.set()
    window.client.ask(start("quick"))
    window.wait_for(lambda: window.is_over("quick"))
    assert not window.entries("slow")
    assert not any(isinstance(one, RunRefused) for one in window.said)
