"""What stands beneath what in the outline, and in which order."""

import heapq
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from studio.flow.records import Flow, Library
from studio.ids import NodeId
from studio.ui.canvas.scene.regions import regions_of


@dataclass(slots=True)
class Tree:
    """Which node stands beneath which, in order."""

    inside: dict[NodeId | None, list[NodeId]] = field(default_factory=dict[NodeId | None, list[NodeId]])
    around: dict[NodeId, NodeId] = field(default_factory=dict[NodeId, NodeId])


def tree_of(flow: Flow, library: Library) -> Tree:
    """Put bodies into their loops and maps, and lenders beneath the first who borrows; order the rest."""
    tree = Tree()
    for region in sorted(regions_of(flow, library), key=lambda one: -len(one.body)):
        for node in (*region.body, *region.collects):
            if node != region.node:
                tree.around[node] = region.node
    order = _ordered(flow, tree.around)
    borrowed = _first_borrowers(flow, library, {node: place for place, node in enumerate(order)})
    for node, borrower in borrowed.items():
        if not _is_beneath(borrower, node, {**tree.around, **borrowed}):
            tree.around[node] = borrower
    for node in order:
        tree.inside.setdefault(tree.around.get(node), []).append(node)
    return tree


def _is_beneath(node: NodeId, other: NodeId, around: Mapping[NodeId, NodeId]) -> bool:
    """Whether a node stands in another, or lenders lend to one another in a circle."""
    seen: set[NodeId] = set()
    at: NodeId | None = node
    while at is not None and at not in seen:
        if at == other:
            return True
        seen.add(at)
        at = around.get(at)
    return at is not None


def _first_borrowers(flow: Flow, library: Library, places: Mapping[NodeId, int]) -> dict[NodeId, NodeId]:
    lent: dict[NodeId, list[NodeId]] = defaultdict(list)
    for wire in flow.wires:
        source = flow.nodes.get(wire.source.node)
        signature = library.signature(source) if source is not None else None
        if signature is not None and signature.is_binding and wire.target.node in places:
            lent[wire.source.node].append(wire.target.node)
    return {node: min(borrowers, key=lambda one: places[one]) for node, borrowers in lent.items()}


def _ordered(flow: Flow, around: Mapping[NodeId, NodeId]) -> list[NodeId]:
    """The nodes so that each stands after what it waits for, as seen from the region that holds both."""
    ways = {node: _way(node, around) for node in flow.nodes}
    after: dict[NodeId, set[NodeId]] = defaultdict(set)
    waits: dict[NodeId, int] = dict.fromkeys(flow.nodes, 0)
    for wire in flow.wires:
        pair = _seen(ways.get(wire.source.node, ()), ways.get(wire.target.node, ()))
        if pair is not None and pair[1] not in after[pair[0]]:
            after[pair[0]].add(pair[1])
            waits[pair[1]] += 1
    spots = flow.layout.nodes
    rank = {
        node: (spots[node].x, spots[node].y, str(node)) if node in spots else (0, 0, str(node))
        for node in flow.nodes
    }
    ready = [(rank[node], node) for node, count in waits.items() if count == 0]
    heapq.heapify(ready)
    found: list[NodeId] = []
    while ready:
        node = heapq.heappop(ready)[1]
        found.append(node)
        for other in after[node]:
            waits[other] -= 1
            if waits[other] == 0:
                heapq.heappush(ready, (rank[other], other))
    return [*found, *sorted(flow.nodes.keys() - set(found))]


def _way(node: NodeId, around: Mapping[NodeId, NodeId]) -> tuple[NodeId, ...]:
    """The regions around a node from outside in, and itself."""
    way = [node]
    while (outer := around.get(way[-1])) is not None and outer not in way:
        way.append(outer)
    return tuple(reversed(way))


def _seen(one: Sequence[NodeId], other: Sequence[NodeId]) -> tuple[NodeId, NodeId] | None:
    """The two as the innermost region around both sees them; None where one lies in the other."""
    return next((pair for pair in zip(one, other, strict=False) if pair[0] != pair[1]), None)
