"""Which runs a project keeps: all of them, unless somebody says how many, or how much disk, are enough.

Only what is over is ever removed, the oldest first. A run whose process died stays, as it can be resumed, and
so does one that a run which stays was forked from. Runs of experiments do not count (`holds.py`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from studio.ids import RunId
from studio.store.summary import RunSummary
from studio.trace.fold.state import RunStatus

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Keeping:
    """How many runs are kept, and how many megabytes they may have together; None for any number."""

    runs: int | None = None
    megabytes: float | None = None

    @property
    def is_limited(self) -> bool:
        """Whether anything is ever removed."""
        return self.runs is not None or self.megabytes is not None


KEEP_ALL = Keeping()


def superfluous(
    runs: Sequence[RunSummary], sizes: Mapping[RunId, int], keeping: Keeping, origin: str = ""
) -> list[RunId]:
    """Choose the runs to remove, oldest first; `runs` are newest first, `sizes` are in bytes.

    `origin` is that of a run which is to come.
    """
    kept = {one.run: one for one in runs}
    total = sum(sizes.get(run, 0) for run in kept)
    removed: list[RunId] = []
    while _is_too_much(len(kept), total, keeping):
        needed = {origin, *(one.forked_from for one in kept.values())}
        free = (one.run for one in reversed(kept.values()) if _is_over(one) and one.run not in needed)
        oldest = next(free, None)
        if oldest is None:
            break
        del kept[oldest]
        total -= sizes.get(oldest, 0)
        removed.append(oldest)
    return removed


def _is_too_much(count: int, size: int, keeping: Keeping) -> bool:
    if keeping.runs is not None and count > keeping.runs:
        return True
    return keeping.megabytes is not None and size > keeping.megabytes * MEGABYTE


def _is_over(run: RunSummary) -> bool:
    return run.status.is_final and run.status is not RunStatus.INTERRUPTED
