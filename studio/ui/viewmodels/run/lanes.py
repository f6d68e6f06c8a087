"""The timeline's lanes: by node, agent or scope, beneath each one for its chats and each of its tools."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from PySide6.QtCore import QCoreApplication

from studio.flow.records import CallingLibrary, Flow, title_of
from studio.ids import NodeId, StepId, is_called, seen_from_outside, step_parts
from studio.trace.fold.state import RunState
from studio.trace.timeline import spans
from studio.trace.timeline.lanes import OTHERS, Grouping
from studio.trace.timeline.spans import Bar, Spans
from studio.ui.viewmodels.words.count_words import flow_around, place, step_title

translate = QCoreApplication.translate

MOST_ROWS = 6
"""Steps of one node that overlap in time stack up to this high; more are drawn over one another."""

REGIONS = (".loop", ".for_each")
CHAT = "chat"
ASK = "ask"
_CALL_TONES = {CHAT: CHAT, ASK: "person"}

_START = attrgetter("start")
MOST_LABELS = 4_000
"""Labels that are kept, for each frame asks for nearly the same."""
BLOCK = 64
"""Bars of a row of which it is remembered together which one ends last."""


@dataclass(slots=True)
class Row:
    """Bars that do not overlap, in order of time."""

    bars: list[Bar] = field(default_factory=list[Bar])
    overlaps: bool = False
    """Whether some do overlap after all, because there are no more rows."""
    _blocks: dict[int, Bar] = field(default_factory=dict[int, Bar])
    """Of blocks of bars that are over, the one that ends last."""

    def takes(self, start: float) -> bool:
        """Whether a bar that starts then stands clear of the last one."""
        return not self.bars or (self.bars[-1].end is not None and self.bars[-1].end <= start)

    def add(self, bar: Bar) -> None:
        """Put a bar in at its place."""
        if self.bars and bar.start < self.bars[-1].start:
            self._blocks.clear()
        spans.insert(self.bars, bar)

    def remove(self, bar: Bar) -> bool:
        """Take a bar out; gives whether it was here."""
        at = self._place(bar)
        if at is not None:
            del self.bars[at]
            self._blocks.clear()
        return at is not None

    def has(self, bar: Bar) -> bool:
        """Whether that very bar stands in it."""
        return self._place(bar) is not None

    def between(self, first: float, last: float) -> Iterator[Bar]:
        """The bars that may be seen between two times."""
        begin = max(bisect_left(self.bars, first, key=_START) - 1, 0)
        return iter(self.bars[begin : bisect_right(self.bars, last, key=_START)])

    def apart(self, first: float, last: float, narrowest: float) -> Iterator[Bar]:
        """Of those, the ones that can be told apart where bars are drawn `narrowest` seconds wide at least.

        Of thousands within that it gives the first and the last, which may be long; of those that overlap the
        one that ends last as well, and of those before them that reach that far.
        """
        bars = self.bars
        at = max(bisect_left(bars, first, key=_START) - 1, 0)
        until = bisect_right(bars, last, key=_START)
        if self.overlaps:
            yield from self._reaching(at, first)
        while at < until:
            bar = bars[at]
            yield bar
            onward = bisect_left(bars, bar.start + narrowest, at + 1, until, key=_START)
            if self.overlaps and onward - 2 > at:
                yield self._longest(at + 1, onward - 1)
            if onward - 1 > at:
                yield bars[onward - 1]
            at = onward

    def _reaching(self, until: int, time: float) -> Iterator[Bar]:
        """Of the bars up to a place, those that end after a time; of a block, the one that ends last."""
        for block in range(until // BLOCK):
            longest = self._longest_of(block)
            if _until(longest) > time:
                yield longest
        for bar in self.bars[until // BLOCK * BLOCK : until]:
            if bar.end is None or bar.end > time:
                yield bar

    def _longest(self, first: int, last: int) -> Bar:
        """The bar that ends last of some, as far as whole blocks of them are over looked up by block."""
        best = self.bars[first]
        while first < last:
            block, within = divmod(first, BLOCK)
            if within or first + BLOCK > last:
                one, first = self.bars[first], first + 1
            else:
                one, first = self._longest_of(block), first + BLOCK
            best = max(best, one, key=_until)
        return best

    def _longest_of(self, block: int) -> Bar:
        known = self._blocks.get(block)
        if known is None:
            bars = self.bars[block * BLOCK : (block + 1) * BLOCK]
            known = max(bars, key=_until)
            if all(one.end is not None for one in bars):
                self._blocks[block] = known
        return known

    def _place(self, bar: Bar) -> int | None:
        at = bisect_left(self.bars, bar.start, key=_START)
        while at < len(self.bars) and self.bars[at].start == bar.start:
            if self.bars[at] is bar:
                return at
            at += 1
        return None


@dataclass(slots=True, eq=False)
class Lane:
    """A title and the rows of bars beside it. `tone` is `step`, `region`, `chat`, `tool` or `person`.

    `depth` is how many loops, maps and called flows are around it. `waiting` has the steps that wait for
    their turn, with the time since when.
    """

    node: NodeId
    title: str
    tone: str
    bars: Sequence[Bar] = ()
    """The bars of all rows, by their start."""
    rows: list[Row] = field(default_factory=lambda: [Row()])
    depth: int = 0
    waiting: Mapping[StepId, float] = field(default_factory=dict[StepId, float])

    @property
    def is_nested(self) -> bool:
        """Whether it stands beneath the lane of its node."""
        return self.tone in {"chat", "tool", "person"}

    def add(self, bar: Bar) -> bool:
        """Put a bar into the first row where it stands clear; gives whether that is a new one."""
        row = next((row for row in self.rows if row.takes(bar.start)), None)
        is_new = row is None and len(self.rows) < MOST_ROWS
        if row is None:
            row = self.rows[-1]
            if is_new:
                row = Row()
                self.rows.append(row)
            else:
                row.overlaps = True
        row.add(bar)
        return is_new

    def remove(self, bar: Bar) -> None:
        """Take a bar out; the others stay in their rows."""
        any(row.remove(bar) for row in self.rows)

    def nearest(self, time: float) -> Bar | None:
        """The bar whose start is nearest to a time."""
        at = bisect_left(self.bars, time, key=_START)
        return min(self.bars[max(at - 1, 0) : at + 1], key=lambda bar: abs(bar.start - time), default=None)

    def beside(self, bar: Bar, direction: int) -> Bar | None:
        """The next bar by start (1), or the one before (-1); None at the lane's ends."""
        at = bisect_left(self.bars, bar.start, key=_START)
        while self.bars[at] is not bar:  # those that start together
            at += 1
        at += direction
        return self.bars[at] if 0 <= at < len(self.bars) else None


def _until(bar: Bar) -> float:
    return math.inf if bar.end is None else bar.end


class Lanes:
    """All lanes of one run of `flow`; by node, its nodes that have yet to run included."""

    def __init__(
        self,
        flow: Flow,
        kinds_that_lend: Iterable[str] = (),
        library: CallingLibrary | None = None,
        grouping: Grouping = Grouping.NODE,
    ) -> None:
        self._flow, self._library, self._grouping = flow, library, grouping
        self._spans = Spans(grouping)
        self._shown: dict[int, Lane] = {}
        self._order: list[Lane] | None = None
        self._count = 0
        self._parts: dict[StepId, str] = {}
        self._labels: dict[StepId, str] = {}
        self.version = 0
        """Another number whenever lanes or rows were added."""
        lend = frozenset(kinds_that_lend)
        self._waiting = [
            Lane(node, title_of(flow, node), self._tone(node, ""))
            for node in sorted(flow.nodes, key=lambda one: _across(flow, one))
            if flow.nodes[node].kind not in lend and grouping is Grouping.NODE
        ]

    @property
    def traced(self) -> Sequence[spans.Lane]:
        """The lanes as the trace has them."""
        return self._spans.lanes

    def touch(self, state: RunState, steps: Iterable[StepId]) -> None:
        """Read the named steps again; costs the same for each, however long the run is."""
        steps = list(steps)
        moved = self._spans.misplaced(state, steps)
        for lane, bar in moved:
            self._lane(lane).remove(bar)
            if not lane.bars:  # it may be gone
                del self._shown[id(lane)]
                self._order = None
                self.version += 1
        for step in (state.steps[one] for one in steps if one in state.steps):
            above = state.steps.get(step.parent) if step.call_id else None
            if above is not None and step.call_id in above.parts:
                self._parts[step.id] = above.parts[step.call_id].title
        steps.extend(bar.step for _, bar in moved)
        for lane, bar in self._spans.update(state, steps):
            self.version += self._lane(lane).add(bar)
        if self._count != self._spans.count:
            self._count, self._order = self._spans.count, None
            self.version += 1

    def changed(self, before: float, wide: float) -> dict[Lane, float]:
        """Tell from which time on each lane is drawn otherwise than at the time `before`.

        A bar that lasts grows at its end; what is written on one that is not `wide` (in seconds) comes anew.
        """
        since = {self._lane(lane): start for lane, start in self._spans.take_changed().items()}
        for bar in self._spans.going.values():
            if bar.lane is not None:
                lane = self._lane(bar.lane)
                start = before if before - bar.start > wide and not bar.held else bar.start
                since[lane] = min(since.get(lane, start), start)
        return since

    def all(self) -> list[Lane]:
        """The lanes from the top: nodes as they appeared, then those that have yet to."""
        if self._order is None:
            ran = [self._lane(lane) for lane in self._spans.lanes]
            seen = {lane.node for lane in ran}
            self._order = [*ran, *(lane for lane in self._waiting if lane.node not in seen)]
        return self._order

    def find(self, step: StepId) -> tuple[Bar, Lane] | None:
        """The bar of a step and the lane that it stands in."""
        found = self._spans.find(step)
        return (found[1], self._lane(found[0])) if found is not None else None

    def label(self, step: StepId) -> str:
        """Which of its lane's steps a bar is: by node its round or item (`round 2`), otherwise its node.

        A call that works on a part of a step is called as that is.
        """
        if step in self._parts:
            return self._parts[step]
        found = self._labels.get(step)
        if found is None:
            if len(self._labels) >= MOST_LABELS:
                self._labels.clear()
            found = self._labels[step] = self._label(step)
        return found

    def _label(self, step: StepId) -> str:
        if self._grouping is Grouping.AGENT:
            return step_title(self._flow, step, self._library)
        scope, node, _, _ = step_parts(step)
        if self._grouping is Grouping.SCOPE:
            around = flow_around(self._flow, self._library, scope)
            return title_of(around, node) if around is not None else node
        if is_called(scope.rpartition("/")[2]):  # the lane names who calls; the bar says for which item
            step = seen_from_outside(step)
        return place(self._flow, step, self._library).rpartition(", ")[2]

    def _lane(self, span: spans.Lane) -> Lane:
        found = self._shown.get(id(span))
        if found is None:
            node, title, is_called_node = self._titled(span)
            tone = "step" if self._grouping is not Grouping.NODE or is_called_node else self._tone(node, "")
            tone = self._tone(node, span.call) if span.call else tone
            found = Lane(node, span.call or title, tone, span.bars, depth=span.depth, waiting=span.waiting)
            self._shown[id(span)] = found
        return found

    def _titled(self, span: spans.Lane) -> tuple[NodeId, str, bool]:
        """The lane's node, its title, and whether it stands for a node of a called flow."""
        step = span.bars[0].step if span.bars else next(iter(span.waiting), StepId(""))
        if self._grouping is Grouping.SCOPE:
            said = place(self._flow, step, self._library).rpartition(", ")[2] if span.scope else ""
            return span.node, said or self._flow.name or translate("timeline", "The flow"), False
        if span.key == OTHERS:
            return span.node, translate("timeline", "Other steps"), False
        if self._grouping is Grouping.AGENT and span.key.who != span.node:
            return span.node, span.key.who, False
        outer = seen_from_outside(step)
        if outer == step:
            return span.node, title_of(self._flow, span.node), False
        caller = step_parts(outer)[1]
        around = flow_around(self._flow, self._library, step_parts(step)[0])
        inner = title_of(around, span.node) if around is not None else span.node
        return caller, f"{title_of(self._flow, caller)}: {inner}", True

    def _tone(self, node: NodeId, call: str) -> str:
        if call:
            return _CALL_TONES.get(call, "tool")
        record = self._flow.nodes.get(node)
        return "region" if record is not None and record.kind.endswith(REGIONS) else "step"


def _across(flow: Flow, node: NodeId) -> tuple[int, int, str]:
    point = flow.layout.nodes.get(node)
    return (point.x, point.y, str(node)) if point is not None else (0, 0, str(node))


def ticks(first: float, last: float, per_second: float, apart: float = 80.0) -> list[tuple[float, str]]:
    """Round times between two, at least `apart` pixels from one another, and how they are written."""
    least = apart / per_second if per_second > 0 else 1.0
    days = math.ceil(least / _STEPS[-1])
    step = next((one for one in _STEPS if one >= least), _STEPS[-1] * days)
    count = int(first / step)
    marks: list[tuple[float, str]] = []
    while (at := count * step) <= last:
        if at >= 0:
            marks.append((at, _written(at, step)))
        count += 1
    return marks


_STEPS = (
    *(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5),
    *(1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, 7200.0, 21600.0, 86400.0),
)


def _written(at: float, step: float) -> str:
    if step < 1:
        return f"{at * 1000:.0f} ms" if step < 0.1 else f"{at:.1f} s"
    if step < 60:
        return f"{at:.0f} s"
    hours, rest = divmod(int(at), 3600)
    return f"{hours}:{rest // 60:02} h" if hours else f"{rest // 60} min"
