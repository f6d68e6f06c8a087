"""Which steps had written what a step read in a run variable."""

from studio.ids import StepId, step_parts
from studio.trace.state import RunState
from studio.trace.steps import StepState

VARIABLE = "state."
"""What comes before the name of a run variable where it stands for a port."""


def variable_port(name: str) -> str:
    """Name a run variable where a port is named."""
    return f"{VARIABLE}{name}"


def writers(state: RunState, reader: StepState, name: str) -> list[StepId]:
    """The steps whose writes made the variable what it was when `reader` read it, in the order of time.

    A write that replaces all stands for those before it. Items of a map see what others wrote only where
    these had ended before they began.
    """
    until = reader.ended if reader.ended is not None else float("inf")
    found: list[tuple[float, StepId, bool]] = []
    for step in state.steps.values():
        writes = [one for one in step.writes if one.name == name]
        if not writes or step.ended is None or step.ended > until or step.id == reader.id:
            continue
        if _are_siblings(step, reader) and step.ended > (reader.began or until):
            continue
        found.append((step.ended, step.id, any(one.operation == "set" for one in writes)))
    found.sort(key=lambda one: one[0])
    last = max((at for at, one in enumerate(found) if one[2]), default=0)
    return [step for _, step, _ in found[last:]]


def _are_siblings(one: StepState, other: StepState) -> bool:
    """Whether they stand in two items, or rounds, of one map or loop."""
    for here, there in zip(
        step_parts(one.id)[0].split("/"), step_parts(other.id)[0].split("/"), strict=False
    ):
        if here != there:
            return here.partition(".")[0] == there.partition(".")[0]
    return False
