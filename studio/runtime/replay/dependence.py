"""Which steps of a run depend on which, so that a fork does again only what has to be done again.

It tells from wires and step names alone: later rounds depend on earlier ones, items on no other item. For
dependence, a called flow is its step for all outside the call, and its own wires inside.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from studio.flow.ports import Structure
from studio.flow.records import Flow, Wire
from studio.flow.structure.graph import INTO_BODY, LOOP_RETURNS
from studio.flow.subflows.calls import flow_at
from studio.ids import NodeId, Scope, StepId, is_called, step_parts
from studio.sdk.registry import Registry


@dataclass(frozen=True, slots=True)
class Root:
    """A step from which a fork starts; one that does not run again only gives other outputs."""

    step: StepId
    runs_again: bool = True


class Dependence:
    """Tells of steps, by their names and the wires of their flows, whether one can depend on another.

    Rounds follow one another, items of a map do not: `each.3/x` never depends on `each.2/y`, and
    `rounds.2/x` on `rounds.3/y` neither. What stands in a flow that a step calls counts as that step for all
    outside the call; inside it, as the wires there have it.
    """

    def __init__(self, flow: Flow, registry: Registry) -> None:
        self._flow = flow
        self._registry = registry
        self._known: dict[int, _FlowDependence] = {}

    def is_touched(self, step: StepId, roots: Iterable[Root]) -> bool:
        """Whether `step` is one of the roots, or depends on one."""
        return any(step == root.step or self.depends(step, root) for root in roots)

    def depends(self, step: StepId, root: Root) -> bool:
        """Whether `step` can have read something that came from `root`."""
        here, there = _levels(step), _levels(root.step)
        flow: Flow | None = self._flow
        scope = ""
        for depth, (mine, others) in enumerate(zip(here, there, strict=False)):
            if flow is None:
                return True  # nobody knows what happens in there
            is_last = (depth == len(here) - 1, depth == len(there) - 1)
            if mine == others and is_last == (False, False):
                scope = f"{scope}/{mine.text}" if scope else mine.text
                flow = flow_at(self._flow, self._registry, Scope(scope))
                continue
            if mine.segments == others.segments and mine.node == others.node:
                # One of them calls the flow in which the other stands, or they stand in two attempts at it.
                if is_last[1]:
                    return not is_last[0] and root.runs_again
                return is_last[0] or mine.attempt > others.attempt or mine.call > others.call
            around = Root(others.step, runs_again=root.runs_again or not is_last[1])
            return self._of(flow).depends(mine.segments, mine.node, others.segments, around)
        return False

    def _of(self, flow: Flow) -> "_FlowDependence":
        known = self._known.get(id(flow))
        if known is None:
            known = self._known[id(flow)] = _FlowDependence(flow, self._registry)
        return known


@dataclass(frozen=True, slots=True)
class _Level:
    """One step of a flow: either the step that is meant, or the one that calls the flow further in."""

    segments: tuple[str, ...]
    """The rounds and items around it, since the flow began."""
    node: NodeId
    call: int
    """The number of the call of a tool, where that is meant; calls go by their numbers in time."""
    attempt: int
    text: str

    @property
    def step(self) -> StepId:
        return StepId(self.text)


def _levels(step: StepId) -> list[_Level]:
    """Take a step's name apart, from the run's own flow inwards."""
    levels: list[_Level] = []
    around: list[str] = []
    *segments, last = step.split("/")
    for segment in segments:
        if not is_called(segment):
            around.append(segment)
            continue
        levels.append(_level(around, segment))
        around = []
    return [*levels, _level(around, last)]


def _level(around: list[str], last: str) -> _Level:
    _, node, call, attempt = step_parts(StepId(last))
    number = call.rpartition(".")[2]
    called = int(number) if number.isdecimal() else 0
    return _Level(tuple(around), node, called, attempt, "/".join((*around, last)))


def _turn(index: str) -> int:
    """The number of a round or item; a run that came from elsewhere may name its steps as it likes."""
    return int(index) if index.isdecimal() else 0


class _FlowDependence:
    """The same for the steps of one flow."""

    def __init__(self, flow: Flow, registry: Registry) -> None:
        self.flow = flow
        self._wires: dict[NodeId, list[Wire]] = defaultdict(list)
        for wire in flow.wires:
            self._wires[wire.source.node].append(wire)
        self._kinds: Mapping[NodeId, Structure | None] = {
            node: None if (kind := registry.get(record.kind)) is None else kind.structure
            for node, record in flow.nodes.items()
        }
        self._reached: dict[tuple[Root, frozenset[str]], frozenset[NodeId]] = {}

    def depends(self, segments: tuple[str, ...], node: NodeId, others: tuple[str, ...], root: Root) -> bool:
        """Whether `node`, in these rounds and items, can have read what came from `root` in `others`."""
        around: list[str] = []
        for here, there in zip(segments, others, strict=False):
            owner, _, index = here.rpartition(".")
            owner_there, _, index_there = there.rpartition(".")
            if here == there:
                around.append(owner)
                continue
            if owner == owner_there:
                is_later = self._kinds.get(NodeId(owner)) is Structure.LOOP and _turn(index) > _turn(
                    index_there
                )
                return is_later and node in self._after(root, frozenset(around))
            break
        return node in self._after(root, frozenset(around))

    def _after(self, root: Root, around: frozenset[str]) -> frozenset[NodeId]:
        """The nodes that wires lead to from a root, in the same round of every loop in `around`."""
        known = self._reached.get((root, around))
        if known is not None:
            return known
        first = step_parts(root.step)[1]
        reached: set[NodeId] = set()
        waiting = [wire for wire in self._wires[first] if root.runs_again or not self._is_into_body(wire)]
        while waiting:
            wire = waiting.pop()
            target = wire.target.node
            if target in reached or (target in around and wire.target.port in LOOP_RETURNS):
                continue
            reached.add(target)
            waiting.extend(self._wires[target])
        self._reached[root, around] = frozenset(reached)
        return self._reached[root, around]

    def _is_into_body(self, wire: Wire) -> bool:
        kind = self._kinds.get(wire.source.node)
        return kind is not None and wire.source.port in INTO_BODY.get(kind, ())
