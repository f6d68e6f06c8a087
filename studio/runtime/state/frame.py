"""The state of one execution of a region: which of its sockets have been resolved, and to what.

A frame is one execution of a region: a round, an item, the run, or a call of another flow. Values are kept
per frame and node; a wire that crosses borders knows how many frames up its source is.
"""

from collections.abc import Callable, Coroutine
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

from studio.flow.ports import Conversion, PortType, conversion
from studio.ids import ROOT, NodeId, Scope, StepId
from studio.runtime.plans.plan import Feed, PlannedInput, PlannedNode, PlannedRegion
from studio.runtime.state.run_variables import Variables
from studio.runtime.values import ABSENT, Absent, Failed, Resolved, Value, joined
from studio.sdk.values import convert


@dataclass(slots=True)
class Lost:
    """The nodes further in than a race that it has stopped, in all frames inside the race's own."""

    nodes: set[NodeId] = field(default_factory=set[NodeId])
    listeners: list[Callable[[AbstractSet[NodeId]], None]] = field(
        default_factory=list[Callable[[AbstractSet[NodeId]], None]]
    )
    """The frames that are on their way."""

    def lose(self, nodes: AbstractSet[NodeId]) -> None:
        """Stop these nodes, wherever they are at work."""
        self.nodes |= nodes
        for listener in tuple(self.listeners):
            listener(self.nodes)


@dataclass(slots=True)
class Frame:
    """One round of a loop, one item of a map, or the run itself."""

    region: PlannedRegion
    scope: Scope = ROOT
    parent: "Frame | None" = None
    step: StepId = field(default=StepId(""))
    """The step of the loop or map that this frame belongs to."""
    lane: str = ""
    """As `StepRef.lane`, for the steps in it."""
    variables: Variables | None = None
    """The run variables of an item, or of the run; None where they are those of the frame around it."""
    winners: dict[tuple[Feed, ...], int] | None = None
    """Which of its wires each race took, by all of them; None in regions without a race."""
    made_from: frozenset[str] = frozenset()
    """Labels of what its steps are made from beside their inputs: of what a script had read by then."""
    lost: Lost | None = None
    """What its races have stopped further in; None where they could not."""
    values: dict[NodeId, dict[str, Resolved]] = field(default_factory=dict[NodeId, dict[str, Resolved]])
    unread: dict[NodeId, int] | None = None
    """How many vertices are still to read the nodes that several read; None before the first of them has."""
    prefix: str = field(init=False)
    """What the name of a step in it has before the node."""

    def __post_init__(self) -> None:
        self.prefix = f"{self.scope}/" if self.scope else ""

    def layer(self) -> Variables:
        """The run variables as steps of this frame see them."""
        frame = self
        while frame.variables is None:
            if frame.parent is None:
                message = "the outermost frame has no run variables"
                raise LookupError(message)
            frame = frame.parent
        return frame.variables

    def lost_around(self) -> "list[Lost]":
        """What the races of this frame, and of those around it, have stopped further in."""
        found: list[Lost] = []
        frame: Frame | None = self
        while frame is not None:
            if frame.lost is not None:
                found.append(frame.lost)
            frame = frame.parent
        return found

    def leave(self, index: int) -> None:
        """Let go of the values that nobody reads any more, now that this vertex is over."""
        region, values = self.region, self.values
        for node in region.last_reads[index]:
            values.pop(node, None)
        shared = region.shared_reads[index]
        if not shared:
            return
        unread = self.unread
        # Made when the first of several readers of a value is over: most frames never need it.
        if unread is None:
            unread = self.unread = dict(region.readers)
        for node in shared:
            unread[node] -= 1
            if not unread[node]:
                values.pop(node, None)

    def read(self, feed: Feed) -> Resolved:
        """The value at the other end of a wire."""
        frame = self
        for _ in range(feed.hops):
            frame = frame.parent or frame
        outputs = frame.values.get(feed.node)
        return ABSENT if outputs is None else outputs.get(feed.port, ABSENT)

    def read_input(self, planned: PlannedInput) -> Resolved:
        """The value of an input: its literal, its wire's value, or the list of its wires' values."""
        direct = planned.direct
        # Most inputs have one wire from the same frame, whose value needs no conversion.
        if direct is not None and not direct.hops:
            outputs = self.values.get(direct.node)
            return ABSENT if outputs is None else outputs.get(direct.port, ABSENT)
        feeds = planned.feeds
        if not feeds:
            return planned.literal or ABSENT
        if planned.port.many:
            return self._read_list(planned)
        value = self.read(feeds[0])
        if not isinstance(value, Value):
            return value
        return _converted(value, feeds[0].type, planned.type)

    def is_held_back(self, node: PlannedNode) -> bool:
        """Whether a step that this one comes after did not happen."""
        return any(isinstance(self.read(feed), Absent) for feed in node.after)

    def failed_before(self, node: PlannedNode) -> Failed | None:
        """The failure of a step that this one comes after, if there is one."""
        found = (self.read(feed) for feed in node.after)
        return next((one for one in found if isinstance(one, Failed)), None)

    def _read_list(self, planned: PlannedInput) -> Resolved:
        if planned.is_race:
            return self._read_winner(planned)
        elements: list[object] = []
        found: list[Value] = []
        for feed in planned.feeds:
            value = self.read(feed)
            if isinstance(value, Failed):
                return value
            if isinstance(value, Absent):
                continue
            found.append(value)
            fits_whole = feed.type.depth >= planned.type.depth or planned.takes_unknown_lists(feed.type)
            if fits_whole and isinstance(value.data, list):
                elements.extend(cast("list[object]", _converted(value, feed.type, planned.type).data))
            else:
                elements.append(_converted(value, feed.type, planned.type.element).data)
        return Value(elements, joined(found)) if found else ABSENT

    def _read_winner(self, planned: PlannedInput) -> Resolved:
        """A list of the one value that a race takes; without any, the first failure."""
        winner = (self.winners or {}).get(planned.feeds)
        failed: Failed | None = None
        for feed in planned.feeds if winner is None else (planned.feeds[winner],):
            value = self.read(feed)
            if isinstance(value, Value):
                return Value([_converted(value, feed.type, planned.type.element).data], value.labels)
            if isinstance(value, Failed):
                failed = failed or value
        return failed or ABSENT


RunFrame: TypeAlias = Callable[[Frame], Coroutine[Any, Any, None]]
"""Runs every vertex of a frame's region."""


def inner_lane(frame: Frame, name: str) -> str:
    """The lane of what `name` opens inside a frame."""
    return f"{frame.lane}/{name}" if frame.lane else name


def _converted(value: Value, source: PortType, target: PortType) -> Value:
    if source is target or source == target or conversion(source, target) is Conversion.NONE:
        return value
    return Value(convert(value.data, source, target), value.labels)
