"""Which steps had written what a step read in a run variable."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from studio.ids import StepId, step_parts
from studio.trace.state import RunState
from studio.trace.steps import StepState

VARIABLE = "state."
"""What comes before the name of a run variable where it stands for a port."""


def variable_port(name: str) -> str:
    """Name a run variable where a port is named."""
    return f"{VARIABLE}{name}"


class Writers:
    """Tells of one run who wrote its variables; looks for that once, when it is first asked."""

    def __init__(self, state: RunState) -> None:
        self._state = state
        self._known: dict[str, list[tuple[float, StepId, bool]]] | None = None

    def of(self, reader: StepState, name: str) -> list[StepId]:
        """The steps whose writes made a variable what it was when `reader` read it, in the order of time.

        A write that replaces all stands for those before it. Items of a map see what others wrote only
        where these had ended before they began.
        """
        until = reader.ended if reader.ended is not None else float("inf")
        found: list[tuple[float, StepId, bool]] = []
        for one in self._writes().get(name, ()):
            ended, step, _ = one
            if ended > until or step == reader.id:
                continue
            if not are_siblings(step, reader.id) or ended <= (reader.began or until):
                found.append(one)
        last = max((at for at, one in enumerate(found) if one[2]), default=0)
        return [step for _, step, _ in found[last:]]

    def _writes(self) -> Mapping[str, Sequence[tuple[float, StepId, bool]]]:
        """When each variable was written, by whom, and whether that replaced it."""
        if self._known is None:
            self._known = defaultdict(list)
            for step in self._state.steps.values():
                for name in dict.fromkeys(one.name for one in step.writes):
                    is_set = any(one.operation == "set" for one in step.writes if one.name == name)
                    if step.ended is not None:
                        self._known[name].append((step.ended, step.id, is_set))
            for writes in self._known.values():
                writes.sort(key=lambda one: one[0])
        return self._known


def are_siblings(one: StepId, other: StepId) -> bool:
    """Whether they stand in two items, or rounds, of one map or loop."""
    for here, there in zip(step_parts(one)[0].split("/"), step_parts(other)[0].split("/"), strict=False):
        if here != there:
            return here.partition(".")[0] == there.partition(".")[0]
    return False
