"""When each step took time: bars in lanes, by node, by agent, or by round and item.

`Spans.update` costs the same for each touched step however long the run is, so that it can be called once
a frame.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter, itemgetter
from typing import NamedTuple

from studio.ids import NodeId, StepId
from studio.trace.fold.state import RunState
from studio.trace.fold.steps import StepState, StepStatus
from studio.trace.timeline.lanes import OTHERS, Grouping, LaneKey, outer_keys

_START = attrgetter("start")


@dataclass(slots=True)
class Bar:
    """A step in time, in seconds since the epoch; `end` is None while it lasts. It grows with its step.

    `held` has the spans in which the debugger held the step; the last is open (None) while it does. Since
    `ready` it waited for its turn. Of a loop or map, `turns` has when its rounds or items began.
    """

    step: StepId
    start: float
    end: float | None
    status: StepStatus
    held: Sequence[tuple[float, float | None]] = ()
    ready: float | None = None
    turns: list[float] | None = field(default=None, compare=False)
    lane: "Lane | None" = field(default=None, compare=False, repr=False)
    """The one that it stands in, as long as it does."""


class Rank(NamedTuple):
    """Where a lane stands beneath the one around it: that itself first, then its calls, then its body."""

    part: int
    number: int


@dataclass(slots=True, eq=False)
class Lane:
    """Bars of what a grouping puts together (`call` is empty), of chats (`chat`), or of a tool (its name).

    `node` is that of its first step, `depth` how many loops, maps and called flows are around it. `bars` are
    sorted by start; `waiting` has the steps that wait for their turn, with the time since when.
    """

    key: LaneKey
    node: NodeId
    depth: int = 0
    bars: list[Bar] = field(default_factory=list[Bar])
    waiting: dict[StepId, float] = field(default_factory=dict[StepId, float])

    @property
    def scope(self) -> str:
        """Where its steps stand."""
        return self.key.scope

    @property
    def call(self) -> str:
        """Which calls it has; empty for steps of nodes."""
        return self.key.call


class Spans:
    """The lanes of a run, kept up to date."""

    def __init__(self, grouping: Grouping = Grouping.NODE) -> None:
        self._grouping = grouping
        self._lanes: dict[LaneKey, Lane] = {}
        self._numbers: dict[LaneKey, tuple[Rank, ...]] = {}
        self._sorted: list[tuple[tuple[Rank, ...], Lane]] = []
        self._bars: dict[StepId, Bar] = {}
        self._waits: dict[StepId, Lane] = {}
        self._turns: dict[StepId, int] = {}
        self.going: dict[StepId, Bar] = {}
        """The bars that last."""
        self._changed: dict[Lane, float] = {}

    def take_changed(self) -> dict[Lane, float]:
        """Tell since when each lane is otherwise than when this was asked last, but for what lasts."""
        changed, self._changed = self._changed, {}
        return changed

    @property
    def lanes(self) -> list[Lane]:
        """All lanes: as they first took time, calls beneath their own, bodies beneath their loop or map."""
        return [lane for _, lane in self._sorted]

    @property
    def count(self) -> int:
        """How many lanes there are."""
        return len(self._sorted)

    def find(self, step: StepId) -> tuple[Lane, Bar] | None:
        """The bar of a step and its lane; None where the step has taken no time yet."""
        bar = self._bars.get(step)
        return (bar.lane, bar) if bar is not None and bar.lane is not None else None

    def update(self, state: RunState, touched: Iterable[StepId]) -> list[tuple[Lane, Bar]]:
        """Read these steps again (what `RunState.apply` gave); gives the new bars, in order of time."""
        new: list[tuple[Lane, Bar]] = []
        steps = {name: state.steps[name] for name in touched if name in state.steps}
        for step in sorted(steps.values(), key=lambda one: one.began or 0.0):
            if step.began is None:
                self._wait(state, step)
                continue
            if step.id in self._waits:
                self._waits.pop(step.id).waiting.pop(step.id, None)
            if step.id not in self._bars:
                lane = self._lane(state, step)
                if lane is None:
                    continue
                bar = self._bars[step.id] = Bar(step.id, step.began, None, step.status, lane=lane)
                insert(lane.bars, bar)
                new.append((lane, bar))
                self._note_turn(step)
            bar = self._bars[step.id]
            bar.end, bar.status, bar.held, bar.ready = step.ended, step.status, step.held or (), step.ready
            if bar.end is None:
                self.going[step.id] = bar
            else:
                self.going.pop(step.id, None)
            if bar.lane is not None:
                self._note_change(bar.lane, bar.start if bar.ready is None else min(bar.start, bar.ready))
        return new

    def misplaced(self, state: RunState, touched: Iterable[StepId]) -> list[tuple[Lane, Bar]]:
        """Take out the bars that `update` puts elsewhere, now that more is known of their steps."""
        if self._grouping is not Grouping.AGENT:
            return []
        moved: list[tuple[Lane, Bar]] = []
        for name in {above for one in touched if (above := _inside(state, one)) in self._bars}:
            bar = self._bars[name]
            lane = bar.lane
            if lane is None:
                continue
            key = self._grouping.key(state, state.steps[name])
            is_turn = bool(lane.key.call) and key is not None and not key.call
            if key != lane.key and (lane.key == OTHERS or is_turn):
                at = bisect_left(lane.bars, bar.start, key=_START)
                del lane.bars[next(n for n in range(at, len(lane.bars)) if lane.bars[n] is bar)]
                del self._bars[name]
                self.going.pop(name, None)
                self._note_change(lane, bar.start)
                moved.append((lane, bar))
                if is_turn and not lane.bars and not lane.waiting:
                    del self._lanes[lane.key]
                    self._sorted = [one for one in self._sorted if one[1] is not lane]
        return moved

    def _note_change(self, lane: Lane, since: float) -> None:
        known = self._changed.get(lane)
        if known is None or since < known:
            self._changed[lane] = since

    def _note_turn(self, step: StepState) -> None:
        """Note when a round or item begins: with the first of its steps."""
        index, around = step.scope.rpartition(".")[2], self._bars.get(step.parent)
        if around is None or step.call or not index.isdecimal():
            return
        if int(index) > self._turns.get(step.parent, -1):
            self._turns[step.parent] = int(index)
            around.turns = around.turns if around.turns is not None else []
            around.turns.append(step.began or 0.0)
            if around.lane is not None:
                self._note_change(around.lane, step.began or 0.0)

    def _wait(self, state: RunState, step: StepState) -> None:
        if step.status is StepStatus.READY and step.ready is not None:
            lane = self._waits.get(step.id) or self._lane(state, step)
            if lane is not None:
                lane.waiting[step.id] = step.ready
                self._waits[step.id] = lane
        elif step.id in self._waits:
            self._waits.pop(step.id).waiting.pop(step.id, None)

    def _lane(self, state: RunState, step: StepState) -> Lane | None:
        key = self._grouping.key(state, step)
        if key is None:
            return None
        if key not in self._lanes:
            own = LaneKey(key.scope, key.who)
            if key.call and own not in self._lanes:
                self._place(own, step.node)
            self._place(key, step.node)
        return self._lanes[key]

    def _place(self, key: LaneKey, node: NodeId) -> None:
        """Make a lane at its place among the others."""
        around = outer_keys(key, self._grouping)
        lane = self._lanes[key] = Lane(key, node, len(around))
        above: tuple[Rank, ...] = ()
        for one in (*around, LaneKey(key.scope, key.who)):
            if one not in self._numbers:
                last = one == OTHERS  # the rest stands beneath all agents
                self._numbers[one] = (*above, Rank(3 if last else 2, len(self._numbers)))
            above = self._numbers[one]
        end = Rank(1, len(self._lanes)) if key.call else Rank(0, 0)
        place = (*above, end)
        if not self._sorted or self._sorted[-1][0] <= place:
            self._sorted.append((place, lane))
        else:
            insort(self._sorted, (place, lane), key=itemgetter(0))


def insert(bars: list[Bar], bar: Bar) -> None:
    """Put a bar in by its start, after those that begin with it."""
    if not bars or bars[-1].start <= bar.start:  # nearly all come in their order
        bars.append(bar)
    else:
        bars.insert(bisect_right(bars, bar.start, key=_START), bar)


def _inside(state: RunState, step: StepId) -> StepId:
    """The step inside which a step happened; itself where it did in none."""
    found = state.steps.get(step)
    return found.parent or step if found is not None else step
