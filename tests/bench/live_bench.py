"""The real window while a run goes on at full speed: `python -m tests.bench.live_bench [ITEMS] [--screen]`.

The window with all its panels, a run host in a process of its own, and a for-each over so many items, 60 at
once, 9 ms each: 20,000 entries a second, were the host able to. Then what it costs to open such a run again.
`--fed RATE` has a process that plays the recorded entries back at that rate in the place of the host, so that
the window alone sets the pace. Without `--screen` no display is needed.
"""

import argparse
import ctypes
import gc
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles

if "--screen" not in sys.argv:
    os.environ["QT_QPA_PLATFORM"] = "offscreen"

from PySide6.QtCore import QEvent, QEventLoop, QObject, QTimer
from PySide6.QtWidgets import QApplication

from studio.app.compose import Application
from studio.flow.files.codec import dumps
from studio.flow.records import Flow
from studio.host.client import HostClient
from studio.host.protocol import LENGTH, Entries, HostReady, RunEnded, StartRun, frame, read_asked
from studio.ids import RunId
from studio.store.reader import RunStore
from studio.trace.fold.state import fold
from studio.ui.window.chrome.appearance import Appearance
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow
from studio.workspace.catalog import builtin_registry
from tests.app.written_projects import write_project
from tests.runtime.bench import flow_of

AT_ONCE, SECONDS = 60, 0.009
PAGES = 4096
MODULE = "tests.bench.live_bench"
FRAME = 1 / 60
Spawn = Callable[[], HostClient]
LONG = 300.0
"""Seconds after which something is wrong."""


def main() -> None:
    """Print the table."""
    asked = _arguments()
    if asked.feed:
        feed(asked.fd, *asked.feed.split(","))
        return
    if asked.memory:
        tell_memory(Path(asked.memory))
        return
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        project = write_project(root / "live", flow=json.loads(dumps(flow(asked.items))))
        qt = QApplication(sys.argv[:1])
        measure(qt, root, project, HostClient.spawn)
        run = RunStore(project / ".stepwire").runs()[0].run
        if asked.fed:
            place = f"{project / '.stepwire'},{run},{asked.fed}"
            command = [sys.executable, "-m", MODULE, "--feed", place]
            measure(qt, root, project, lambda: _spawn(command))
        opened(qt, root, project)
        command = [sys.executable, "-m", MODULE, "--memory", str(project / ".stepwire")]
        subprocess.run(command, check=True)  # noqa: S603


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("items", type=int, nargs="?", default=20_000)
    parser.add_argument("--screen", action="store_true", help="on the display that there is")
    parser.add_argument("--fed", type=int, default=0, help="entries a second from what was recorded")
    parser.add_argument("--feed", default="", help=argparse.SUPPRESS)
    parser.add_argument("--memory", default="", help=argparse.SUPPRESS)
    parser.add_argument("--fd", type=int, default=0, help=argparse.SUPPRESS)
    return parser.parse_args()


def flow(items: int) -> Flow:
    """A for-each with a delay in it."""
    nodes = {
        "each": ("control.for_each", {"at_once": AT_ONCE}, {"items": list(range(items))}),
        "wait": ("control.delay", {"seconds": SECONDS}),
        "all": "control.collect",
        "said": "io.flow_output",
    }
    return flow_of(nodes, ["each.item -> wait.value", "wait.value -> all.value", "all.values -> said.value"])


class Frames(QObject):
    """Notes when each frame began and was over, and when the timeline was painted."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.began: list[float] = []
        self.took: list[float] = []
        self.painted: list[float] = []
        timer, self._pump = window.bridge.findChildren(QTimer)[0], window.bridge.pump
        timer.timeout.disconnect()
        timer.timeout.connect(self.pump)

    def pump(self) -> None:
        """One frame."""
        begin = time.perf_counter()
        self._pump()
        self.began.append(begin)
        self.took.append(time.perf_counter() - begin)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802  # Qt's name
        """Note a painting of the timeline."""
        if event.type() == QEvent.Type.Paint:
            self.painted.append(time.perf_counter())
        return super().eventFilter(watched, event)


def measure(qt: QApplication, root: Path, project: Path, spawn: Spawn) -> None:
    """Run the flow in a window, as a person does, and tell what was seen."""
    hosts: list[HostClient] = []

    def begin_host() -> HostClient:
        hosts.append(spawn())
        return hosts[-1]

    with _Window(qt, root, project, begin_host) as (window, front):
        frames = Frames(window)
        front.work.timeline.view.viewport().installEventFilter(frames)
        client = hosts[0]
        until(qt, lambda: client.is_ready)
        before = process_seconds(client.pid)
        menus = window.menus.action("run.run")
        menus.trigger()
        until(qt, lambda: (state := front.view.state) is not None and state.entries_count > 0)
        for notes in (frames.began, frames.took, frames.painted):
            notes.clear()
        begin, busy = time.perf_counter(), time.process_time()
        live = front.work.shown.run
        assert live is not None
        arrived: list[float] = []
        live.on_entries(lambda _: arrived.append(time.perf_counter()))
        until(qt, lambda: live.is_over)
        busy, seconds = time.process_time() - busy, arrived[-1] - begin
        count, steps = live.state.entries_count, len(live.state.steps)
        host = process_seconds(client.pid) - before
        gaps = sorted(b - a for a, b in zip(frames.began, frames.began[1:], strict=False))
        took = sorted(frames.took)
        say("entries, steps, status", f"{count:,}, {steps:,}, {live.status}")
        say("entries a second, delivered and folded", f"{count / seconds:,.0f}")
        say(
            "frames a second; timeline painted",
            f"{len(gaps) / sum(gaps):.1f}; {len(frames.painted) / seconds:.1f}",
        )
        cuts = quantiles(gaps, n=100)
        say("gap between frames, ms: median / 99 % / worst", _ms(median(gaps), cuts[98], gaps[-1]))
        say(
            "work of a frame, ms: median / 99 % / worst",
            _ms(median(took), quantiles(took, n=100)[98], took[-1]),
        )
        say("CPU an entry, µs: window / host", f"{busy / count * 1e6:.0f} / {host / count * 1e6:.0f}")


def opened(qt: QApplication, root: Path, project: Path) -> None:
    """Open the run in a new window, and tell what it costs until it is shown whole."""
    with _Window(qt, root, project, HostClient.spawn) as (window, front):
        until(qt, lambda: bool(window.runs.list.rows))
        run = RunStore(project / ".stepwire").runs()[-1].run
        gc.collect()
        trim()
        resident, busy = memory(), time.process_time()
        front.controls.show_old(run)
        until(qt, lambda: (state := front.view.state) is not None and state.status.is_final)
        qt.processEvents()
        busy = time.process_time() - busy
        gc.collect()
        trim()
        count = front.view.state.entries_count if front.view.state is not None else 1
        say("opened again: CPU s per 100,000 entries", f"{busy / count * 1e5:.2f}")
        say("memory of the window for it, MB per 100,000", f"{(memory() - resident) / count * 1e5 / 1e6:.1f}")


def tell_memory(root: Path) -> None:
    """Tell what the fold alone keeps of a run."""
    store = RunStore(root)
    run = store.runs()[-1].run
    fold(entry for number, entry in enumerate(store.entries(run)) if number < 100)
    gc.collect()
    trim()
    before, busy = memory(), time.process_time()
    state = fold(store.entries(run))
    busy = time.process_time() - busy
    gc.collect()
    trim()
    per = 1e5 / state.entries_count
    say("the fold alone: CPU s, MB per 100,000", f"{busy * per:.2f}, {(memory() - before) * per / 1e6:.1f}")


class _Window:
    """A window with a flow open, and the timeline and the debugger in front."""

    def __init__(self, qt: QApplication, root: Path, project: Path, spawn: Spawn) -> None:
        self._qt, self._root, self._project, self._spawn = qt, root, project, spawn

    def __enter__(self) -> tuple[MainWindow, OpenFlow]:
        environ = {**os.environ, "STEPWIRE_CONFIG": str(self._root / "config")}
        config = self._root / "config"
        self._app = Application(config, environ, builtin_registry(), self._spawn)
        self._app.settings.theme = "dark"
        self._window = MainWindow(self._app, Appearance(self._qt, self._app.settings, self._root))
        self._window.resize(1600, 1000)
        self._window.show()
        self._window.documents.open(self._project)
        front = self._window.front
        assert front is not None
        self._app.runs.warm()
        for _ in range(20):
            self._qt.processEvents()
        return self._window, front

    def __exit__(self, *_: object) -> None:
        self._window.leave()
        self._app.close()
        self._window.deleteLater()
        self._qt.processEvents()


def _spawn(command: list[str]) -> HostClient:
    ours, theirs = socket.socketpair()
    given = [*command, "--fd", str(theirs.fileno())]
    process = subprocess.Popen(given, pass_fds=(theirs.fileno(),))  # noqa: S603
    theirs.close()
    return HostClient(process, ours)


def feed(descriptor: int, root: str, run: str, rate: str) -> None:
    """Be a host that plays back what was recorded, so many entries a second, as far as the window reads."""
    connection = socket.socket(fileno=descriptor)
    entries = list(RunStore(Path(root)).entries(RunId(run)))
    connection.sendall(frame(HostReady(os.getpid())))
    asked = None
    while not isinstance(asked, StartRun):
        (length,) = LENGTH.unpack(connection.recv(LENGTH.size, socket.MSG_WAITALL))
        asked = read_asked(connection.recv(length, socket.MSG_WAITALL))
    each = max(int(rate) // 60, 1)
    batches: list[bytes] = []
    for first in range(0, len(entries), each):
        batch = entries[first : first + each]
        for one in batch:
            one.run = asked.run  # pyright: ignore[reportAttributeAccessIssue]  # frozen for the checker alone
        batches.append(frame(Entries(asked.run, tuple(batch))))
    begin = time.perf_counter()
    for number, batch in enumerate(batches):
        time.sleep(max(begin + number * FRAME - time.perf_counter(), 0))
        connection.sendall(batch)
    connection.sendall(frame(RunEnded(asked.run)))
    connection.recv(1)


def until(qt: QApplication, is_so: Callable[[], bool]) -> None:
    """Let the window work until something is so."""
    end = time.perf_counter() + LONG
    while not is_so():
        qt.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        assert time.perf_counter() < end, "it takes too long"


def process_seconds(pid: int | None) -> float:
    """CPU time of another process."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * PAGES


def trim() -> None:
    """Give what is free back to the system, so that it does not count."""
    ctypes.CDLL(None).malloc_trim(0)


def _ms(*seconds: float) -> str:
    return " / ".join(f"{one * 1e3:.1f}" for one in seconds)


def say(what: str, figures: str) -> None:
    """Print one line of the table."""
    print(f"{what:<52}{figures}", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
