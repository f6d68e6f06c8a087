"""What a timeline draws: a lane for each node, and beneath it one for its chats and one for each tool.

`Spans.update` costs the same for each touched step however long the run is, so that it can be called once
a frame; `lanes(state)` builds all at once.
"""

import json
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TypeAlias, cast

from studio.ids import NodeId, StepId
from studio.trace.state import RunState
from studio.trace.steps import StepState, StepStatus

Held: TypeAlias = tuple[tuple[float, float | None], ...]
"""Spans in which the debugger held a step; the last is open (None) while it does."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A step on the timeline, in seconds since the epoch; `end` is None while it goes on.

    `label` says which of the lane's steps it is: `round 2`, `item 17, attempt 2`. A bar with `is_scope`
    is a loop, map or subflow around the steps of other lanes.
    """

    step: StepId
    start: float
    end: float | None
    status: StepStatus
    label: str = ""
    held: Held = ()
    is_scope: bool = False


@dataclass(slots=True)
class Lane:
    """Bars of one node (`call` is empty), of its chats (`chat`), or of one tool it calls (`tool`).

    `scope` names loops, maps and subflows around it, without rounds and items. `bars` are sorted by start.
    """

    scope: str
    node: NodeId
    call: str
    title: str
    depth: int
    bars: list[Bar] = field(default_factory=list[Bar])


class Spans:
    """The lanes of a run, kept up to date."""

    def __init__(self, state: RunState) -> None:
        self._state = state
        self._flow = ""
        self._nodes: dict[str, dict[str, object]] = {}
        self._groups: dict[tuple[str, NodeId], dict[str, Lane]] = {}
        self._places: dict[StepId, tuple[Lane, int]] = {}
        self._scopes: set[StepId] = set()
        self.update(state.order)

    @property
    def lanes(self) -> list[Lane]:
        """All lanes: nodes in order of their first appearance, calls beneath their node."""
        return [lane for group in self._groups.values() for lane in group.values()]

    def update(self, touched: Iterable[StepId]) -> None:
        """Take in what changed in these steps (what `RunState.apply` gave; the run itself is no step)."""
        self._read_flow()
        steps = {name: self._state.steps[name] for name in touched if name}
        for step in tuple(steps.values()):
            if not step.call and step.parent and step.parent not in self._scopes:
                self._scopes.add(step.parent)
                steps[step.parent] = self._state.steps[step.parent]
        for step in steps.values():  # lanes in order of appearance
            self._lane(step)
        for step in sorted(steps.values(), key=_start_or_zero):
            self._draw(step)

    def _draw(self, step: StepState) -> None:
        start = _start(step)
        if start is None:
            return
        bar = Bar(
            step.id,
            start,
            step.ended,
            step.status,
            self._label(step),
            tuple(step.held),
            step.id in self._scopes,
        )
        if step.id not in self._places:
            lane = self._lane(step)
            self._insert(lane, bar)
            return
        lane, index = self._places[step.id]
        if lane.bars[index].start == start:
            lane.bars[index] = bar
        else:
            del lane.bars[index]
            self._insert(lane, bar)
            self._number(lane, index)

    def _insert(self, lane: Lane, bar: Bar) -> None:
        index = bisect_right(lane.bars, bar.start, key=attrgetter("start"))
        lane.bars.insert(index, bar)
        self._number(lane, index)

    def _number(self, lane: Lane, first: int) -> None:
        for index in range(first, len(lane.bars)):
            self._places[lane.bars[index].step] = lane, index

    def _lane(self, step: StepState) -> Lane:
        scope = "/".join(segment.partition(".")[0] for segment in step.scope.split("/"))
        group = self._groups.setdefault((scope, step.node), {})
        if not group:
            group[""] = Lane(scope, step.node, "", self._title(step.node), 0)
        if not step.call:
            return group[""]
        kind = step.call.partition(".")[0]
        # A call's tool is told by its first event, so a lane of tools is known by name from the start.
        title = step.tool or kind
        if title not in group:
            group[title] = Lane(scope, step.node, kind, title, 1)
        return group[title]

    def _label(self, step: StepState) -> str:
        words: list[str] = []
        if not step.call:
            for segment in step.scope.split("/"):
                node, _, index = segment.partition(".")
                if index:
                    words.append(f"{_COUNTED.get(self._kind(node), '')} {index}".strip())
        if step.attempt > 1:
            words.append(f"attempt {step.attempt}")
        return ", ".join(words)

    def _title(self, node: NodeId) -> str:
        title = self._nodes.get(node, {}).get("title")
        return title if isinstance(title, str) and title else node

    def _kind(self, node: str) -> str:
        return str(self._nodes.get(node, {}).get("kind", ""))

    def _read_flow(self) -> None:
        if self._flow == self._state.flow:
            return
        self._flow = self._state.flow
        try:
            nodes = json.loads(self._flow)["nodes"]
        except (ValueError, LookupError, TypeError):
            return
        if isinstance(nodes, dict):
            records = cast("dict[str, object]", nodes)
            self._nodes = {
                node: cast("dict[str, object]", one) for node, one in records.items() if isinstance(one, dict)
            }


def lanes(state: RunState) -> list[Lane]:
    """Give the lanes of a run."""
    return Spans(state).lanes


_COUNTED = {"control.loop": "round", "control.for_each": "item"}


def _start(step: StepState) -> float | None:
    """Give when the step began, or was first held before it could."""
    moments = [one for one in (step.started, step.held[0][0] if step.held else None) if one is not None]
    return min(moments, default=None)


def _start_or_zero(step: StepState) -> float:
    return _start(step) or 0.0
