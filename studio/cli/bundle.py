"""A run in one file for other people: `stepwire runs bundle`."""

from pathlib import Path
from typing import TYPE_CHECKING

from studio.terminal.output import print_json, write_line
from studio.trace.figures import size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studio.ids import RunId
    from studio.store.reader import RunStore


def bundle_run(
    store: "RunStore",
    run: "RunId",
    output: Path | None,
    hidden: "Sequence[str]",
    *,
    force: bool,
    as_json: bool,
) -> int:
    """Write the file and say where it is."""
    import os

    from studio.app.runs.bundles import hidden_here, save_bundle, suggested_name
    from studio.past.replays import OldRun
    from studio.workspace.catalog import builtin_registry

    old = OldRun.read_whole(store, run)
    target = output or Path(suggested_name(old.started.flow_name, run))
    secrets = hidden_here(old.project, (old.flow, *old.flows.values()), builtin_registry(), os.environ)
    written = save_bundle(store, run, target, secrets=secrets, more=hidden, force=force)
    if as_json:
        print_json({"run": run, "file": str(target), "bytes": written})
    else:
        write_line(f"{target}  {size(written)}")
    return 0
