"""What the engine costs, beside its peers: `python -m tests.bench.engine [--peers]`. Not a test.

Every case runs in a process of its own; rounds go through all engines in turn, so that what else the machine
does falls on each alike. Medians of what the rounds found; files are written to the current folder's disk.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench.engine.environments import PEERS, Peer

OURS = "ours"
BY_HAND = "by hand"
REPEATS = 3
PATIENCE = 120
"""Seconds after which a worker is given up."""


@dataclass(frozen=True, slots=True)
class Case:
    """One row: what is run, for whom, and how its number is shown."""

    title: str
    name: str
    size: int
    engines: tuple[str, ...]
    show: Callable[[float], str]
    repeats: int = REPEATS


def per_step(size: int) -> Callable[[float], str]:
    """Show seconds of a chain as microseconds a step."""
    return lambda seconds: f"{seconds / size * 1e6:,.{0 if seconds > size * 1e-4 else 1}f} µs"


def milliseconds(seconds: float) -> str:
    """Show seconds as milliseconds."""
    return f"{seconds * 1e3:,.0f} ms"


ALL = (OURS, "LangGraph", "pydantic-graph", "Haystack")
STORING = (OURS, "LangGraph")
COMPILED = (OURS, "LangGraph", "pydantic-graph")
REAL = (OURS, "LangGraph", "pydantic-graph")
CASES = (
    *(
        Case(f"chain of 1,000: {name}, in memory, CPU time a step", case, 1000, REAL, per_step(1000))
        for name, case in (("formula", "formula"), ("template in Jinja", "template"), ("branch", "branch"))
    ),
    Case("prepare of 1,000 formulas that ran before, CPU time", "prepare", 1000, (OURS,), milliseconds),
    *(
        Case(
            f"chain of {n:,} formulas, prepared, stored, folded, CPU time a step",
            "product",
            n,
            STORING,
            per_step(n),
        )
        for n in (10, 100, 1000)
    ),
    Case(
        "200 such runs of 20 formulas at once, CPU time",
        "product_many",
        200,
        STORING,
        lambda took: f"{200 / took:,.0f} a second",
        1,
    ),
    Case("1 → 1,000 × Delay of 10 ms → join, CPU time", "delays", 1000, (OURS, "LangGraph"), milliseconds),
    Case("the same on the clock", "delays_clock", 1000, (OURS,), milliseconds),
    Case("the same, prepared, stored, folded, on the clock", "delays_stored", 1000, (OURS,), milliseconds),
    Case("the same by hand (`gather`), CPU time", "gather_cpu", 1000, (BY_HAND,), milliseconds),
    *(
        Case(f"chain of {n:,}, in memory, CPU time a step", "chain", n, ALL, per_step(n))
        for n in (10, 100, 1000)
    ),
    Case("the same, first run of a flow, CPU time a step", "first", 1000, (OURS,), per_step(1000)),
    Case("planning (compiling) it, a step", "plan", 1000, COMPILED, per_step(1000)),
    *(
        Case(f"chain of {n:,}, stored, a step", "chain_stored", n, STORING, per_step(n))
        for n in (10, 100, 1000)
    ),
    Case("1 → 1,000 × 10 ms → join", "fan", 1000, ALL, milliseconds),
    Case("the same, stored", "fan_stored", 1000, STORING, milliseconds),
    Case("the same by hand (`gather`)", "gather", 1000, (BY_HAND,), milliseconds),
    Case(
        "200 stored runs of 10 steps at once",
        "many",
        200,
        STORING,
        lambda took: f"{200 / took:,.0f} a second",
    ),
    Case(
        "disk after 4,000 steps, each with one more message",
        "disk",
        4000,
        STORING,
        lambda size: f"{size / 1e6:,.1f} MB",
        1,
    ),
    Case("import, without window and provider", "import", 1, ALL, milliseconds),
)


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", action="store_true", help="install and measure the peers as well")
    parser.add_argument("--rounds", type=int, default=3, help="how often all engines take their turn")
    parser.add_argument("--only", default="", help="only the cases of these names, separated by commas")
    arguments = parser.parse_args(argv)
    peers = PEERS if arguments.peers else ()
    for peer in peers:
        peer.install()
    names = [OURS, *(peer.name for peer in peers)]
    headings = [OURS, *(f"{peer.name} {peer.version}" for peer in peers), "against them"]
    sys.stdout.write(f"| median (best to worst) | {' | '.join(headings)} |\n|---|{'---|' * len(headings)}\n")
    for case in CASES:
        if not arguments.only or case.name in arguments.only.split(","):
            sys.stdout.write(row(case, names, measure(case, peers, arguments.rounds)) + "\n")
            sys.stdout.flush()


def measure(case: Case, peers: Sequence[Peer], rounds: int) -> dict[str, list[float]]:
    """Let all engines take their turn at a case; one that gives up or takes too long is left out."""
    commands = {
        OURS: [sys.executable, "-m", "tests.bench.engine.ours"],
        **{one.name: one.command for one in peers},
    }
    commands[BY_HAND] = commands[OURS]
    found: dict[str, list[float]] = {name: [] for name in case.engines if name in commands}
    for _ in range(1 if case.repeats == 1 else rounds):
        for name, values in tuple(found.items()):
            with tempfile.TemporaryDirectory(dir=".") as folder:
                asked = [
                    *commands[name],
                    case.name,
                    str(case.size),
                    str(case.repeats),
                    str(Path(folder).resolve()),
                ]
                try:
                    told = subprocess.run(asked, capture_output=True, text=True, timeout=PATIENCE, check=True)  # noqa: S603
                except subprocess.TimeoutExpired:
                    del found[name]
                    continue
                values.extend(json.loads(told.stdout.splitlines()[-1])["found"])
    return found


def row(case: Case, names: Sequence[str], found: dict[str, list[float]]) -> str:
    """One line of the table."""
    cells = {name: _cell(case, values) for name, values in found.items()}
    middle = {name: statistics.median(values) for name, values in found.items()}
    ours = middle.get(OURS)
    ratios = [f"1/{middle[name] / ours:,.1f}" for name in names[1:] if ours and name in middle]
    shown = [
        cells.get(name, cells.get(BY_HAND, "–") if name == OURS else _lacking(case, name)) for name in names
    ]
    return f"| {case.title} | {' | '.join(shown)} | {', '.join(ratios) or '–'} |"


def _cell(case: Case, values: list[float]) -> str:
    middle, low, high = statistics.median(values), min(values), max(values)
    spread = "" if len(values) == 1 else f" ({case.show(low)} to {case.show(high)})"
    return case.show(middle) + spread


def _lacking(case: Case, name: str) -> str:
    return f"over {PATIENCE} s" if name in case.engines else "–"


if __name__ == "__main__":
    main()
