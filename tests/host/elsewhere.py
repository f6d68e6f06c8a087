"""A run as a terminal executes it: in a loop of its own, with a door, and people who answer when told to."""

import asyncio
import os
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from studio.errors import StepwireError
from studio.flow.files import codec
from studio.host.client import HostClient
from studio.host.door import Door, News
from studio.host.protocol import Asked, Attached, AttachRun, HostLost, StartRun
from studio.host.recorded_run import RunMaterials, run_recorded
from studio.host.sockets import connect, find_socket
from studio.ids import RunId, StepId
from studio.runtime.gates.breakpoints import Breakpoint
from studio.runtime.resources.people import NoPeople
from studio.runtime.run import Control, Outcome
from studio.sdk.context import Form
from studio.store.reader import RunStore
from studio.trace.events import Entry
from studio.trace.fold.state import RunState, fold
from tests.host.test_host import Window, materials
from tests.patience import patience
from tests.runtime.bench import flow_of

RUN = RunId("one")
FLOW = flow_of(
    {
        "ask": ("human.ask", {}, {"question": "Really?"}),
        "first": ("text.template", {"template": "{{x}}1"}),
        "second": ("text.template", {"template": "{{x}}2"}),
        "out": "io.flow_output",
    },
    ["ask.answer -> first.x", "first.text -> second.x", "second.text -> out.value"],
)
"""Asks, so that it waits until a test says so, and then makes two steps."""


class Waiting:
    """The person at the terminal: answers, or goes away, when the test says so."""

    def __init__(self) -> None:
        self.is_asked = threading.Event()
        self._answer: asyncio.Future[Mapping[str, object] | None] | None = None

    async def ask(self, step: StepId, form: Form) -> Mapping[str, object]:
        self._answer = asyncio.get_running_loop().create_future()
        self.is_asked.set()
        answer = await self._answer
        return await NoPeople(RUN).ask(step, form) if answer is None else answer

    def answer(self, answer: Mapping[str, object] | None) -> None:
        """Answer what was asked; None: nobody can be asked here."""
        assert self._answer is not None
        future = self._answer
        future.get_loop().call_soon_threadsafe(future.set_result, answer)


class Elsewhere:
    """One run with a door; `state` is what it recorded."""

    def __init__(
        self, root: Path, environ: Mapping[str, str], *, limits: Mapping[str, float] | None = None
    ) -> None:
        self.people = Waiting()
        self.attended: list[bool] = []
        self.news: list[News] = []
        self.entries: list[Entry] = []
        self.outcome: Outcome | None = None
        self.error: BaseException | None = None
        self.was_stopped = False
        self.environ = environ
        made = materials(StartRun(RUN, "", codec.dumps(FLOW), {}), root)
        spec = replace(made.spec, limits=limits or {})
        self.materials = replace(made, spec=spec, attend=self.attended.append)
        self.store = RunStore(root)
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run(self.materials)))

    def start(self) -> None:
        """Begin, and wait until it asks."""
        self._thread.start()
        assert self.people.is_asked.wait(patience())

    def join(self) -> RunState:
        """Wait for its end, and read it."""
        self._thread.join(patience())
        assert not self._thread.is_alive()
        return self.store.load(RUN)

    @property
    def file(self) -> Path:
        """Where it is recorded."""
        assert self.materials.store is not None
        return self.materials.store

    @property
    def state(self) -> RunState:
        return fold(list(self.entries))

    def window(self, *places: str, attach: bool = True) -> Window:
        """Come to the run with a window, which holds it at these places."""
        path = find_socket(self.file, self.environ)
        assert path is not None
        window = Window(HostClient(None, connect(path)))
        assert window.client.wait_until_ready(patience())
        if attach:
            window.client.ask(AttachRun(RUN, tuple(Breakpoint(place) for place in places)))
            window.wait_for(lambda: any(isinstance(one, Attached) for one in window.said))
        return window

    async def _run(self, materials: RunMaterials) -> None:
        try:
            spoken = [(StepId("ask"), StepId(""), "so far")]
            async with Door(materials, self.people, self.environ, self.news.append, lambda: spoken) as door:
                try:
                    self.outcome = await run_recorded(
                        materials,
                        lambda entries: (self.entries.extend(entries), door.publish(entries))[1],
                        door.make_gate,
                        door.people,
                        control=Control(door.stops, door.allowance),
                    )
                finally:
                    self.was_stopped = door.was_stopped
        except (StepwireError, asyncio.CancelledError) as error:
            self.error = error


def told(window: Window, *asked: Asked) -> None:
    """Ask one after the other."""
    for one in asked:
        window.client.ask(one)


@contextmanager
def run_elsewhere(folder: Path) -> Iterator["Elsewhere"]:
    """Have a run wait for its person, who answers late where no test did."""
    elsewhere = Elsewhere(folder, runtime_folder())
    elsewhere.start()
    yield elsewhere
    if not elsewhere.entries[-1].event.kind.startswith("run_"):
        elsewhere.people.answer({"answer": "late"})
    elsewhere.join()


def is_gone(window: Window) -> Callable[[], bool]:
    """Whether a window has lost the run's process."""
    return lambda: any(isinstance(one, HostLost) for one in window.said)


def runtime_folder() -> dict[str, str]:
    """An environment with a folder for sockets of its own; their paths have to be shorter than a test's."""
    folder = tempfile.mkdtemp(dir=os.environ["XDG_RUNTIME_DIR"])
    return {"XDG_RUNTIME_DIR": folder, "PATH": os.environ.get("PATH", "")}
