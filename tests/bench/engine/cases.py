"""What is measured, in words that every worker understands; standard library only, as peers run it too.

A worker is called as `WORKER CASE SIZE REPEATS FOLDER` and prints one JSON line: a number for each repeat.
"""

import asyncio
import json
import os
import random
import resource
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

NAP = 0.01
"""Seconds that a parallel step takes."""

CHAIN_OF_MANY = 10
"""Steps of each of the runs that go on at once."""

MANY_STEPS = 20
"""Steps of each of them on the product's path."""

Measure = Callable[[int, Path], float]


def worker(measures: dict[str, Measure]) -> None:
    """Do what the command line asks, once to warm up where that is cheap."""
    case, size, repeats, folder = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
    measure = measures[case]
    found = [measure(size, _fresh(folder, number)) for number in range(repeats + (repeats > 1))]
    found = found[1:] if repeats > 1 else found
    print(json.dumps({"found": found, "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}))  # noqa: T201


def timed(work: Callable[[], Awaitable[object]], clock: Callable[[], float] = time.perf_counter) -> float:
    """Seconds that a coroutine takes on a loop that goes already."""

    async def go() -> float:
        began = clock()
        await work()
        return clock() - began

    return asyncio.run(go())


def worked(work: Callable[[], Awaitable[object]]) -> float:
    """Seconds of the processor that it takes the second time, in all threads.

    What else the machine does hardly counts then, and the first time is for what is made once.
    """
    timed(work)
    return timed(work, time.process_time)


def bytes_in(folder: Path) -> int:
    """All that a run left on the disk."""
    return sum(one.stat().st_size for one in folder.rglob("*") if one.is_file())


def message(number: int) -> dict[str, str]:
    """Give the message of a step: some 200 characters of no particular meaning, the same for all engines."""
    chance = random.Random(number)  # noqa: S311
    words = ("".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(2, 8))) for _ in range(33))
    return {"role": "user" if number % 2 else "assistant", "content": " ".join(words)}


def import_seconds(statement: str) -> float:
    """Seconds of the processor that an import takes in a fresh interpreter, whose start is not counted."""
    import subprocess

    code = f"import time; began = time.process_time(); {statement}; print(time.process_time() - began)"
    # All are compiled before: packages when they are installed, and ours by the first of these.
    around = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    asked = [sys.executable, "-c", code]
    times = [
        float(subprocess.run(asked, capture_output=True, text=True, check=True, env=around).stdout)  # noqa: S603
        for _ in range(4)
    ]
    return statistics.median(times[1:])


def _fresh(folder: Path, number: int) -> Path:
    made = folder / str(number)
    made.mkdir(parents=True)
    return made
