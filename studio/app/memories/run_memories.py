"""The memories of a run at any moment of it: their items, who wrote each, and what recalled it and why."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from studio.ids import StepId
from studio.sdk.item_layers import used_again
from studio.sdk.items import Item
from studio.sdk.told_items import item_of
from studio.trace.events.memories import MemoryWritten
from studio.trace.fold.memory_state import item_id
from studio.trace.fold.state import RunState


@dataclass(frozen=True, slots=True)
class Recall:
    """An item was found by a step: what that looked for, how well the item fitted, and why."""

    step: StepId
    query: str
    score: float
    why: str
    purpose: str = "recall"


def run_items(state: RunState, memory: str, base: Sequence[Item] = ()) -> list[Item]:
    """Give the items that a run's memory had at the moment that `state` tells, the oldest first.

    `base` has what the memory had when the run opened it.
    """
    items = {one.id: one for one in base}
    for name, write in state.memories.written.get(memory, {}).items():
        if write.operation == "put":
            items[name] = item_of(write.item)
        else:
            items.pop(name, None)
    for name, times in state.memories.used.get(memory, {}).items():
        for at in times if name in items else ():
            items[name] = used_again(items[name], at)
    return list(items.values())


def is_changed(state: RunState, memory: str) -> bool:
    """Tell whether the run changed anything in a memory."""
    return bool(state.memories.written.get(memory) or state.memories.used.get(memory))


def unsaved_in(state: RunState, memory: str) -> str:
    """Say why what the run remembered is in the run alone; empty where it is not."""
    return next((one.reason for one in reversed(state.memories.unsaved) if one.memory == memory), "")


def embedded_by(write: MemoryWritten) -> str:
    """Say what made the vector of an item; empty for one without."""
    return str(item_of(write.item).data.get("embedded_by", ""))


def written_by(state: RunState, memory: str, name: str) -> StepId | None:
    """Give the step that wrote an item as it is now; None for one that was there before."""
    last = state.memories.written.get(memory, {}).get(name)
    if last is None:
        return None
    for step in reversed(state.steps.values()):
        if any(write.memory == memory and write.item is last.item for write in step.remembered):
            return step.id
    return None


def recalls_of(state: RunState, memory: str, name: str) -> Iterator[Recall]:
    """Give what found an item, the last first."""
    for step in reversed(state.steps.values()):
        for read in reversed(step.recalled):
            if read.memory != memory:
                continue
            for one in read.found:
                if item_id(one) == name:
                    yield recall_of(step.id, read.query, one.data, read.purpose)


def recall_of(step: StepId, query: str, found: Mapping[str, Any], purpose: str = "recall") -> Recall:
    """Read how an item was found, of what an event says of it."""
    score = found.get("score", 0.0)
    return Recall(
        step,
        query,
        float(score) if isinstance(score, int | float) else 0.0,
        str(found.get("why", "")),
        purpose,
    )
