"""The process in which runs happen: what it has ready, and that it never outlives its window."""

import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from studio.app.runs.run_host import end_after, preparation
from studio.flow.files import codec
from studio.host.client import HostClient
from studio.host.protocol import Answering, Entries, StartRun
from studio.ids import RunId
from studio.llm.rate_limits.lines import Priority
from studio.llm.rate_limits.queue import QueuedClient
from studio.store.reader import RunStore
from studio.trace.fold.state import RunStatus
from studio.workspace.catalog import builtin_registry
from studio.workspace.chats import Chats
from tests.app.flows import SLOW_SCRIPT, chain
from tests.app.written_projects import write_project
from tests.patience import patience

pytestmark = pytest.mark.process

ENVIRON: dict[str, str] = {}


def wait_for(condition: Callable[[], bool]) -> None:
    for _ in range(int(patience() / 0.01)):
        if condition():
            return
        threading.Event().wait(0.01)
    pytest.fail("it never came to that")


def test_a_host_whose_window_dies_stops_its_runs_records_that_and_ends(tmp_path: Path) -> None:
    root = write_project(tmp_path / "trial", flow=chain(), script=SLOW_SCRIPT)
    flow = codec.dumps(codec.loads((root / "flow.json").read_text("utf-8")).flow)
    client = HostClient.spawn(ENVIRON)
    assert client.wait_until_ready(patience())
    run = RunId("20261121-014455-7f3a2c1")
    client.ask(StartRun(run, str(root), flow, {"question": "Why?"}))
    wait_for(lambda: any(isinstance(one, Entries) for one in client.drain()))
    process = client._process
    assert process is not None
    client._connection.shutdown(socket.SHUT_RDWR)  # as the system does for a window that is killed
    assert process.wait(patience()) == 0
    client.close()
    assert RunStore(root / ".stepwire").summary(run).status is RunStatus.CANCELLED


def test_the_runs_of_a_host_share_the_turns_of_a_profile(tmp_path: Path) -> None:
    root = write_project(tmp_path / "trial", flow=chain(), script=SLOW_SCRIPT)
    flow = codec.dumps(codec.loads((root / "flow.json").read_text("utf-8")).flow)
    prepare = preparation(builtin_registry(), {})
    asked = [StartRun(RunId(name), str(root), flow, {"question": "Why?"}) for name in ("one", "two")]
    clients = [prepare(start).chats("") for start in asked]
    assert all(isinstance(one, QueuedClient) for one in clients)
    assert len({one.queue for one in clients if isinstance(one, QueuedClient)}) == 1


def test_a_batch_goes_after_other_runs_until_somebody_steps_through_it(tmp_path: Path) -> None:
    root = write_project(tmp_path / "trial", flow=chain(), script=SLOW_SCRIPT)
    flow = codec.dumps(codec.loads((root / "flow.json").read_text("utf-8")).flow)
    prepare = preparation(builtin_registry(), {})
    usual = prepare(StartRun(RunId("one"), str(root), flow, {"question": "?"}))
    batch = prepare(
        StartRun(RunId("two"), str(root), flow, {"question": "?"}, answering=Answering(priority="batch"))
    )
    chats = usual.chats, batch.chats
    assert [one.priority for one in chats if isinstance(one, Chats)] == [
        Priority.INTERACTIVE,
        Priority.BATCH,
    ]
    assert isinstance(batch.chats, Chats)
    batch.attend(True)
    assert batch.chats.priority is Priority.INTERACTIVE
    batch.attend(False)
    assert batch.chats.priority is Priority.BATCH


def test_a_host_that_cannot_end_by_itself_is_ended() -> None:
    ours, theirs = socket.socketpair()
    ended: list[int] = []
    thread = threading.Thread(target=end_after, args=(theirs, 0.0, ended.append))
    thread.start()
    os.write(ours.fileno(), b"still there")
    thread.join(0.05)
    assert ended == []
    ours.close()
    thread.join(patience())
    theirs.close()
    assert ended == [1]
