"""A run of a window can be stopped from a terminal, and is its window's otherwise."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.app.runs.cancellation import stop_run
from studio.errors import HostError, UsageError
from studio.host.client import HostClient
from studio.host.protocol import AttachRun, Holding, HoldRun, RunRefused, StartRun
from studio.host.recorded_run import RunMaterials
from studio.host.server import HostServer
from studio.host.sockets import connect, find_socket
from studio.ids import RunId
from studio.store.reader import RunStore
from studio.trace.fold.state import RunStatus
from tests.host.elsewhere import runtime_folder
from tests.host.test_host import Window, materials, start
from tests.patience import patience

ONE = RunId("one")


@pytest.fixture
def environ() -> dict[str, str]:
    return runtime_folder()


@pytest.fixture
def window(tmp_path: Path, environ: dict[str, str]) -> Iterator[Window]:
    """A window whose host holds the run `one` before its first step."""

    def prepare(asked: StartRun) -> RunMaterials:
        return materials(asked, tmp_path / "project")

    ours, theirs = socket.socketpair()
    server = HostServer(prepare, environ=environ)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(theirs)))
    thread.start()
    client = HostClient(None, ours)
    assert client.wait_until_ready(patience())
    made = Window(client)
    client.ask(start("one", holding=Holding(first=True)))
    made.wait_for(lambda: made.held("one") == ["word"])
    yield made
    client.close()
    thread.join(patience())
    assert not thread.is_alive()


def test_a_terminal_stops_the_run_of_a_window(
    window: Window, tmp_path: Path, environ: dict[str, str]
) -> None:
    store = RunStore(tmp_path / "project")
    assert stop_run(store, ONE, environ, patience()) is RunStatus.CANCELLED
    window.wait_for(lambda: window.is_over("one"))
    assert window.state("one").status is RunStatus.CANCELLED
    with pytest.raises(UsageError, match="has already ended"):
        stop_run(store, ONE, environ, patience())


def test_nobody_else_may_hold_it(window: Window, tmp_path: Path, environ: dict[str, str]) -> None:
    path = find_socket(RunStore(tmp_path / "project").path(ONE), environ)
    assert path is not None
    other = Window(HostClient(None, connect(path)))
    other.client.ask(AttachRun(ONE))
    other.client.ask(HoldRun(ONE))
    other.wait_for(lambda: sum(isinstance(one, RunRefused) for one in other.said) == 2)
    assert window.held("one") == ["word"]
    other.client.close()


def test_a_run_that_cannot_be_reached_is_said_so(window: Window, tmp_path: Path) -> None:
    assert window.held("one") == ["word"]
    with pytest.raises(HostError, match="cannot be reached"):
        stop_run(RunStore(tmp_path / "project"), ONE, {"XDG_RUNTIME_DIR": str(tmp_path / "nowhere")})
