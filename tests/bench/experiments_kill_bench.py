"""Experiments that are killed: `python -m tests.bench.experiments_kill_bench [KILLS] [SEED]`; one table.

`stepwire eval` with two workers is killed at random moments, itself or one of its workers, until each of its
trials is over: two chats in turn and a judge that asks as well. The endpoint notes which answers had left it
before a kill; such an answer is not to be asked for again, and the table is to be that of calm days.
"""

import os
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.experiments.killing import Tally, kill_until_whole

ROWS = 24
AT_A_TIME = 8
"""Kills of one experiment."""

NEARLY_AT_ONCE = 3
"""Milliseconds for which an answer is on its way to the file."""


def main() -> None:
    """Kill, and print what was bought again and what was lost."""
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    dice = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)  # noqa: S311
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        environ = {**os.environ, "STEPWIRE_CONFIG": str(Path(folder) / "config")}
        number = 0
        while tally.kills < kills:
            number += 1
            wanted = min(AT_A_TIME, kills - tally.kills)
            kill_until_whole(Path(folder) / str(number), ROWS, wanted, dice, environ, tally)
            print(f"\nso far, of {number} experiments", *_lines(tally), sep="\n", file=sys.stderr, flush=True)  # noqa: T201
    print(*_lines(tally), sep="\n")  # noqa: T201


def _lines(tally: Tally) -> Iterator[str]:
    """What was seen, as lines of a table; also said on the way, so that who ends it early knows so much."""
    told = {
        "kills": tally.kills,
        "of these of the command itself": tally.of_parents,
        "trials": tally.trials,
        "trials bought twice": tally.bought_twice,
        "trials lost": tally.lost,
        "trials that differ from those of calm days": tally.unequal,
        "answers bought again that had left before the kill": len(tally.again),
        "of these more than 3 ms before": sum(one > NEARLY_AT_ONCE for one in tally.again),
        "by so many milliseconds": ", ".join(f"{one:.1f}" for one in sorted(tally.again)) or "-",
        "workers that outlived the command": tally.orphans,
    }
    return (f"| {what} | {found} |" for what, found in told.items())


if __name__ == "__main__":
    main()
