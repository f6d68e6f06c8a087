"""Which steps had put what a step recalled into a memory."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from studio.ids import StepId
from studio.trace.events import Shown
from studio.trace.memories import item_id
from studio.trace.sources import Beginning, Source
from studio.trace.state import RunState
from studio.trace.steps import StepState
from studio.trace.variable_source import are_siblings
from studio.trace.wired import Spot

ITEM = "memory."
"""What comes before the name of a memory, and a slash and an item's id, where they stand for a port."""


def item_port(memory: str, item: str) -> str:
    """Name an item of a memory where a port is named."""
    return f"{ITEM}{memory}/{item}"


def item_value(step: StepState, port: str) -> Shown | None:
    """What a step put into a memory; None where it put nothing of this name."""
    for write in reversed(step.remembered):
        if write.operation == "put" and item_port(write.memory, item_id(write.item)) == port:
            return Shown(cast("dict[str, Any]", write.item.data).get("text", ""), write.item.labels)
    return None


class MemoryWriters:
    """Tells of one run who wrote its memories; looks for that once, when it is first asked."""

    def __init__(self, state: RunState) -> None:
        self._state = state
        self._known: Mapping[str, Sequence[tuple[float, StepId]]] | None = None

    def recalled(self, step: StepState) -> Iterator[Source]:
        """What a step was given by memories: put by steps of this run, or there before it."""
        found = {
            item_port(read.memory, item_id(one)): read.memory
            for read in step.recalled
            if read.purpose == "recall"
            for one in read.found
        }
        for port, memory in found.items():
            writer = self._writer(port, step)
            if writer is not None:
                yield Source(Spot(writer, "output", port), None, memory)
            else:
                yield Source(Spot(step.id, "output", port), Beginning.MEMORY, memory)

    def _writer(self, port: str, reader: StepState) -> StepId | None:
        """The last that wrote an item before `reader` saw it; of items of a map, one that had ended then."""
        owner = reader
        while owner.call and (parent := self._state.steps.get(owner.parent)) is not None:
            owner = parent
        until = owner.ended if owner.ended is not None else float("inf")
        last: StepId | None = None
        for ended, step in self._writes().get(port, ()):
            is_seen = not are_siblings(step, owner.id) or ended <= (owner.began or until)
            if ended <= until and is_seen:
                last = step
        return last

    def _writes(self) -> Mapping[str, Sequence[tuple[float, StepId]]]:
        if self._known is None:
            known: dict[str, list[tuple[float, StepId]]] = defaultdict(list)
            for step in self._state.steps.values():
                if step.ended is None:
                    continue
                for one in step.remembered:
                    known[item_port(one.memory, item_id(one.item))].append((step.ended, step.id))
            for writes in known.values():
                writes.sort(key=lambda one: one[0])
            self._known = known
        return self._known
