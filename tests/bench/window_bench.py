"""What it costs to open the window: `python -m tests.bench.window_bench [TIMES] [PATH]`; one table.

Each window is a process of its own, started as `stepwire [PATH]` starts it and shown without a display unless
there is one. It is measured until it is mapped and has painted itself for the first time: the time in which
its process was busy, the time on the clock, and the modules that were imported by then. Then it is left alone
for some seconds, and its memory is read, with that of the host that waits for a first run. The one of `cold`
compiles the modules; the rest find them compiled. Beside it stands a bare PySide window.
"""

import importlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication, QWidget

ALONE = 8
"""Seconds for which a window is left alone before its memory is read."""
FIGURES = ("cpu", "wall", "modules", "rss", "pss", "host_rss", "host_pss")


def main() -> None:
    """Open windows, and print what each kind of them cost."""
    if sys.argv[1:2] == ["--bare"]:
        bare()
    elif sys.argv[1:2] == ["--window"]:
        window(Path(sys.argv[2]), sys.argv[3:])
    else:
        times = int(sys.argv[1]) if len(sys.argv) > 1 else 5
        compare(times, sys.argv[2:3])


def compare(times: int, paths: list[str]) -> None:
    """Print a row for each kind of window, the median of so many."""
    print("| window | cpu s | wall s | modules | RSS MB | PSS MB | host RSS | host PSS |")  # noqa: T201
    print("|---|---|---|---|---|---|---|---|")  # noqa: T201
    with tempfile.TemporaryDirectory() as folder:
        cold = {"PYTHONPYCACHEPREFIX": str(Path(folder) / "compiled")}
        ours = ["--window", str(Path(folder) / "config"), *paths]
        for name, arguments, environ, count in (
            ("bare PySide", ["--bare"], {}, times),
            ("cold", ours, cold, 1),
            ("warm", ours, cold, times),
        ):
            rows = [opened(arguments, environ) for _ in range(count)]
            middle = {one: statistics.median(row[one] for row in rows) for one in FIGURES}
            said = [
                f"{middle[one]:.2f}" if one in {"cpu", "wall"} else f"{middle[one]:.0f}" for one in FIGURES
            ]
            print(f"| {name} | {' | '.join(said)} |", flush=True)  # noqa: T201


def opened(arguments: list[str], environ: dict[str, str]) -> dict[str, float]:
    """Open one window in a process of its own, and give what it told of itself."""
    where = {} if os.environ.get("DISPLAY") else {"QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-m", "tests.bench.window_bench", *arguments]
    # Who forbids Python to keep what it compiled would measure the compiler each time.
    given = {name: one for name, one in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    began = time.time()
    told = subprocess.run(  # noqa: S603
        command, env={**given, **where, **environ}, stdout=subprocess.PIPE, check=True, text=True
    )
    row: dict[str, float] = json.loads(told.stdout.splitlines()[-1])
    row["wall"] -= began
    return row


def bare() -> None:
    """Open a window with one word, and tell what it cost."""
    from PySide6.QtWidgets import QApplication, QLabel

    qt = QApplication([])
    shown = QLabel("Stepwire")
    watch(qt, QLabel)
    shown.show()
    qt.exec()


def window(config: Path, arguments: list[str]) -> None:
    """Open the window as the command does, and tell what it cost."""
    from studio import __main__ as command

    os.environ["STEPWIRE_CONFIG"] = str(config)
    importlib.import_module("studio.ui.start")  # before Qt, as the command has it
    from PySide6.QtWidgets import QApplication, QMainWindow

    watch(QApplication([]), QMainWindow)
    command.main(arguments)


def watch(qt: "QApplication", kind: type["QWidget"]) -> None:
    """Have the application tell what its first window of a kind cost once that is painted, and end later."""
    from PySide6.QtCore import QEvent, QObject, QTimer

    row: dict[str, float] = {}

    class Watch(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802  # Qt's name
            if event.type() == QEvent.Type.Paint and isinstance(watched, kind):
                qt.removeEventFilter(self)
                QTimer.singleShot(0, painted)
            return False

    def painted() -> None:
        row.update(cpu=busy(), wall=time.time(), modules=len(sys.modules))
        QTimer.singleShot(ALONE * 1000, left)

    def left() -> None:
        row["rss"], row["pss"] = memory("self")
        hosts = [memory(one) for one in children()]
        row["host_rss"], row["host_pss"] = hosts[0] if hosts else (0.0, 0.0)
        print(json.dumps(row), flush=True)  # noqa: T201
        qt.closeAllWindows()

    watching = Watch(qt)
    qt.installEventFilter(watching)


def busy() -> float:
    """Give the seconds in which this process was busy."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def memory(process: str) -> tuple[float, float]:
    """Give what a process has in memory, in MB: all of it, and with what it shares counted by share."""
    rollup = (Path("/proc") / process / "smaps_rollup").read_text(encoding="utf-8").splitlines()
    sizes = {line.split()[0]: float(line.split()[1]) / 1024 for line in rollup[1:]}
    return sizes["Rss:"], sizes["Pss:"]


def children() -> list[str]:
    """Give the processes that this one started."""
    tasks = Path("/proc/self/task").iterdir()
    return [one for task in tasks for one in (task / "children").read_text(encoding="utf-8").split()]


if __name__ == "__main__":
    main()
