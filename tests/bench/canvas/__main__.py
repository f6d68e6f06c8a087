"""What our canvas costs, beside others: `python -m tests.bench.canvas [--peers] [--steps N]`. Not a test.

All draw the same graph, each in a process of its own, without a display. The peers are asked for 100 and
1,000 nodes, we for 3,000 and 10,000 as well: with their defaults, NodeGraphQt and Orange do not finish
building 3,000 in a quarter of an hour. `--unchecked` switches the peers' checks for cycles off.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from platformdirs import user_cache_path

from tests.bench.engine.environments import Peer

HERE = Path(__file__).parent
PATIENCE = 900
"""Seconds after which a worker is given up."""
OURS = "ours"
SHARED, LARGE = (100, 1000), (3000, 10_000)
ROWS = (
    "load",
    "memory",
    *(f"{look}: {what}" for look in ("whole", "100 %") for what in ("repaint", "shown again", "pan")),
    "drag of 50",
)

Figures = dict[str, float]


class CanvasPeer(Peer):
    """Another editor; its environment is apart from those of the engine's peers."""

    @property
    def home(self) -> Path:
        """The folder of its environment."""
        return user_cache_path("stepwire-bench") / f"canvas-{self.worker.removesuffix('_worker.py')}"

    @property
    def command(self) -> list[str]:
        """What starts its worker."""
        return [str(self.python), str(HERE / "peers" / self.worker)]


QT = "PySide6-Essentials==6.11.3"
PEERS = (
    CanvasPeer("NodeGraphQt", ("NodeGraphQt==0.6.44", QT, "setuptools"), "nodegraphqt_worker.py"),
    CanvasPeer("Orange", ("orange-canvas-core==0.2.9", "PyQt6==6.11.0", "setuptools"), "orange_worker.py"),
    CanvasPeer("qtpynodeeditor", ("qtpynodeeditor==0.3.3", QT), "qtpynodeeditor_worker.py"),
)


def figures_of(command: list[str], count: int, steps: int, *, unchecked: bool) -> Figures | None:
    """Run a worker; None when it was given up or failed."""
    flags = ["--unchecked"] if unchecked else []
    try:
        told = subprocess.run(  # noqa: S603 - our own workers
            [*command, str(count), str(steps), *flags],
            capture_output=True,
            text=True,
            check=True,
            timeout=PATIENCE,
            env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        )
    except subprocess.TimeoutExpired:
        return None
    except subprocess.CalledProcessError as error:
        sys.stderr.write(f"{command[-1]}: {error.stderr[-400:]}\n")
        return None
    return json.loads(told.stdout.splitlines()[-1])


def cell(found: Figures | None, row: str, ours: Figures | None) -> str:
    """A figure as it stands in the table: median and 95th percentile, and how many times ours it is."""
    if found is None:
        return "gave up"
    value, unit = found[row], " MB" if row == "memory" else ""
    text = f"{value:,.0f}" if value >= 100 else f"{value:.1f}"
    if f"{row} p95" in found:
        text += f" / {found[f'{row} p95']:,.1f}"
    is_other = ours is not None and found is not ours and ours[row] > 0
    return f"{text}{unit}" + (f" ({value / ours[row]:.0f} ×)" if ours is not None and is_other else "")


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--steps", type=int, default=25)
    parser.add_argument("--unchecked", action="store_true")
    chosen = parser.parse_args()
    peers = PEERS if chosen.peers else ()
    for peer in peers:
        peer.install()
    ours = [sys.executable, str(HERE / "ours_worker.py")]
    head = [OURS, *(f"{peer.name} {peer.version}" for peer in peers)]
    sys.stdout.write("| ms: median / 95 % | " + " | ".join(head) + " |\n" + "|---" * (len(head) + 1) + "|\n")
    for count in (*SHARED, *LARGE):
        asked = [ours, *(peer.command for peer in peers)] if count in SHARED else [ours]
        found = [figures_of(one, count, chosen.steps, unchecked=chosen.unchecked) for one in asked]
        for row in ROWS:
            cells = [cell(one, row, found[0]) for one in found]
            cells += ["–"] * (len(head) - len(cells))
            sys.stdout.write(f"| {count:,}, {row} | " + " | ".join(cells) + " |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
