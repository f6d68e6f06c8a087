"""Which steps had written what a step read in a run variable, or was given by a memory."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from studio.ids import StepId, step_parts
from studio.trace.events.values import Shown
from studio.trace.fold.memory_state import item_id
from studio.trace.fold.state import RunState
from studio.trace.fold.steps import StepState
from studio.trace.lineage.sources import Beginning, Source
from studio.trace.lineage.wire_sources import Spot

VARIABLE = "state."
"""What comes before the name of a run variable where it stands for a port."""
ITEM = "memory."
"""What comes before the name of a memory, and a slash and an item's id, where they stand for a port."""


def variable_port(name: str) -> str:
    """Name a run variable where a port is named."""
    return f"{VARIABLE}{name}"


def item_port(memory: str, item: str) -> str:
    """Name an item of a memory where a port is named."""
    return f"{ITEM}{memory}/{item}"


def item_value(step: StepState, port: str) -> Shown | None:
    """What a step put into a memory; None where it put nothing of this name."""
    for write in reversed(step.remembered):
        if write.operation == "put" and item_port(write.memory, item_id(write.item)) == port:
            return Shown(cast("dict[str, Any]", write.item.data).get("text", ""), write.item.labels)
    return None


class Writers:
    """Tells of one run who wrote its variables and memories; looks for that once, when it is first asked."""

    def __init__(self, state: RunState) -> None:
        self._state = state
        self._known: Mapping[str, Sequence[tuple[float, StepId, bool]]] | None = None

    def shared(self, step: StepState) -> Iterator[Source]:
        """What a step read in run variables and memories, by the steps that had written it."""
        for read in step.origins.read:
            port = variable_port(read.name)
            for one in self._before(port, step, besides=step.id):  # what it wrote, it made of what it read
                yield Source(Spot(one, "output", port), None, read.name)
        yield from self.recalled(step)

    def recalled(self, step: StepState) -> Iterator[Source]:
        """What a step was given by memories: put by steps of this run, or there before it."""
        found = {
            item_port(read.memory, item_id(one)): read.memory
            for read in step.recalled
            if read.purpose == "recall"
            for one in read.found
        }
        owner = step
        while owner.call and (parent := self._state.steps.get(owner.parent)) is not None:
            owner = parent
        for port, memory in found.items():
            writers = self._before(port, owner)
            if writers:
                yield Source(Spot(writers[-1], "output", port), None, memory)
            else:
                yield Source(Spot(step.id, "output", port), Beginning.MEMORY, memory)

    def _before(self, port: str, reader: StepState, besides: StepId | None = None) -> list[StepId]:
        """The steps whose writes made of it what `reader` saw, in the order of time; none of `besides`.

        A write that replaces all stands for those before it. Items of a map see what others wrote only
        where these had ended before they began.
        """
        until = reader.ended if reader.ended is not None else float("inf")
        found: list[StepId] = []
        for ended, step, is_whole in self._writes().get(port, ()):
            is_seen = not are_siblings(step, reader.id) or ended <= (reader.began or until)
            if ended <= until and is_seen and step != besides:
                found = [step] if is_whole else [*found, step]
        return found

    def _writes(self) -> Mapping[str, Sequence[tuple[float, StepId, bool]]]:
        """When each was written, by whom, and whether that replaced what was there."""
        if self._known is None:
            known: dict[str, list[tuple[float, StepId, bool]]] = defaultdict(list)
            for step in self._state.steps.values():
                if step.ended is None:
                    continue
                wholes: dict[str, bool] = {}
                for one in step.writes:
                    port = variable_port(one.name)
                    wholes[port] = wholes.get(port, False) or one.operation == "set"
                changed = [one for one in step.remembered if one.operation != "use"]
                wholes |= {item_port(one.memory, item_id(one.item)): True for one in changed}
                for port, is_whole in wholes.items():
                    known[port].append((step.ended, step.id, is_whole))
            for writes in known.values():
                writes.sort(key=lambda one: one[0])
            self._known = known
        return self._known


def are_siblings(one: StepId, other: StepId) -> bool:
    """Whether they stand in two items, or rounds, of one map or loop."""
    for here, there in zip(step_parts(one)[0].split("/"), step_parts(other)[0].split("/"), strict=False):
        if here != there:
            return here.partition(".")[0] == there.partition(".")[0]
    return False
