"""The file of a run that is over, written in one piece from its entries."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from studio.errors import StoreError
from studio.ids import RunId
from studio.store.run_files.chunks import make_columns, storable
from studio.store.run_files.owner import this_process
from studio.store.run_files.run_file import write_run_file
from studio.store.run_files.shelf import Shelf
from studio.store.summary import RunSummary, Tally
from studio.trace.events import Entry, TextStreamed


def write_whole_run(path: Path, entries: Sequence[Entry]) -> RunSummary:
    """Write the run, which nobody wrote while it went on, and give its summary.

    For runs that cost nothing and can be made again, of which there are many: a process that dies loses those
    that are not over. Raises `StoreError` where the file cannot be written, or is there already.
    """
    tally = Tally(RunId(path.stem))
    tally.count_all(entries)
    shelf = Shelf()
    rows = [storable(one)[0] for one in entries if type(one.event) is not TextStreamed]
    try:
        columns, summary = make_columns(rows, shelf.place), tally.summary
        write_run_file(path, this_process(), columns, shelf.take(), summary)
    except (sqlite3.Error, OSError) as error:
        raise StoreError(
            f"The run `{path.stem}` can't be stored in `{path.parent}`: {error}.",
            hint="Make the folder writable, and check whether the disk is full.",
        ) from error
    return summary
