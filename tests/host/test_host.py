"""A window and its run host, over a real connection; and a host that is killed in the middle of a run."""

import asyncio
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from studio.errors import HostError
from studio.flow.files import codec
from studio.flow.records import Flow
from studio.host import outbox, talk
from studio.host.client import HostClient
from studio.host.protocol import (
    LENGTH,
    Asked,
    BreakpointsHit,
    CancelRun,
    CancelStep,
    Entries,
    Holding,
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
from studio.host.recorded_run import RunMaterials
from studio.host.server import HostServer
from studio.ids import RunId, StepId
from studio.llm.client import ChatClient
from studio.runtime.gates.breakpoints import Breakpoint
from studio.runtime.run import Outside, RunSpec
from studio.store.reader import RunStore
from studio.trace.events import Entry, StepFinished
from studio.trace.events.values import Shown
from studio.trace.fold.state import RunState, RunStatus, fold
from tests.patience import patience
from tests.runtime.bench import REGISTRY, flow_of
from tests.runtime.test_scheduler import LOOP_WIRES, looping

FLOW = flow_of(looping(), LOOP_WIRES)


class Window:
    """A client, and everything that was said to it."""

    def __init__(self, client: HostClient, attended: list[bool] | None = None) -> None:
        self.client = client
        self.attended = attended if attended is not None else []
        self.said: list[Said] = []

    def look(self) -> None:
        self.said += self.client.drain()

    def wait_for(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + patience()
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

    def hits(self, run: str) -> Mapping[str, int]:
        counts = [one.hits for one in self.said if isinstance(one, BreakpointsHit) and one.run == run]
        return counts[-1] if counts else {}

    def is_over(self, run: str) -> bool:
        return any(isinstance(one, RunEnded) and one.run == run for one in self.said)

    def held(self, run: str) -> list[str]:
        state = self.state(run)
        return [str(step) for step, one in state.steps.items() if one.status == "held"]


def materials(start: StartRun, root: Path) -> RunMaterials:
    """What a run needs whose flow asks nobody."""

    def no_chats(profile: str) -> ChatClient:
        raise AssertionError(profile)

    return RunMaterials(
        RunSpec(start.run, codec.loads(start.flow).flow, start.inputs),
        REGISTRY,
        no_chats,
        Outside(root),
        RunStore(root).new_run_path(start.run),
    )


@pytest.fixture
def window(tmp_path: Path) -> Iterator[Window]:
    """A window on a host that lives on a thread of this process."""
    attended: list[bool] = []

    def prepare(start: StartRun) -> RunMaterials:
        return replace(materials(start, tmp_path), attend=attended.append)

    ours, theirs = socket.socketpair()
    thread = threading.Thread(target=lambda: asyncio.run(HostServer(prepare).serve(theirs)))
    thread.start()
    client = HostClient(None, ours)
    assert client.wait_until_ready(patience())
    yield Window(client, attended)
    client.close()
    thread.join(patience())
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
    window.client.ask(start("one", holding=Holding((Breakpoint("grow"),))))
    window.wait_for(lambda: window.held("one") == ["rounds.1/grow"])
    window.client.ask(SetBreakpoints(RunId("one"), ()))
    window.client.ask(ReleaseStep(RunId("one"), StepId("rounds.1/grow"), {"x": "edited"}))
    window.wait_for(lambda: window.is_over("one"))
    assert window.state("one").outputs["out"].data == "edited+"


def test_stepping_holds_at_one_step_after_the_other(window: Window) -> None:
    window.client.ask(start("one", holding=Holding(first=True)))
    window.wait_for(lambda: window.held("one") == ["word"])
    window.client.ask(StepOn(RunId("one")))
    window.wait_for(lambda: window.held("one") == ["rounds"])
    window.client.ask(StepOn(RunId("one"), how="into"))
    window.wait_for(lambda: window.held("one") == ["rounds.1/grow"])
    window.client.ask(ResumeRun(RunId("one")))
    window.wait_for(lambda: window.is_over("one"))
    assert window.state("one").status is RunStatus.FINISHED


def test_a_run_that_somebody_goes_through_is_known_as_such_until_it_goes_on(window: Window) -> None:
    window.client.ask(start("one", holding=Holding(first=True)))
    window.wait_for(lambda: window.held("one") != [])
    window.client.ask(StepOn(RunId("one")))
    window.wait_for(lambda: window.attended == [True])
    window.client.ask(ResumeRun(RunId("one")))
    window.wait_for(lambda: window.is_over("one"))
    assert window.attended == [True, False]


def test_a_held_run_can_be_cancelled_while_another_goes_on(window: Window) -> None:
    window.client.ask(start("held", holding=Holding(first=True)))
    window.client.ask(start("free"))
    window.wait_for(lambda: window.is_over("free") and window.held("held") == ["word"])
    window.client.ask(CancelRun(RunId("held")))
    window.wait_for(lambda: window.is_over("held"))
    assert window.state("held").status is RunStatus.CANCELLED
    assert window.state("free").status is RunStatus.FINISHED


def test_one_step_can_be_cancelled_and_what_is_over_cannot(window: Window) -> None:
    window.client.ask(start("one", holding=Holding((Breakpoint("grow"),))))
    window.wait_for(lambda: window.held("one") == ["rounds.1/grow"])
    window.client.ask(CancelStep(RunId("one"), "word"))
    window.wait_for(lambda: any(isinstance(one, RunRefused) for one in window.said))
    window.client.ask(CancelStep(RunId("one"), "rounds.1"))
    window.wait_for(lambda: window.is_over("one"))
    assert window.state("one").status is RunStatus.FAILED
    assert window.state("one").steps[StepId("rounds.1/grow")].status == "cancelled"
    assert window.entries("one")[-1].event.error == "CancelledStepError"  # type: ignore[union-attr]


def test_an_edit_that_does_not_fit_is_refused_and_the_step_stays_held(window: Window) -> None:
    window.client.ask(start("one", holding=Holding((Breakpoint("grow.text"),))))
    window.wait_for(lambda: bool(window.held("one")))
    window.client.ask(ReleaseStep(RunId("one"), StepId("rounds.1/grow"), {"text": 7}))
    window.wait_for(lambda: any(isinstance(one, RunRefused) for one in window.said))
    assert window.held("one") == ["rounds.1/grow"]


@pytest.mark.process
def test_a_killed_host_leaves_the_window_standing() -> None:
    window = Window(HostClient.spawn())
    try:
        assert window.client.wait_until_ready(patience())
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
    asked = start("r", holding=Holding((Breakpoint("a"), Breakpoint("b.c", condition="round > 2", hits=3))))
    assert read_asked(frame(asked)[4:]) == asked


def flow_start(run: str, flow: Flow, **more: object) -> StartRun:
    return StartRun(RunId(run), "", codec.dumps(flow), **more)  # pyright: ignore[reportArgumentType]


def test_a_value_that_few_can_say_reaches_the_window(window: Window) -> None:
    flow = flow_of(
        {"big": ("value.json", {"value": [10**30]}), "out": "io.flow_output"}, ["big.value -> out.value"]
    )
    window.client.ask(flow_start("one", flow))
    window.wait_for(lambda: window.is_over("one"))
    assert window.state("one").outputs["out"].data == [10**30]


def test_what_is_asked_of_a_run_at_once_is_done(window: Window) -> None:
    window.client.ask(start("held"))
    window.client.ask(SetBreakpoints(RunId("held"), (Breakpoint("grow"),)))
    window.client.ask(start("stopped"))
    window.client.ask(CancelRun(RunId("stopped")))
    window.wait_for(lambda: window.is_over("stopped") and window.held("held") == ["rounds.1/grow"])
    assert window.state("stopped").status is RunStatus.CANCELLED
    window.client.ask(CancelRun(RunId("held")))
    window.wait_for(lambda: window.is_over("held"))


@pytest.mark.parametrize(
    "nonsense",
    [
        ReleaseStep(RunId("one"), StepId("nobody"), {"x": 1}),
        ReleaseStep(RunId("one"), StepId("rounds.1/grow"), {"nowhere": 1}),
        ReleaseStep(RunId("one"), StepId("rounds.1/grow"), {"text": "an output, before there is one"}),
        StepOn(RunId("one"), StepId("rounds.2/grow"), edited={"x": "too early"}),
        CancelRun(RunId("another")),
    ],
)
def test_what_cannot_be_done_is_refused_and_the_run_goes_on(window: Window, nonsense: Asked) -> None:
    window.client.ask(start("one", holding=Holding((Breakpoint("grow"),))))
    window.wait_for(lambda: window.held("one") == ["rounds.1/grow"])
    window.client.ask(nonsense)
    window.wait_for(lambda: any(isinstance(one, RunRefused) for one in window.said))
    assert window.held("one") == ["rounds.1/grow"]
    window.client.ask(SetBreakpoints(RunId("one"), ()))
    window.client.ask(ResumeRun(RunId("one")))
    window.wait_for(lambda: window.is_over("one"))
    assert window.state("one").outputs["out"].data == "a+++"


def test_a_flow_that_cannot_be_read_is_refused_and_the_host_goes_on(window: Window) -> None:
    window.client.ask(StartRun(RunId("one"), "", "{"))
    window.client.ask(start("two"))
    window.wait_for(lambda: window.is_over("one") and window.is_over("two"))
    assert any(isinstance(one, RunRefused) and one.run == "one" for one in window.said)
    assert window.state("two").status is RunStatus.FINISHED


def test_a_frame_that_says_nothing_is_refused(window: Window) -> None:
    window.client._connection.sendall(LENGTH.pack(2) + b"{}")
    window.wait_for(lambda: any(isinstance(one, RunRefused) for one in window.said))
    window.client.ask(start("one"))
    window.wait_for(lambda: window.is_over("one"))


def test_an_edit_has_the_type_that_the_wires_decided(window: Window) -> None:
    flow = flow_of(
        {
            "word": ("io.flow_input", {"type": "message"}),
            "way": ("control.branch", {"cases": [{"label": "Only"}]}),
            "text": ("text.template", {"template": "{{x}}"}),
            "out": "io.flow_output",
        },
        ["word.value -> way.value", "way.only -> text.x", "text.text -> out.value"],
    )
    message = {"role": "user", "content": "a"}
    window.client.ask(
        flow_start("one", flow, inputs={"word": message}, holding=Holding((Breakpoint("way"),)))
    )
    window.wait_for(lambda: window.held("one") == ["way"])
    edited = {"value": {"role": "user", "content": "edited"}}
    window.client.ask(ReleaseStep(RunId("one"), StepId("way"), edited))
    window.wait_for(lambda: window.is_over("one"))
    assert window.state("one").outputs["out"].data == "edited"


LONG = {"word": ("io.flow_input", {"type": "text"}), "rounds": ("control.loop", {"max_rounds": 10_000})}
LONG_WIRES = ["word.value -> rounds.start", "rounds.value -> same.x", "same.text -> rounds.again"]


def test_a_run_does_not_outrun_a_window_that_does_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "MOST_WAITING", 500)
    monkeypatch.setattr(talk, "MOST_IN_FRAME", 50)
    flow = flow_of(
        {**LONG, "same": ("text.template", {"template": "{{x}}"}), "out": "io.flow_output"},
        [*LONG_WIRES, "rounds.result -> out.value"],
    )
    made: list[RunMaterials] = []

    def prepare(start: StartRun) -> RunMaterials:
        made.append(materials(start, tmp_path))
        return made[0]

    ours, theirs = socket.socketpair()
    thread = threading.Thread(target=lambda: asyncio.run(HostServer(prepare).serve(theirs)))
    thread.start()
    ours.sendall(frame(flow_start("one", flow, inputs={"word": "a" * 1000})))
    store = RunStore(tmp_path)
    counts = [0, 1]
    end = time.monotonic() + patience()
    while counts[-2] != counts[-1] or not counts[-1]:
        assert time.monotonic() < end
        threading.Event().wait(0.3)
        counts.append(sum(1 for _ in store.entries(RunId("one"))) if made else 0)
    assert counts[-1] < 30_000  # of 40,000
    ours.close()
    thread.join(patience())
    assert not thread.is_alive()
    assert store.summary(RunId("one")).status is RunStatus.CANCELLED


def test_the_window_is_told_how_often_breakpoints_were_hit_which_is_not_recorded(window: Window) -> None:
    counted = Breakpoint("grow", condition="round > 1", hits=9)
    window.client.ask(start("one", holding=Holding((counted,))))
    window.wait_for(lambda: window.is_over("one"))
    assert window.hits("one") == {"grow": 2}
    assert window.state("one").status is RunStatus.FINISHED
