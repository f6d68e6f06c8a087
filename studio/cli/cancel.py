"""A run that goes on elsewhere is stopped."""

import os
from typing import TYPE_CHECKING

from studio.terminal.output import print_json, write_line

if TYPE_CHECKING:
    from studio.store.reader import RunStore


def cancel_run(store: "RunStore", wanted: str, *, as_json: bool) -> int:
    """Stop a run of another process, and say how it ended."""
    from studio.app.runs.cancellation import stop_run

    run = store.find(wanted)
    status = stop_run(store, run, os.environ)
    if as_json:
        print_json({"run": run, "status": status.value})
    else:
        write_line(f"The run `{run}` is {status.value}; `stepwire resume {run}` resumes it.")
    return 0
