"""Which steps may fail without ending the run: every path from them leads to where failures are taken in.

A catch, a race, and a collect that leaves failed items out or keeps their errors take failures in; so do a
collect and a loop with an error policy, of what fails inside them. What stands in such a map and leads to no
collect fails its item; it is not sheltered, and ends no run either.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from typing import Any, Protocol

from studio.flow.ports import Structure
from studio.flow.records import Flow, Node, Wire
from studio.flow.structure.graph import LOOP_RETURNS, StepGraph, Vertex, in_order
from studio.flow.structure.regions import Region, RegionTree
from studio.ids import NodeId, PortName

_TAKING = {
    Structure.CATCH: {PortName("value")},
    Structure.RACE: {PortName("values")},
    Structure.COLLECT: {PortName("value")},
    Structure.LOOP: LOOP_RETURNS,
    Structure.FLOW_OUTPUT: {PortName("value")},
}
"""Where failures are taken in, and at which of their inputs."""


class Settings(Protocol):
    """Where the settings of a node are read, defaults included; the node registry implements it."""

    def settings(self, node: Node) -> Mapping[str, Any]:
        """The settings of a node whose kind is known."""
        ...


class _Fate(IntEnum):
    """What becomes of a failure; of several paths, the greatest decides."""

    FAILS_ITEM = 0
    SHELTERED = 1
    EXPOSED = 2


def sheltered(
    flow: Flow, registry: Settings, tree: RegionTree, *, passes_on: bool = False
) -> frozenset[NodeId]:
    """Find the steps whose failure travels on along their wires.

    With `passes_on` the flow's outputs take failures in: it is a part of another, which goes on with them.
    """
    outputs = tree.graph.nodes_with(Structure.FLOW_OUTPUT) if passes_on else ()
    taking = frozenset((*_takers(flow, registry, tree), *outputs))
    if not taking:
        return frozenset()
    maps = {region.owner: region for region in tree.root.walk() if region.kind == "map"}
    tolerant = {node for region in maps.values() if _tolerates(region, taking) for node in region.body}
    following: dict[Vertex, list[tuple[Vertex, bool]]] = defaultdict(list)
    for (source, target), wires in tree.graph.edges.items():
        is_taken = bool(wires) and all(_is_taken(wire, tree, taking) for wire in wires)
        following[source].append((target, is_taken))
    leaks = {
        Vertex(region.owner, is_exit=True): [
            (Vertex(wire.target.node), _is_taken(wire, tree, taking)) for wire in leaving
        ]
        for region in tree.root.walk()
        if region.owner is not None and region.kind == "loop" and (leaving := _leaving(region, tree))
    }
    order = in_order(tree.graph.digraph())[::-1]
    leaked: dict[Vertex, _Fate] = {}
    """Of the ends of loops: what becomes of a failure where wires leave the body, for those fail as well."""
    while True:
        fates, own = _pass(flow, order, following, leaked, maps, tolerant)
        found = {
            end: max(_Fate.SHELTERED if taken else fates[target] for target, taken in targets)
            for end, targets in leaks.items()
        }
        if found == leaked:
            break
        leaked = found
    return frozenset(
        vertex.node
        for vertex, fate in (fates | own).items()
        if fate is _Fate.SHELTERED and not vertex.is_exit
    )


def _pass(
    flow: Flow,
    order: Sequence[Vertex],
    following: Mapping[Vertex, Sequence[tuple[Vertex, bool]]],
    leaked: Mapping[Vertex, _Fate],
    maps: Mapping[NodeId | None, Region],
    tolerant: set[NodeId],
) -> tuple[dict[Vertex, _Fate], dict[Vertex, _Fate]]:
    """Find the fate of every vertex, and of maps that of their items, their list being there."""
    fates: dict[Vertex, _Fate] = {}
    own: dict[Vertex, _Fate] = {}
    for vertex in order:
        ends = _Fate.FAILS_ITEM if vertex.node in tolerant else _Fate.EXPOSED
        region = maps.get(vertex.node)
        if flow.nodes[vertex.node].run.state == "muted":
            fates[vertex] = ends
        elif region is not None:  # a map whose list failed has no items: its collects fail
            fates[vertex] = max((fates[Vertex(node)] for node in region.collects), default=ends)
            strict = (fates[Vertex(node)] for node in region.collects if _fails(flow, node))
            own[vertex] = max(strict, default=_Fate.SHELTERED)
        else:
            onward = [
                _Fate.SHELTERED if taken else fates[target] for target, taken in following.get(vertex, ())
            ]
            if vertex in leaked:
                onward.append(leaked[vertex])
            fates[vertex] = max(onward, default=ends)
    return fates, own


def _leaving(loop: Region, tree: RegionTree) -> list[Wire]:
    """The wires out of a loop's body, whose values are those of its last round."""
    inside = {loop.owner, *loop.body}
    return [
        wire
        for (source, target), wires in tree.graph.edges.items()
        if source.node in loop.body and target.node not in inside
        for wire in wires
    ]


def leading_only_into(race: NodeId, graph: StepGraph) -> frozenset[NodeId]:
    """Find the steps from which every path leads into a race, a loop counting by both its ends."""
    following: dict[Vertex, list[tuple[Vertex, bool]]] = defaultdict(list)
    for (source, target), wires in graph.edges.items():
        arrives = target.node == race and all(wire.target.port in _TAKING[Structure.RACE] for wire in wires)
        following[source].append((target, arrives))
    leading: set[Vertex] = set()
    for vertex in reversed(in_order(graph.digraph())):
        ends = following[vertex]
        if ends and all(arrives or target in leading for target, arrives in ends):
            leading.add(vertex)
    return frozenset(vertex.node for vertex in leading if not vertex.is_exit)


def _takers(flow: Flow, registry: Settings, tree: RegionTree) -> Iterable[NodeId]:
    for structure in (Structure.CATCH, Structure.RACE, Structure.COLLECT):
        for node in tree.graph.nodes_with(structure):
            record = flow.nodes[node]
            is_strict = structure is Structure.COLLECT and registry.settings(record)["failed"] == "fail"
            if not record.run.state and not (is_strict and _fails(flow, node)):
                yield node
    for node in tree.graph.nodes_with(Structure.LOOP):
        if not flow.nodes[node].run.state and not _fails(flow, node):
            yield node


def _fails(flow: Flow, node: NodeId) -> bool:
    """Whether nothing stands in for what the node would give."""
    return flow.nodes[node].run.on_error == "fail"


def _tolerates(region: Region, taking: frozenset[NodeId]) -> bool:
    return bool(region.collects) and all(node in taking for node in region.collects)


def _is_taken(wire: Wire, tree: RegionTree, taking: frozenset[NodeId]) -> bool:
    structure = tree.graph.structure(wire.target.node)
    return wire.target.node in taking and structure is not None and wire.target.port in _TAKING[structure]
