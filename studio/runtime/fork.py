"""Which steps of a run depend on which, so that a fork does again only what has to be done again."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from studio.flow.graph import INTO_BODY, LOOP_RETURNS
from studio.flow.ports import Structure
from studio.flow.records import Flow, Wire
from studio.ids import NodeId, StepId, step_parts
from studio.sdk.registry import Registry


@dataclass(frozen=True, slots=True)
class Root:
    """A step from which a fork starts; one that does not run again only gives other outputs."""

    step: StepId
    runs_again: bool = True


class Dependence:
    """Tells of steps, by their names and the flow's wires, whether one can depend on another.

    Rounds follow one another, items of a map do not: `each.3/x` never depends on `each.2/y`, and
    `rounds.2/x` on `rounds.3/y` neither.
    """

    def __init__(self, flow: Flow, registry: Registry) -> None:
        self._wires: dict[NodeId, list[Wire]] = defaultdict(list)
        for wire in flow.wires:
            self._wires[wire.source.node].append(wire)
        self._kinds: Mapping[NodeId, Structure | None] = {
            node: None if (kind := registry.get(record.kind)) is None else kind.structure
            for node, record in flow.nodes.items()
        }
        self._reached: dict[tuple[Root, frozenset[str]], frozenset[NodeId]] = {}

    def is_touched(self, step: StepId, roots: Iterable[Root]) -> bool:
        """Whether `step` is one of the roots, or depends on one."""
        return any(step == root.step or self.depends(step, root) for root in roots)

    def depends(self, step: StepId, root: Root) -> bool:
        """Whether `step` can have read something that came from `root`."""
        segments, node = self._place(step)
        others, _ = self._place(root.step)
        around: list[str] = []
        for here, there in zip(segments, others, strict=False):
            owner, _, index = here.rpartition(".")
            owner_there, _, index_there = there.rpartition(".")
            if here == there:
                around.append(owner)
                continue
            if owner == owner_there:
                is_later = self._kinds.get(NodeId(owner)) is Structure.LOOP and int(index) > int(index_there)
                return is_later and node in self._after(root, frozenset(around))
            break
        return node in self._after(root, frozenset(around))

    def _place(self, step: StepId) -> tuple[list[str], NodeId]:
        """The rounds and items around a step; what stands in a subflow counts as its subflow node."""
        scope, node, _, _ = step_parts(step)
        segments = scope.split("/") if scope else []
        for position, segment in enumerate(segments):
            if "." not in segment:
                return segments[:position], NodeId(segment)
        return segments, node

    def _after(self, root: Root, around: frozenset[str]) -> frozenset[NodeId]:
        """The nodes that wires lead to from a root, in the same round of every loop in `around`."""
        known = self._reached.get((root, around))
        if known is not None:
            return known
        first = self._place(root.step)[1]
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
