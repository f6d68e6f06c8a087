"""Where each step stands: the tree of loops and maps, which scheduler, debugger and exporter follow.

A loop is split into an entry and an exit (`graph`). Its body is what its entry reaches and what reaches its
exit; a map's body is what its items reach before one of its collects. Regions are disjoint, or one lies
whole in the other's body. Nothing here raises on a broken flow: it gives the best tree, and the problems.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from studio.flow.ports import Structure
from studio.flow.records import Flow, Library, Wire, title_of
from studio.flow.structure.graph import (
    StepGraph,
    Vertex,
    VertexGraph,
    graph_from,
    is_acyclic,
    step_graph,
    without_cycles,
)
from studio.flow.structure.region_spans import Crossing, Nest, Span, find_nest
from studio.ids import NodeId

RegionKind: TypeAlias = Literal["root", "loop", "map"]


SHAPES = frozenset({Structure.LOOP, Structure.FOR_EACH, Structure.COLLECT})
"""The structures that open regions, or close them."""

NO_NEST = Nest({}, {}, (), ())


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """A loop, a map, or the whole flow. `body` has every step that stands in it, however deep."""

    kind: RegionKind
    owner: NodeId | None
    collects: tuple[NodeId, ...]
    body: frozenset[NodeId]
    children: "tuple[Region, ...]"
    parent: "Region | None"
    direct: frozenset[NodeId]
    """The steps that stand in no region further in; owners and collects of child regions among them."""

    def walk(self) -> "Iterator[Region]":
        """The region and all within it, outer ones first."""
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def depth(self) -> int:
        """How many regions it lies in; 0 for the root."""
        return 0 if self.parent is None else self.parent.depth + 1


@dataclass(frozen=True, slots=True)
class RegionProblem:
    """Why the flow has no proper tree: the node to look at and the wires to blame."""

    code: str
    message: str
    node: NodeId | None = None
    wires: tuple[Wire, ...] = ()
    others: tuple[NodeId, ...] = ()
    """Further nodes that take part, such as the other one of two regions that cross."""


@dataclass(frozen=True, slots=True)
class RegionTree:
    """The regions of a flow and where each step stands."""

    root: Region
    innermost: Mapping[NodeId, Region]
    run_once: frozenset[NodeId]
    """Steps that a loop's body feeds and that do not lead to its exit: they run once, after the loop."""
    fed_by: Mapping[NodeId, NodeId]
    """Those of `run_once` that a body feeds directly, each with its loop."""
    problems: tuple[RegionProblem, ...]
    graph: StepGraph

    def of(self, node: NodeId) -> Region:
        """The innermost region whose body holds `node`; an owner and its collects stand in the parent.

        A node that is no step gets the root.
        """
        return self.innermost.get(node, self.root)


def region_tree(flow: Flow, library: Library) -> RegionTree:
    """Find the regions of `flow`; never raises, `problems` has what breaks the rules."""
    graph = step_graph(flow, library)
    if _is_straight(graph):
        root, innermost = _grow(graph, NO_NEST)
        return RegionTree(root, innermost, frozenset(), {}, (), graph)
    acyclic, cycles = without_cycles(graph.digraph())
    problems = [_cycle_problem(flow, graph, cycle) for cycle in cycles]
    nest = find_nest(graph, acyclic)
    problems += [_crossing_problem(flow, one) for one in nest.crossings]
    root, innermost = _grow(graph, nest)
    problems += _map_problems(flow, graph, nest)
    if not nest.crossings:  # regions that cross wait for each other as well; once is enough
        problems += _contracted_cycles(flow, graph, nest, (root, innermost), acyclic)
    run_once, fed_by = _run_once(nest, acyclic)
    return RegionTree(root, innermost, run_once, fed_by, tuple(problems), graph)


def _is_straight(graph: StepGraph) -> bool:
    """Whether the root is the only region, and nothing is wrong with it."""
    return not any(graph.structure(node) in SHAPES for node in graph.steps) and is_acyclic(graph)


def innermost_around(first: Region, second: Region) -> Region:
    """Give the innermost region that is, or lies around, both."""
    while first is not second:
        if first.depth >= second.depth:
            first = first.parent or first
        else:
            second = second.parent or second
    return first


def _grow(graph: StepGraph, nest: Nest) -> tuple[Region, dict[NodeId, Region]]:
    """Build the tree from the outside in: each span under the smallest one whose body holds it whole."""
    spans = sorted(nest.spans.values(), key=lambda one: (-len(one.whole), one.owner))
    holding: dict[Vertex, list[Span]] = defaultdict(list)  # outer spans first
    for span in spans:
        for vertex in span.body:
            holding[vertex].append(span)
    within: dict[NodeId | None, list[Span]] = defaultdict(list)
    for span in spans:
        holders = [one for one in holding[span.entry] if one is not span and span.whole <= one.body]
        within[holders[-1].owner if holders else None].append(span)
    home: dict[NodeId, NodeId | None] = {}
    direct: dict[NodeId | None, set[NodeId]] = defaultdict(set)
    for node in graph.steps:
        home[node] = holding[Vertex(node)][-1].owner if holding[Vertex(node)] else None
        direct[home[node]].add(node)

    def make(span: Span | None, parent: Region | None) -> Region:
        owner = span.owner if span is not None else None
        region = Region(
            "root" if span is None else "loop" if span.is_loop else "map",
            owner,
            span.collects if span is not None else (),
            graph.steps if span is None else frozenset(one.node for one in span.body),
            (),
            parent,
            frozenset(direct[owner]),
        )
        children = [make(one, region) for one in within[owner]]
        # The tree points both ways, so one of the two has to be filled in afterwards.
        object.__setattr__(region, "children", tuple(sorted(children, key=lambda one: one.owner or "")))
        return region

    root = make(None, None)
    by_owner = {region.owner: region for region in root.walk()}
    return root, {node: by_owner[owner] for node, owner in home.items()}


def _cycle_problem(flow: Flow, graph: StepGraph, cycle: list[Vertex]) -> RegionProblem:
    wires = _wires_along(graph, cycle)
    names = " → ".join(f"“{title_of(flow, one)}”" for one in dict.fromkeys(one.node for one in cycle))
    closing = graph.edges.get((cycle[-1], cycle[0]), ())
    if len(cycle) == 1:
        message = f"{names} waits for itself; only a loop may go back."
    else:
        message = f"{names} wait for one another in a cycle; only a loop may go back."
    return RegionProblem(
        "cycle", message, cycle[0].node, (*closing, *(one for one in wires if one not in closing))
    )


def _crossing_problem(flow: Flow, crossing: Crossing) -> RegionProblem:
    one, other = (title_of(flow, name) for name in (crossing.first, crossing.second))
    message = {
        "maps": f"“{one}” and “{other}” both split into the same steps, and neither is inside the other.",
        "enters-loop": f"“{one}” starts outside “{other}”, but its steps use single items.",
        "leaves-map": f"Single items of “{other}” reach the end of “{one}” without a collect in between.",
        "crossing": f"“{one}” is neither entirely inside “{other}” nor entirely outside it.",
    }[crossing.kind]
    return RegionProblem(
        f"regions-{crossing.kind}", message, crossing.first, crossing.wires, (crossing.second,)
    )


def _map_problems(flow: Flow, graph: StepGraph, nest: Nest) -> list[RegionProblem]:
    problems = [
        RegionProblem(
            "map-without-collect",
            f"Nothing collects the items of “{title_of(flow, span.owner)}”; its steps need a collect.",
            span.owner,
            tuple(one for one in flow.wires if one.source.node == span.owner),
        )
        for span in nest.spans.values()
        if not span.is_loop and not span.collects
    ]
    # A scatter may be among those whose settings are wrong; what is said of these is enough then.
    strays = () if None in graph.signatures.values() else nest.stray_collects
    problems += [
        RegionProblem(
            "collect-without-map",
            f"“{title_of(flow, node)}” collects, but nothing before it splits a list.",
            node,
            tuple(one for one in flow.wires if one.target.node == node),
        )
        for node in strays
    ]
    for node in graph.nodes_with(Structure.FLOW_OUTPUT):
        owner = next(iter(nest.stacks.get(Vertex(node), ())[-1:]), None)
        if owner is not None:
            wires = tuple(one for one in flow.wires if one.target.node == node)
            one, all_items = title_of(flow, node), title_of(flow, owner)
            words = f"“{one}” would get a value for each item of “{all_items}”; collect them first."
            problems.append(RegionProblem("output-in-map", words, node, wires, (owner,)))
    return problems


def _contracted_cycles(
    flow: Flow,
    graph: StepGraph,
    nest: Nest,
    tree: tuple[Region, Mapping[NodeId, Region]],
    acyclic: VertexGraph,
) -> list[RegionProblem]:
    """Find regions that wait for each other: each child region is one vertex, and no cycle may remain."""
    problems: list[RegionProblem] = []
    contraction = _Contraction(nest, tree[1])
    behind: dict[Region, dict[tuple[Vertex, Vertex], list[Wire]]] = defaultdict(lambda: defaultdict(list))
    for edge in acyclic.edges:
        where = contraction.edge(*edge)
        if where is not None:
            behind[where[0]][where[1]] += graph.edges[edge]
    for region in tree[0].walk():
        edges = behind[region]
        for cycle in without_cycles(graph_from((), edges))[1]:
            pairs = zip(cycle, (*cycle[1:], cycle[0]), strict=True)
            wires = tuple(wire for pair in pairs for wire in edges.get(pair, ()))
            problems.append(_contracted_problem(flow, nest, cycle, wires))
    return problems


def _contracted_problem(
    flow: Flow, nest: Nest, cycle: list[Vertex], wires: tuple[Wire, ...]
) -> RegionProblem:
    owners = [one.node for one in cycle if one.node in nest.spans]
    maps = [owner for owner in owners if not nest.spans[owner].is_loop]
    if len(owners) == 1 and maps:
        collects = nest.spans[maps[0]].collects
        late = tuple(one for one in wires if one.source.node in collects)
        ends = {one.node for one in nest.spans[maps[0]].body}
        node = next((one.target.node for one in wires if one.target.node in ends), maps[0])
        message = (
            f"“{title_of(flow, node)}” uses single items of “{title_of(flow, maps[0])}” and what is only "
            "there when all of them are collected."
        )
        return RegionProblem("item-and-list", message, node, late or wires, (maps[0],))
    names = " and ".join(f"“{title_of(flow, one)}”" for one in owners)
    message = f"{names} wait for each other: neither can start before the other has ended."
    if len(owners) == 1:
        message = f"A step inside {names} waits for something that exists only after {names} has ended."
    return RegionProblem(
        "regions-crosswise", message, owners[0] if owners else cycle[0].node, wires, tuple(owners[1:])
    )


class _Contraction:
    """Sees every edge from the innermost region that holds both its ends; child regions are one vertex."""

    def __init__(self, nest: Nest, innermost: Mapping[NodeId, Region]) -> None:
        self._innermost = innermost
        self._exits = {vertex: span.owner for span in nest.spans.values() for vertex in span.exits}
        self._ends = self._exits | {span.entry: span.owner for span in nest.spans.values()}

    def edge(self, source: Vertex, target: Vertex) -> tuple[Region, tuple[Vertex, Vertex]] | None:
        """The region and the edge there; None inside one vertex, unless from its end back to itself."""
        one, other = self._path(source), self._path(target)
        common = [a for a, b in zip(one, other, strict=False) if a is b]
        region = common[-1]
        start = self._seen(source, one, len(common))
        end = self._seen(target, other, len(common))
        if start == end and (source == target or self._exits.get(source) != start.node):
            return None
        return region, (start, end)

    def _path(self, vertex: Vertex) -> list[Region]:
        path = [self._innermost[vertex.node]]
        while (parent := path[-1].parent) is not None:
            path.append(parent)
        return path[::-1]

    def _seen(self, vertex: Vertex, path: Sequence[Region], depth: int) -> Vertex:
        owner = path[depth].owner if depth < len(path) else self._ends.get(vertex)
        return vertex if owner is None else Vertex(owner)


def _run_once(nest: Nest, acyclic: VertexGraph) -> tuple[frozenset[NodeId], dict[NodeId, NodeId]]:
    found: set[NodeId] = set()
    fed_by: dict[NodeId, NodeId] = {}
    for span in sorted(nest.spans.values(), key=lambda one: -len(one.whole)):
        if not span.is_loop:
            continue
        waiting = [span.entry, *span.body]
        seen = set(span.whole)
        while waiting:
            vertex = waiting.pop()
            for follower in acyclic.successors(vertex):
                if follower not in seen and not follower.is_exit:
                    seen.add(follower)
                    waiting.append(follower)
                    found.add(follower.node)
                    if vertex in span.whole:
                        fed_by[follower.node] = span.owner
    return frozenset(found), fed_by


def _wires_along(graph: StepGraph, cycle: list[Vertex]) -> tuple[Wire, ...]:
    pairs = zip(cycle, (*cycle[1:], cycle[0]), strict=True)
    return tuple(wire for pair in pairs for wire in graph.edges.get(pair, ()))
