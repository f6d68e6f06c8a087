"""How costs grow: `python -m tests.bench.growth_bench [LARGEST]`.

One tenth more nodes, rounds or items should cost at most one eighth more, so an exponent of 1.24 at most.
Each figure is a command as it is typed, a process of its own, in time of the processor; what the command
costs for the smallest flow is taken off, since it is the same for all.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from studio.flow.files.codec import dumps
from tests.runtime.bench import flow_of

ALLOWED = math.log(9 / 8) / math.log(11 / 10)
PATIENCE = 600
"""Seconds after which a command is given up."""


def chain(count: int) -> dict[str, Any]:
    """Formulas one after the other."""
    nodes: dict[str, Any] = {"start": ("io.flow_input", {"type": "number", "default": 1})}
    wires: list[str] = []
    for place in range(count):
        nodes[f"f{place}"] = ("value.formula", {"formula": "x + 1"})
        wires.append(f"{f'f{place - 1}.value' if place else 'start.value'} -> f{place}.x")
    nodes["end"] = "io.flow_output"
    return {"nodes": nodes, "wires": [*wires, f"f{count - 1}.value -> end.value"]}


def items(count: int) -> dict[str, Any]:
    """A list of numbers, each through a formula."""
    return {
        "nodes": {
            "start": ("io.flow_input", {"type": "number", "default": count}),
            "list": ("value.formula", {"formula": f"[n] * {count}"}),
            "each": ("control.for_each", {"at_once": 50}),
            "one": ("value.formula", {"formula": "x + 1"}),
            "all": "control.collect",
            "long": ("value.formula", {"formula": "len(x)"}),
            "end": "io.flow_output",
        },
        "wires": [
            "start.value -> list.n",
            "list.value -> each.items",
            "each.item -> one.x",
            "one.value -> all.value",
            "all.values -> long.x",
            "long.value -> end.value",
        ],
    }


Shape = Callable[[int], Mapping[str, Any]]
CASES: tuple[tuple[str, Shape, tuple[str, ...], tuple[int, ...]], ...] = (
    ("check, a chain of formulas", chain, ("check",), (1_000, 10_000, 100_000)),
    ("run, the same", chain, ("run", "--json"), (1_000, 10_000, 99_999)),
    ("export, the same", chain, ("export",), (300, 1_000, 3_000)),
    ("run, items of a map", items, ("run", "--json"), (1_000, 10_000, 99_999)),
)


def cost(shape: Shape, command: tuple[str, ...], count: int) -> tuple[float, float]:
    """Seconds of the processor, and the most megabytes, that a command takes for a flow of this size."""
    with tempfile.TemporaryDirectory() as name:
        file = Path(name, "flow.json")
        made = shape(count)
        file.write_text(dumps(flow_of(made["nodes"], made["wires"])), "utf-8")
        words = [sys.executable, "-m", "studio", *command, str(file)]
        words += ["-o", str(Path(name, "script.py"))] if command[0] == "export" else []
        tells = (
            "import json, resource, subprocess, sys\n"
            "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n"
            "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
            "print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))"
        )
        told = subprocess.run(  # noqa: S603 - our own command
            [sys.executable, "-c", tells, *words],
            capture_output=True,
            text=True,
            check=True,
            timeout=PATIENCE,
            env={**os.environ, "XDG_DATA_HOME": name},
        )
    seconds, megabytes = json.loads(told.stdout)
    return seconds, megabytes


def main(largest: int) -> None:
    """Print a line for each case."""
    for title, shape, command, counts in CASES:
        least, _ = cost(shape, command, 2)
        before: tuple[int, float] | None = None
        for count in (one for one in counts if one <= largest):
            try:
                seconds, megabytes = cost(shape, command, count)
            except subprocess.TimeoutExpired:
                sys.stdout.write(f"{title}, {count:,}: not within {PATIENCE} s\n")
                break
            line = f"{title}, {count:,}: {seconds - least:.2f} s, {megabytes:.0f} MB at most"
            if before is not None:
                power = math.log((seconds - least) / before[1]) / math.log(count / before[0])
                line += f", exponent {power:.2f}" + (" (more than allowed)" if power > ALLOWED else "")
            before = count, seconds - least
            sys.stdout.write(line + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
