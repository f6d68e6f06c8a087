"""When each step took time: a lane for each node, and beneath it one for its chats and one for each tool.

`Spans.update` costs the same for each touched step however long the run is, so that it can be called once
a frame.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from studio.ids import NodeId, StepId, segment_node
from studio.trace.state import RunState
from studio.trace.steps import StepState, StepStatus


@dataclass(slots=True)
class Bar:
    """A step in time, in seconds since the epoch; `end` is None while it lasts. It grows with its step.

    `held` has the spans in which the debugger held the step; the last is open (None) while it does.
    """

    step: StepId
    start: float
    end: float | None
    status: StepStatus
    held: Sequence[tuple[float, float | None]] = field(default_factory=list[tuple[float, float | None]])


@dataclass(slots=True)
class Lane:
    """Bars of one node (`call` is empty), of its chats (`chat`), or of one tool that it calls (its name).

    `scope` names loops, maps and subflows around it, without rounds and items. `bars` are sorted by start.
    """

    scope: str
    node: NodeId
    call: str
    bars: list[Bar] = field(default_factory=list[Bar])


class Spans:
    """The lanes of a run, kept up to date."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, NodeId], dict[str, Lane]] = {}
        self._bars: dict[StepId, tuple[Lane, Bar]] = {}

    @property
    def lanes(self) -> list[Lane]:
        """All lanes: nodes in the order in which they first took time, calls beneath their node."""
        return [lane for group in self._groups.values() for lane in group.values()]

    def find(self, step: StepId) -> tuple[Lane, Bar] | None:
        """The bar of a step and its lane; None where the step has taken no time yet."""
        return self._bars.get(step)

    def update(self, state: RunState, touched: Iterable[StepId]) -> list[tuple[Lane, Bar]]:
        """Read these steps again (what `RunState.apply` gave); gives the new bars, in order of time."""
        new: list[tuple[Lane, Bar]] = []
        steps = {name: state.steps[name] for name in touched if name in state.steps}
        for step in sorted(steps.values(), key=lambda one: one.began or 0.0):
            if step.began is None:
                continue
            if step.id not in self._bars:
                found = self._lane(step), Bar(step.id, step.began, None, step.status)
                _insert(*found)
                self._bars[step.id] = found
                new.append(found)
            bar = self._bars[step.id][1]
            bar.end, bar.status, bar.held = step.ended, step.status, step.held
        return new

    def _lane(self, step: StepState) -> Lane:
        scope = "/".join(segment_node(segment) for segment in step.scope.split("/"))
        group = self._groups.setdefault((scope, step.node), {})
        if not group:
            group[""] = Lane(scope, step.node, "")
        # A call's tool is told by its first event, so a lane of tools is known by name from the start.
        call = step.call and (step.tool or step.call.partition(".")[0])
        if call not in group:
            group[call] = Lane(scope, step.node, call)
        return group[call]


def _insert(lane: Lane, bar: Bar) -> None:
    lane.bars.insert(bisect_right(lane.bars, bar.start, key=attrgetter("start")), bar)
