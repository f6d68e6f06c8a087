"""A window and its run host, over a real connection; and a host that is killed in the middle of a run."""

import asyncio
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from studio.errors import HostError
from studio.flow import codec
from studio.host.client import HostClient
from studio.host.protocol import (
    CancelRun,
    Entries,
    HostLost,
    ReleaseStep,
    ResumeRun,
    RunEnded,
    RunRefused,
    Said,
    SetBreakpoints,
    StartRun,
    StepOn,
    frame,
    read_asked,
    read_said,
)
from studio.host.recorded import RunMaterials
from studio.host.server import HostServer
from studio.ids import RunId, StepId
from studio.runtime.run import RunSpec
from studio.trace.events import Entry, Shown, StepFinished
from studio.trace.state import RunState, RunStatus, fold
from tests.runtime.bench import REGISTRY, flow_of
from tests.runtime.test_scheduler import LOOP_WIRES, looping

FLOW = flow_of(looping(), LOOP_WIRES)
PATIENCE = 10.0


class Window:
    """A client, and everything that was said to it."""

    def __init__(self, client: HostClient) -> None:
        self.client = client
        self.said: list[Said] = []

    def look(self) -> None:
        self.said += self.client.drain()

    def wait_for(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            self.look()
            if condition():
                return
            threading.Event().wait(0.002)
        raise AssertionError(f"it never came to that; said: {self.said[-5:]}")

    def entries(self, run: str) -> list[Entry]:
        batches = [one for one in self.said if isinstance(one, Entries) and one.run == run]
        return [entry for batch in batches for entry in batch.entries]

    def state(self, run: str) -> RunState:
        return fold(self.entries(run))

    def is_over(self, run: str) -> bool:
        return any(isinstance(one, RunEnded) and one.run == run for one in self.said)

    def held(self, run: str) -> list[str]:
        state = self.state(run)
        return [str(step) for step, one in state.steps.items() if one.status == "held"]


@pytest.fixture
def window(tmp_path: Path) -> Iterator[Window]:
    """A window on a host that lives on a thread of this process."""

    def prepare(start: StartRun) -> RunMaterials:
        async def close() -> None:
            pass

        def no_chats(profile: str) -> object:
            raise AssertionError(profile)

        return RunMaterials(
            RunSpec(start.run, codec.loads(start.flow).flow, start.inputs),
            REGISTRY,
            no_chats,  # pyright: ignore[reportArgumentType]  # these flows ask nobody
            tmp_path,
            tmp_path / f"{start.run}.db",
            lambda event: event,
            close,
        )

    ours, theirs = socket.socketpair()
    thread = threading.Thread(target=lambda: asyncio.run(HostServer(prepare).serve(theirs)))
    thread.start()
    client = HostClient(None, ours)
    assert client.wait_until_ready(PATIENCE)
    yield Window(client)
    client.close()
    thread.join(PATIENCE)
    assert not thread.is_alive()


def start(run: str, **more: object) -> StartRun:
    return StartRun(RunId(run), "", codec.dumps(FLOW), {"word": "a"}, **more)  # pyright: ignore[reportArgumentType]


def test_a_run_in_a_host_gives_its_entries_in_order_and_then_ends(window: Window) -> None:
    window.client.ask(start("one"))
    window.wait_for(lambda: window.is_over("one"))
    assert [entry.number for entry in window.entries("one")] == list(range(1, len(window.entries("one")) + 1))
    assert window.state("one").status is RunStatus.FINISHED
    assert window.state("one").outputs["out"].data == "a+++"


def test_a_breakpoint_holds_and_an_edit_is_used(window: Window) -> None:
    window.client.ask(start("one", breakpoints=("grow",)))
    window.wait_for(lambda: window.held("one") == ["rounds.1/grow"])
    window.client.ask(SetBreakpoints(RunId("one"), ()))
    window.client.ask(ReleaseStep(RunId("one"), StepId("rounds.1/grow"), {"x": "edited"}))
    window.wait_for(lambda: window.is_over("one"))
    assert window.state("one").outputs["out"].data == "edited+"


def test_stepping_holds_at_one_step_after_the_other(window: Window) -> None:
    window.client.ask(start("one", hold_first=True))
    window.wait_for(lambda: window.held("one") == ["word"])
    window.client.ask(StepOn(RunId("one")))
    window.wait_for(lambda: window.held("one") == ["rounds"])
    window.client.ask(StepOn(RunId("one"), how="into"))
    window.wait_for(lambda: window.held("one") == ["rounds.1/grow"])
    window.client.ask(ResumeRun(RunId("one")))
    window.wait_for(lambda: window.is_over("one"))
    assert window.state("one").status is RunStatus.FINISHED


def test_a_held_run_can_be_cancelled_while_another_goes_on(window: Window) -> None:
    window.client.ask(start("held", hold_first=True))
    window.client.ask(start("free"))
    window.wait_for(lambda: window.is_over("free") and window.held("held") == ["word"])
    window.client.ask(CancelRun(RunId("held")))
    window.wait_for(lambda: window.is_over("held"))
    assert window.state("held").status is RunStatus.CANCELLED
    assert window.state("free").status is RunStatus.FINISHED


def test_an_edit_that_does_not_fit_is_refused_and_the_step_stays_held(window: Window) -> None:
    window.client.ask(start("one", breakpoints=("grow.text",)))
    window.wait_for(lambda: bool(window.held("one")))
    window.client.ask(ReleaseStep(RunId("one"), StepId("rounds.1/grow"), {"text": 7}))
    window.wait_for(lambda: any(isinstance(one, RunRefused) for one in window.said))
    assert window.held("one") == ["rounds.1/grow"]


def test_a_killed_host_leaves_the_window_standing() -> None:
    window = Window(HostClient.spawn())
    try:
        assert window.client.wait_until_ready(PATIENCE)
        assert window.client.pid is not None
        os.kill(window.client.pid, signal.SIGKILL)
        window.wait_for(lambda: any(isinstance(one, HostLost) for one in window.said))
        assert window.client.is_lost
        with pytest.raises(HostError):
            window.client.ask(CancelRun(RunId("none")))
    finally:
        window.client.close()


def test_messages_survive_the_way_through_a_frame() -> None:
    entry = Entry(
        RunId("r"), 1, StepId("a"), StepId(""), 1.5, StepFinished({"x": Shown(["é", None, 1.5], ("chat",))})
    )
    said = Entries(RunId("r"), (entry,))
    assert read_said(frame(said)[4:]) == said
    asked = start("r", breakpoints=("a", "b.c"))
    assert read_asked(frame(asked)[4:]) == asked
