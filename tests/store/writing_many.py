"""A process that writes short runs until it is killed, and tells of each that was published."""

import sys
from collections.abc import Sequence
from pathlib import Path

from studio.ids import RunId
from studio.store.reader import RunStore
from studio.store.run_files.committer import Committer
from studio.store.run_files.writer import RunWriter
from studio.trace.events import Entry, RunFinished, RunStarted, StepFinished
from tests.trace.builders import numbered


def main(root: Path) -> None:
    """Write for ever; the name of each run that is over goes to standard output."""

    def tell(entries: Sequence[Entry]) -> None:
        sys.stdout.write(f"{entries[-1].run}\n")
        sys.stdout.flush()

    store, committer, number = RunStore(root), Committer(), 0
    while True:
        number += 1
        run = RunId(f"run-{number:06}")
        writer = RunWriter(store.new_run_path(run), tell, committer=committer)
        for entry in numbered(RunStarted("Short", "{}"), ("w", StepFinished()), RunFinished(), run=run):
            writer.put(entry)
        writer.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
