"""Windows that are killed while they edit: `python -m tests.bench.kill_bench [KILLS]`; one table.

A window (without a display) edits a flow every few milliseconds, saves now and then, tells each edit and its
time, and is killed at a random moment. Then all edits that were older than 250 ms have to be there again, and
the flow and its journal have to be readable. The next window goes on from there.
"""

import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from studio import places
from studio.app.documents.journal_writer import JournalWriter
from studio.app.documents.session import Session
from studio.flow.edits import set_title
from studio.ids import NodeId
from studio.workspace.catalog import builtin_registry
from studio.workspace.files import load_flow

NODE = NodeId("critic")
PAUSE = 5
"""Milliseconds between two edits."""
SAVED_EVERY = 37
"""Edits."""
YOUNG = 0.25
"""Seconds; a younger edit may be lost."""


@dataclass(slots=True)
class Tally:
    """What was seen in all windows together."""

    edits: int = 0
    lost: int = 0
    unreadable: int = 0
    late: list[float] = field(default_factory=list[float])
    starts: list[float] = field(default_factory=list[float])


def main() -> None:
    """Kill windows, and print what was lost."""
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    dice = random.Random(7)  # noqa: S311
    tally = Tally()
    with tempfile.TemporaryDirectory(dir=".") as folder:
        project = Path(folder).resolve() / "field_notes"
        ignored = shutil.ignore_patterns(".stepwire", "out")
        shutil.copytree(places.projects() / "field_notes", project, ignore=ignored)
        for _ in range(kills):
            kill_one(project, dice.uniform(0.2, 2.0), tally)
    starts = sorted(tally.starts)
    print(f"{kills} kills, {tally.edits} edits")  # noqa: T201
    print(f"edits older than {YOUNG * 1000:.0f} ms that were lost: {tally.lost}")  # noqa: T201
    print(f"flows or journals that could not be read: {tally.unreadable}")  # noqa: T201
    print(f"age of the oldest edit that was lost, worst: {max(tally.late) * 1000:.0f} ms")  # noqa: T201
    middle, slow = statistics.median(starts), starts[round(0.95 * (len(starts) - 1))]
    print(f"start to edited again: {middle:.2f} s, 95th percentile {slow:.2f} s")  # noqa: T201


def kill_one(project: Path, after: float, tally: Tally) -> None:
    """Let one window edit for so many seconds, kill it, and look at what is left."""
    environ = {
        **os.environ,
        "QT_QPA_PLATFORM": "offscreen",
        "STEPWIRE_CONFIG": str(project.parent / "config"),
    }
    command = [sys.executable, "-m", "tests.bench.kill_bench", "--edit", str(project)]
    began = time.time()
    window = subprocess.Popen(  # noqa: S603
        command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert window.stdout is not None
    first = window.stdout.readline()
    tally.starts.append(time.time() - began)
    time.sleep(after)
    window.kill()
    killed = time.time()
    lines = [first, *window.stdout.read().splitlines(keepends=True)]
    window.wait()
    done = [(int(line.split()[0]), float(line.split()[1])) for line in lines if line.endswith("\n")]
    tally.edits += len(done)
    found = recovered(project, tally)
    missing = [killed - at for number, at in done if number > found]
    tally.lost += sum(age > YOUNG for age in missing)
    tally.late.append(max(missing, default=0.0))


def recovered(project: Path, tally: Tally) -> int:
    """The number of the last edit that a new window finds."""
    writer = JournalWriter(delay=0)
    try:
        load_flow(project / "flow.json")
        session = Session.open(project, builtin_registry())
        session.keep_journal(writer)
        tally.unreadable += session.recovered.damaged
        title = session.flow.nodes[NODE].title
        session.close()
    except Exception as error:  # noqa: BLE001  # whatever it is, it counts
        print(error)  # noqa: T201
        tally.unreadable += 1
        return 0
    finally:
        writer.close()
    return int(title) if title.isdigit() else 0


def edit(project: Path) -> None:
    """Be the window that is killed."""
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    from studio.app.compose import compose
    from studio.ui.window.chrome.appearance import Appearance
    from studio.ui.window.main_window import MainWindow

    qt = QApplication([])
    app = compose(os.environ)
    window = MainWindow(app, Appearance(qt, app.settings))
    window.show()
    window.documents.open(project)
    session = window.session
    assert session is not None

    def act() -> None:
        title = session.flow.nodes[NODE].title
        number = int(title) + 1 if title.isdigit() else 1
        session.history.do(set_title(session.flow, NODE, str(number)))
        print(number, time.time(), flush=True)  # noqa: T201
        if number % SAVED_EVERY == 0:
            session.save(over=True)

    timer = QTimer(interval=PAUSE)
    timer.timeout.connect(act)
    timer.start()
    qt.exec()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--edit"]:
        edit(Path(sys.argv[2]))
    else:
        main()
