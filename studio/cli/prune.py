"""Old runs are removed, when somebody says so."""

from typing import TYPE_CHECKING

from studio.errors import UsageError
from studio.terminal.output import print_json, write_line
from studio.trace.figures import size

if TYPE_CHECKING:
    from studio.store.reader import RunStore
    from studio.store.retention import Keeping


def prune_runs(store: "RunStore", keeping: "Keeping", *, is_meant: bool, as_json: bool) -> int:
    """Remove what `keeping` has no room for; unless it `is_meant`, only tell what would go."""
    if not keeping.is_limited:
        raise UsageError(
            "It is not clear how many runs to keep.",
            hint="Pass `--keep N` or `--max-mb M`, or set `keep` in `project.json`.",
        )
    chosen = store.superfluous(keeping)
    sizes = store.sizes()
    for run in chosen:
        if is_meant:
            store.remove(run)
        if not as_json:
            write_line(f"{run}  {size(sizes.get(run, 0))}")
    count = sum(sizes.get(run, 0) for run in chosen)
    freed = size(count)
    if as_json:
        print_json({"runs": chosen, "bytes": count, "are_removed": is_meant})
    elif not chosen:
        write_line("There is nothing to remove.")
    elif is_meant:
        write_line(f"Removed {len(chosen)} of {len(sizes)} runs: {freed}.")
    else:
        write_line(
            f"{len(chosen)} of {len(sizes)} runs would be removed: {freed}. Pass `--yes` to remove them."
        )
    return 0
