"""What was written in items of maps that have not ended: it takes effect when the item does."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from studio.ids import ROOT, Scope
from studio.trace.events import Written
from studio.trace.events.variables import StateMerged


@dataclass(slots=True)
class PendingWrites:
    """The writes that wait, of variables and memories alike; part of the fold."""

    waiting: dict[Scope, list[Written]] = field(
        default_factory=lambda: defaultdict[Scope, list[Written]](list)
    )

    def finish(self, writes: Iterable[Written]) -> Iterator[Written]:
        """Take in what a step wrote that has finished; gives what takes effect for all now."""
        for write in writes:
            if write.scope:
                self.waiting[Scope(write.scope)].append(write)
            else:
                yield write

    def merge(self, merged: StateMerged) -> Iterator[Written]:
        """Take in that an item has ended; gives what takes effect for all now."""
        into = Scope(merged.into)
        for write in self.waiting.pop(Scope(merged.scope), ()):
            if into != ROOT:  # the item stands in one of another map, which has not ended either
                self.waiting[into].append(write)
            else:
                yield replace(write, scope="")
