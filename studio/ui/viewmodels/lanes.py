"""The timeline's rows: one lane for each node, beneath it one for its chats and each of its tools."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from studio.flow.records import Flow, title_of
from studio.ids import NodeId, StepId
from studio.trace.state import RunState, StepState
from studio.ui.viewmodels.wording import place

MOST_ROWS = 6
"""Steps of one node that overlap in time stack up to this high; more are drawn over one another."""

REGIONS = (".loop", ".for_each")
CHAT = "chat"


@dataclass(slots=True)
class Bar:
    """One step in time; `end` is None while it lasts. Mutable: it grows with its step."""

    step: StepId
    label: str
    start: float
    end: float | None = None
    status: str = ""
    held: Sequence[tuple[float, float | None]] = ()


@dataclass(slots=True)
class Row:
    """Bars that do not overlap, in order of time."""

    bars: list[Bar] = field(default_factory=list[Bar])
    starts: list[float] = field(default_factory=list[float])

    def takes(self, start: float) -> bool:
        """Whether a bar that starts then stands clear of the last one."""
        return not self.bars or (self.bars[-1].end is not None and self.bars[-1].end <= start)

    def add(self, bar: Bar) -> None:
        """Put a bar in at its place."""
        at = bisect_right(self.starts, bar.start)
        self.starts.insert(at, bar.start)
        self.bars.insert(at, bar)

    def between(self, first: float, last: float) -> Iterator[Bar]:
        """The bars that may be seen between two times."""
        begin = max(bisect_left(self.starts, first) - 1, 0)
        return iter(self.bars[begin : bisect_right(self.starts, last)])


@dataclass(slots=True)
class Lane:
    """A title and the bars beside it. `tone` is `step`, `region`, `chat` or `tool`."""

    node: NodeId
    title: str
    tone: str
    rows: list[Row] = field(default_factory=lambda: [Row()])

    @property
    def is_nested(self) -> bool:
        """Whether it stands beneath the lane of its node."""
        return self.tone in {"chat", "tool"}

    def add(self, bar: Bar) -> None:
        """Put a bar into the first row where it stands clear."""
        row = next((row for row in self.rows if row.takes(bar.start)), None)
        if row is None:
            row = self.rows[-1]
            if len(self.rows) < MOST_ROWS:
                row = Row()
                self.rows.append(row)
        row.add(bar)


class Lanes:
    """All lanes of one run; `touch` brings single steps up to date, whatever their number."""

    def __init__(self, flow: Flow, kinds_that_lend: Iterable[str] = ()) -> None:
        self._flow = flow
        self._lanes: dict[tuple[NodeId, str], Lane] = {}
        self._bars: dict[StepId, tuple[Bar, Lane]] = {}
        self._order: list[Lane] | None = None
        lend = frozenset(kinds_that_lend)
        self._waiting = [
            node
            for node in sorted(flow.nodes, key=lambda one: _across(flow, one))
            if flow.nodes[node].kind not in lend
        ]
        self._appeared: dict[NodeId, None] = {}

    def touch(self, state: RunState, steps: Iterable[StepId]) -> None:
        """Read the named steps again."""
        for step in steps:
            found = state.steps.get(step)
            if found is not None and (began := _began(found)) is not None:
                self._touch(found, began)

    def all(self) -> list[Lane]:
        """The lanes from the top: nodes as they appeared, then those that have yet to."""
        if self._order is None:
            self._order = []
            for node in (*self._appeared, *(one for one in self._waiting if one not in self._appeared)):
                own = self._lane(node, "")
                self._order.append(own)
                self._order.extend(
                    lane for (owner, part), lane in self._lanes.items() if owner == node and part
                )
        return self._order

    def find(self, step: StepId) -> tuple[Bar, Lane] | None:
        """The bar of a step and the lane that it stands in."""
        return self._bars.get(step)

    def _touch(self, step: StepState, began: float) -> None:
        found = self._bars.get(step.id)
        if found is None:
            part = "" if not step.call else step.tool or CHAT
            if step.node not in self._appeared or (step.node, part) not in self._lanes:
                self._appeared[step.node] = None
                self._order = None
            lane = self._lane(step.node, part)
            label = "" if step.call else place(self._flow, step.id).rpartition(", ")[2]
            found = (Bar(step.id, label, began), lane)
            self._bars[step.id] = found
            found[0].end = step.ended
            lane.add(found[0])
        bar = found[0]
        bar.end, bar.status, bar.held = step.ended, str(step.status), step.held

    def _lane(self, node: NodeId, part: str) -> Lane:
        lane = self._lanes.get((node, part))
        if lane is None:
            record = self._flow.nodes.get(node)
            is_region = record is not None and record.kind.endswith(REGIONS)
            tone = (CHAT if part == CHAT else "tool") if part else "region" if is_region else "step"
            lane = Lane(node, part or title_of(self._flow, node), tone)
            self._lanes[node, part] = lane
        return lane


def _began(step: StepState) -> float | None:
    """When a step first took time: held before it started, or started."""
    return step.held[0][0] if step.held else step.started


def _across(flow: Flow, node: NodeId) -> tuple[int, int, str]:
    point = flow.layout.nodes.get(node)
    return (point.x, point.y, str(node)) if point is not None else (0, 0, str(node))


def ticks(first: float, last: float, per_second: float, apart: float = 80.0) -> list[tuple[float, str]]:
    """Round times between two, at least `apart` pixels from one another, and how they are written."""
    least = apart / per_second if per_second > 0 else 1.0
    step = next((one for one in _STEPS if one >= least), _STEPS[-1])
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
