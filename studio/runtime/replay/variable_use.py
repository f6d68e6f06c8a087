"""Which steps of a run have read, in a run variable, what a step wrote that runs again in a fork."""

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence

from studio.flow.records import Flow
from studio.ids import NodeId, StepId, own_scope, own_step, step_parts
from studio.sdk.registry import Registry
from studio.trace.events import Entry, MemoryRead, MemoryWritten, StateRead, Written
from studio.trace.fold.state import RunState


def with_readers(
    entries: Sequence[Entry],
    state: RunState,
    touched: Collection[StepId],
    depending: Callable[[StepId], Collection[StepId]],
    sees: Callable[[StepId, StepId], bool],
) -> set[StepId]:
    """Give the touched steps with all that read what they wrote, and what is `depending` on those in turn.

    `sees` tells whether what the second step writes can be seen by the first.
    """
    found = set(touched)
    reads = [
        (_owner(one.step, state), _what(one.event))
        for one in entries
        if isinstance(one.event, StateRead | MemoryRead)
    ]
    while True:
        written: dict[str, set[StepId]] = defaultdict(set)
        for step in found:
            found_step = state.steps.get(step)
            for write in (*found_step.writes, *found_step.remembered) if found_step is not None else ():
                written[_what(write)].add(step)
        more = {
            reader
            for reader, name in reads
            if reader not in found
            and any(_is_before(state, step, reader) and sees(reader, step) for step in written[name])
        }
        if not more:
            return found
        for step in more:
            found |= {step, *depending(step)}


def visibility(flow: Flow, registry: Registry) -> Callable[[StepId, StepId], bool]:
    """Tell whether one step sees what another writes: items that run at once do not see one another's."""

    def sees(reader: StepId, writer: StepId) -> bool:
        here, there = (own_scope(step_parts(step)[0]).split("/") for step in (reader, writer))
        for one, other in zip(here, there, strict=False):
            if one != other:
                owner, _, _ = one.partition(".")
                record = flow.nodes.get(NodeId(owner))
                if record is None or owner != other.partition(".")[0]:
                    return True
                return registry.settings(record).get("at_once", 1) == 1
        return True

    return sees


def _owner(step: StepId, state: RunState) -> StepId:
    """Give the step that a read is a part of: of a turn, in which an agent has no step, the turn itself."""
    owner = own_step(step)
    while owner not in state.steps:
        owner = StepId(owner.rpartition("/")[0])
    return owner


def _what(event: StateRead | MemoryRead | Written) -> str:
    """Name what is read or written, a variable or a memory."""
    is_of_memory = isinstance(event, MemoryRead | MemoryWritten)
    return f"memory.{event.memory}" if is_of_memory else f"state.{event.name}"


def _is_before(state: RunState, writer: StepId, reader: StepId) -> bool:
    written, read = state.steps[writer].ended, state.steps[reader].ended
    return written is not None and (read is None or written <= read)
