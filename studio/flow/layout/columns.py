"""A graph in columns, each in an order in which few wires cross; the same graph always gives the same.

Ranks by longest path, dummies where an edge passes columns, and sweeps that order every column by the mean
place of its neighbours (Sugiyama, Tagawa and Toda, 1981). The order with the fewest crossings is kept.
"""

from bisect import bisect_right, insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from studio.flow.structure.graph import Vertex, VertexGraph, graph_from, in_order, without_cycles
from studio.ids import NodeId

SWEEPS = 12
MOST_SLOTS = 4000
"""From so many on there are no dummies and two sweeps only: a person waits for it."""


@dataclass(slots=True)
class Layers:
    """Columns of slots: numbers that stand for an item, or from `len(names)` on for an edge passing by."""

    names: Sequence[NodeId]
    columns: list[list[int]]
    before: list[list[int]] = field(default_factory=list[list[int]])
    after: list[list[int]] = field(default_factory=list[list[int]])

    def crossings(self) -> int:
        """How many pairs of edges between neighbouring columns cross."""
        place = self._places()
        return sum(
            _inversions([(place[one], place[two]) for one in left for two in self.after[one]])
            for left in self.columns
        )

    def sweep(self, *, forward: bool) -> None:
        """Order every column by the mean place of what it is joined to in the one swept before."""
        ordered = self.columns if forward else self.columns[::-1]
        beside = self.before if forward else self.after
        place = self._places()
        for column in ordered[1:]:
            means = {
                slot: sum(place[one] for one in beside[slot]) / len(beside[slot])
                if beside[slot]
                else float(place[slot])
                for slot in column
            }
            column.sort(key=lambda slot: (means[slot], place[slot]))
            place.update({slot: number for number, slot in enumerate(column)})

    def _places(self) -> dict[int, int]:
        return {slot: number for column in self.columns for number, slot in enumerate(column)}


def layers_of(names: Sequence[NodeId], edges: Sequence[tuple[NodeId, NodeId]]) -> Layers:
    """Put items into columns by how much lies before them, ordered so that few edges cross.

    Where the edges leave it open, items keep the order in which they are named.
    """
    drawn = graph_from(
        (Vertex(name) for name in sorted(names)), ((Vertex(one), Vertex(other)) for one, other in edges)
    )
    graph, _ = without_cycles(drawn)
    ranks = _ranks(graph)
    layers = _slots(names, ranks, sorted({(one.node, other.node) for one, other in graph.edges}))
    is_small = len(layers.before) <= MOST_SLOTS
    best, fewest = [list(column) for column in layers.columns], layers.crossings()
    for turn in range(SWEEPS if is_small else 2):
        if not fewest:
            break
        layers.sweep(forward=turn % 2 == 0)
        crossings = layers.crossings()
        if crossings < fewest:
            best, fewest = [list(column) for column in layers.columns], crossings
    layers.columns = best
    return layers


def _ranks(graph: VertexGraph) -> Mapping[NodeId, int]:
    """The length of the longest path to each; sources stand right before the first that needs them."""
    ranks: dict[NodeId, int] = {}
    order = in_order(graph)
    for vertex in order:
        ranks[vertex.node] = max((ranks[one.node] + 1 for one in graph.predecessors(vertex)), default=0)
    for vertex in order:
        followers = [ranks[one.node] for one in graph.successors(vertex)]
        if followers and not graph.in_degree(vertex):
            ranks[vertex.node] = min(followers) - 1
    return ranks


def _slots(
    names: Sequence[NodeId], ranks: Mapping[NodeId, int], edges: Sequence[tuple[NodeId, NodeId]]
) -> Layers:
    layers = Layers(names, [[] for _ in range(max(ranks.values(), default=-1) + 1)])
    number = {name: slot for slot, name in enumerate(names)}
    for name in names:
        layers.columns[ranks[name]].append(number[name])
    layers.before, layers.after = [[] for _ in names], [[] for _ in names]
    spans = sum(ranks[target] - ranks[source] - 1 for source, target in edges)
    for source, target in edges:
        slot = number[source]
        if len(names) + spans > MOST_SLOTS and ranks[target] - ranks[source] > 1:
            continue
        for rank in range(ranks[source] + 1, ranks[target]):
            passing = len(layers.before)
            layers.columns[rank].append(passing)
            layers.before.append([slot])
            layers.after.append([])
            layers.after[slot].append(passing)
            slot = passing
        layers.after[slot].append(number[target])
        layers.before[number[target]].append(slot)
    return layers


def _inversions(pairs: list[tuple[int, int]]) -> int:
    """How many pairs stand in one order on the left and in the other on the right."""
    seen: list[int] = []
    count = 0
    for _, right in sorted(pairs):
        count += len(seen) - bisect_right(seen, right)
        insort(seen, right)
    return count
