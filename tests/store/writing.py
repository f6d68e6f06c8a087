"""A process that writes a run until it is killed, and tells of each entry that was published."""

import sys
from collections.abc import Sequence
from pathlib import Path

from studio.store.reader import RunStore
from studio.store.run_files.writer import RunWriter
from studio.trace.events import Entry, StepFinished
from tests.trace.builders import RUN, answer, numbered


def main(root: Path) -> None:
    """Write for ever; the number of each published entry goes to standard output."""

    def tell(entries: Sequence[Entry]) -> None:
        sys.stdout.write("".join(f"{entry.number}\n" for entry in entries))
        sys.stdout.flush()

    writer = RunWriter(RunStore(root).new_run_path(RUN), tell)
    number = 0
    while True:
        number += 1
        event = answer("a" * 200, tokens=1) if number % 7 == 0 else StepFinished()
        (entry,) = numbered((f"rounds.{number}/writer", event))
        writer.put(Entry(RUN, number, entry.step, entry.parent, entry.time, event))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
