"""Which vertices each loop and each map spans, regions that are pulled into a loop included."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, product
from typing import Literal, TypeAlias

from studio.flow.ports import Structure
from studio.flow.records import Wire
from studio.flow.structure.graph import StepGraph, Vertex, VertexGraph, in_order, leads_to, reached
from studio.ids import NodeId

Stack: TypeAlias = tuple[NodeId, ...]
"""The maps that a vertex stands in, by their for-each nodes, outermost first."""


@dataclass(frozen=True)
class Span:
    """The vertices of one region: its entry, its body, its exits."""

    owner: NodeId
    entry: Vertex
    body: frozenset[Vertex]
    exits: frozenset[Vertex]
    is_loop: bool

    @cached_property
    def whole(self) -> frozenset[Vertex]:
        """Entry, body and exits."""
        return self.body | self.exits | {self.entry}

    @property
    def collects(self) -> tuple[NodeId, ...]:
        """The collect nodes that close a map."""
        return () if self.is_loop else tuple(sorted(one.node for one in self.exits))


@dataclass(frozen=True, slots=True)
class Crossing:
    """Two regions that are neither disjoint nor nested."""

    kind: Literal["maps", "enters-loop", "leaves-map", "crossing"]
    """Two maps in the same steps; items that reach into a loop from outside, or a loop's exit from inside."""
    first: NodeId
    second: NodeId
    wires: tuple[Wire, ...] = ()


@dataclass(frozen=True, slots=True)
class Nest:
    """Every region's span by its owner, and what does not nest."""

    spans: Mapping[NodeId, Span]
    stacks: Mapping[Vertex, Stack]
    crossings: tuple[Crossing, ...]
    stray_collects: tuple[NodeId, ...]


@dataclass(slots=True)
class _Stacks:
    """What one pass over the graph finds about maps."""

    of: dict[Vertex, Stack] = field(default_factory=dict[Vertex, Stack])
    collects: dict[NodeId, set[Vertex]] = field(default_factory=dict[NodeId, set[Vertex]])
    clashes: list[tuple[NodeId, NodeId, Vertex]] = field(default_factory=list[tuple[NodeId, NodeId, Vertex]])
    leaks: list[tuple[NodeId, NodeId, Vertex]] = field(default_factory=list[tuple[NodeId, NodeId, Vertex]])
    stray: list[NodeId] = field(default_factory=list[NodeId])


def find_nest(graph: StepGraph, acyclic: VertexGraph) -> Nest:
    """Span every loop and map of an acyclic split graph.

    Where two maps clash, either may turn out to be the inner one once it is pulled into a loop, so both
    readings are tried, and the one with fewer clashes holds.
    """
    spans, stacks = _pulled_together(graph, acyclic, later_is_inner=True)
    if stacks.clashes:
        other = _pulled_together(graph, acyclic, later_is_inner=False)
        if len(other[1].clashes) < len(stacks.clashes):
            spans, stacks = other
    return Nest(spans, stacks.of, tuple(_crossings(graph, spans, stacks)), tuple(sorted(stacks.stray)))


def _pulled_together(
    graph: StepGraph, acyclic: VertexGraph, *, later_is_inner: bool
) -> tuple[dict[NodeId, Span], _Stacks]:
    """Draw an edge from a loop's entry to each region that it pulls in, until none is left to pull.

    A region is pulled in when all its exits stand in the loop's body and its entry does not.
    """
    drawn = acyclic.copy()
    while True:
        stacks = _pass_stacks(graph, drawn, later_is_inner=later_is_inner)
        spans = _spans(graph, drawn, stacks)
        pulled = _pulls(drawn, spans)
        if not pulled:
            return spans, stacks
        drawn.add_edge(*pulled[0])


def _pulls(drawn: VertexGraph, spans: Mapping[NodeId, Span]) -> list[tuple[Vertex, Vertex]]:
    ending = _owners(spans, lambda span: span.exits)
    found: list[tuple[Vertex, Vertex]] = []
    for loop in spans.values():
        for name in _met(loop, ending) if loop.is_loop else ():
            other = spans[name]
            if (
                other.exits <= loop.body
                and other.entry not in loop.body
                and not leads_to(drawn, loop.entry, other.entry)
                and not leads_to(drawn, other.entry, loop.entry)
            ):
                found.append((loop.entry, other.entry))
    return found


def _owners(
    spans: Mapping[NodeId, Span], part: Callable[[Span], Iterable[Vertex]]
) -> dict[Vertex, list[NodeId]]:
    """Whose entry, exit or body each vertex is; inner regions stand behind outer ones."""
    found: dict[Vertex, list[NodeId]] = defaultdict(list)
    for span in sorted(spans.values(), key=lambda one: (-len(one.whole), one.owner)):
        for vertex in part(span):
            found[vertex].append(span.owner)
    return found


def _met(span: Span, owners: Mapping[Vertex, Sequence[NodeId]]) -> list[NodeId]:
    """The other regions that own vertices in the body of `span`."""
    return sorted({name for one in span.body for name in owners.get(one, ()) if name != span.owner})


def _pass_stacks(graph: StepGraph, drawn: VertexGraph, *, later_is_inner: bool) -> _Stacks:
    """Carry the stack of open maps along the edges: a for-each opens one, a collect closes the innermost."""
    found = _Stacks(collects={node: set() for node in graph.nodes_with(Structure.FOR_EACH)})
    leaving: dict[Vertex, Stack] = {}
    ranks: dict[NodeId, int] = {}
    for rank, vertex in enumerate(in_order(drawn)):
        ranks[vertex.node] = rank
        stack: Stack = ()
        for before in sorted(drawn.predecessors(vertex)):
            stack = _merged(stack, leaving[before], vertex, found, ranks, later_is_inner=later_is_inner)
        structure = graph.structure(vertex.node)
        if vertex.is_exit:
            stack = _as_at_entry(stack, vertex, found)
        if structure is Structure.COLLECT:
            if stack:
                found.collects[stack[-1]].add(vertex)
                stack = stack[:-1]
            else:
                found.stray.append(vertex.node)
        found.of[vertex] = stack
        leaving[vertex] = (*stack, vertex.node) if structure is Structure.FOR_EACH else stack
    return found


def _as_at_entry(stack: Stack, end: Vertex, found: _Stacks) -> Stack:
    """A loop ends in the map where it starts; single items that reach its exit all the same are a leak."""
    at_entry = found.of[Vertex(end.node)]
    extra = [name for name in stack if name not in at_entry]
    if extra:
        found.leaks.append((end.node, extra[0], end))
    return at_entry


def _merged(
    one: Stack,
    other: Stack,
    vertex: Vertex,
    found: _Stacks,
    ranks: Mapping[NodeId, int],
    *,
    later_is_inner: bool,
) -> Stack:
    shorter, longer = sorted((one, other), key=len)
    if longer[: len(shorter)] == shorter:
        return longer
    common = [a for a, b in zip(one, other, strict=False) if a == b]
    rest = {name for name in (*one, *other) if name not in common}
    for first, second in product(one[len(common) :], other[len(common) :]):
        pair = (min(first, second), max(first, second))
        if first != second and not any(each[:2] == pair for each in found.clashes):
            found.clashes.append((*pair, vertex))
    return (*common, *sorted(rest, key=lambda name: ranks[name], reverse=not later_is_inner))


def _spans(graph: StepGraph, drawn: VertexGraph, stacks: _Stacks) -> dict[NodeId, Span]:
    spans: dict[NodeId, Span] = {}
    ranks = {vertex: rank for rank, vertex in enumerate(stacks.of)}
    bodies: dict[NodeId, set[Vertex]] = defaultdict(set)
    for vertex, stack in stacks.of.items():
        for name in stack:
            bodies[name].add(vertex)
    for node in graph.nodes_with(Structure.FOR_EACH):
        body = frozenset(bodies[node])
        spans[node] = Span(node, Vertex(node), body, frozenset(stacks.collects[node]), is_loop=False)
    for node in graph.nodes_with(Structure.LOOP):
        entry, end = Vertex(node), Vertex(node, is_exit=True)
        after = reached(entry, drawn.successors, lambda one, end=end: ranks[one] <= ranks[end])
        before = reached(end, drawn.predecessors, lambda one, entry=entry: ranks[one] >= ranks[entry])
        inner = frozenset((after & before) - {entry, end})
        spans[node] = Span(node, entry, inner, frozenset({end}), is_loop=True)
    return _with_sinks(spans)


def _with_sinks(spans: dict[NodeId, Span]) -> dict[NodeId, Span]:
    """Give a body what belongs to the maps whole within it, even where that leads to no exit."""
    starting = _owners(spans, lambda span: (span.entry,))
    grown = True
    while grown:
        grown = False
        for name in sorted(spans, key=lambda one: (len(spans[one].whole), one)):
            span = spans[name]
            inside = (spans[other] for other in _met(span, starting))
            lacking = {
                vertex
                for other in inside
                if other.exits and other.exits <= span.body
                for vertex in other.whole - span.whole
            }
            if lacking:
                spans[name] = replace(span, body=span.body | lacking)
                grown = True
    return spans


def _crossings(graph: StepGraph, spans: Mapping[NodeId, Span], stacks: _Stacks) -> list[Crossing]:
    found = [
        Crossing("maps", first, second, _wires_to(graph, vertex)) for first, second, vertex in stacks.clashes
    ]
    for loop, scatter, end in stacks.leaks:
        within = spans[scatter].entry in spans[loop].body
        kind: Literal["leaves-map", "enters-loop"] = "leaves-map" if within else "enters-loop"
        reach = spans[scatter].body | {spans[scatter].entry}
        ends = frozenset({end}) if within else spans[loop].body | spans[loop].exits
        wires = _wires_between(graph, reach, ends)
        outer = _wires_between(graph, reach - spans[loop].whole, ends)
        found.append(Crossing(kind, loop, scatter, outer or wires))
    known = {frozenset({one.first, one.second}) for one in found}
    sharing = _owners(spans, lambda span: span.whole)
    pairs = {(a, b) for owners in sharing.values() for a, b in combinations(sorted(owners), 2)}
    for first, second in sorted(pairs):
        one, other = spans[first], spans[second]
        nested = one.whole <= other.body or other.whole <= one.body
        if not nested and frozenset({first, second}) not in known:
            shared = one.whole & other.whole
            wires = _wires_between(graph, shared, one.whole ^ other.whole)
            found.append(
                Crossing("crossing", first, second, wires or _wires_between(graph, one.whole, other.whole))
            )
    return found


def _wires_to(graph: StepGraph, vertex: Vertex) -> tuple[Wire, ...]:
    return tuple(wire for (_, target), wires in graph.edges.items() if target == vertex for wire in wires)


def _wires_between(
    graph: StepGraph, sources: frozenset[Vertex], targets: frozenset[Vertex]
) -> tuple[Wire, ...]:
    found: Sequence[tuple[Wire, ...]] = [
        wires for (source, target), wires in graph.edges.items() if source in sources and target in targets
    ]
    return tuple(wire for wires in found for wire in wires)
