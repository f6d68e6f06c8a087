"""Makes flows ready to run.

A wire that crosses borders is an edge between the two vertices, in the innermost region around both of its
ends, that hold those ends.

Retries of a loop or map as a whole are refused, with the remedy to try its steps again: their names would
come twice. A bypassed map is refused too, for it has no value that could pass. A `default` has to fit what it
stands in for. In `merge` and `race` each wire is one element, even when it carries a list; in other list
inputs a list fits as it is, also one whose type is known only when it arrives.

A collect that is wired to come after a step of its own items is refused, with the remedy to remove the wire:
it waits for all items anyway. Only loops pull regions into their body; a loop that uses items of a map around
which it does not stand is refused, with the remedy to run it for each item.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from studio.flow.flow_cache import Known
from studio.flow.ports import (
    AFTER,
    ANY,
    ERROR,
    JSON,
    Conversion,
    PortType,
    Signature,
    Structure,
    conversion,
)
from studio.flow.records import Flow, Node, RunSettings, Socket, Wire, title_of
from studio.flow.structure.graph import INTO_BODY, OUT_OF_BODY, is_binding_wire
from studio.flow.structure.regions import Region, RegionTree, innermost_around, region_tree
from studio.flow.structure.shelter import leading_only_into, sheltered
from studio.flow.structure.types import types_of
from studio.garbage_collection import seldom_collected
from studio.ids import NodeId
from studio.runtime.plans.plan import (
    HISTORY,
    Feed,
    Plan,
    PlannedInput,
    PlannedNode,
    PlannedRace,
    PlannedRegion,
    SingleOutput,
)
from studio.runtime.plans.readership import Readership
from studio.runtime.values import FLOW, Value
from studio.sdk.node import NodeType
from studio.sdk.registry import Registry
from studio.sdk.tool import Effect
from studio.sdk.values import from_plain, immediate_types


def make_plan(flow: Flow, registry: Registry, *, passes_on: bool = False) -> Plan:
    """Plan a flow that passed `check`; runs of the very same flow share the plan.

    With `passes_on` its outputs take failures in, for whoever reads them.
    """
    return (_PASSING if passes_on else _PLANS).of(flow, registry)


@dataclass(frozen=True, slots=True)
class _Home:
    """Where one end of a wire stands: a region, and the vertex in it (None at its entry or exit)."""

    region: Region
    vertex: "NodeId | Region | None"


class _Planner:
    def __init__(self, flow: Flow, registry: Registry, *, passes_on: bool = False) -> None:
        self._flow = flow
        self._registry = registry
        self._tree: RegionTree = region_tree(flow, registry)
        self._signatures = {node: registry.signature(record) for node, record in flow.nodes.items()}
        self._types = types_of(flow, self._signatures)
        self._owned: dict[NodeId, Region] = {}
        for region in self._tree.root.walk():
            for node in (region.owner, *region.collects):
                if node is not None:
                    self._owned[node] = region
        self._incoming: dict[Socket, list[Wire]] = {}
        for wire in flow.wires:
            self._incoming.setdefault(wire.target, []).append(wire)
        self._passes_on = passes_on
        self._sheltered = sheltered(flow, registry, self._tree, passes_on=passes_on)
        self._nodes = {node: self._node(node, record) for node, record in flow.nodes.items()}

    def plan(self) -> Plan:
        steps = [node for node in self._flow.nodes if node in self._tree.graph.steps]
        planned: dict[int, PlannedRegion] = {}
        places: dict[int, dict[object, int]] = {}
        has_history = {wire.source.node for wire in self._flow.wires if wire.source.port == HISTORY}
        for region in self._tree.root.walk():
            made = PlannedRegion(
                region.kind,
                self._nodes[region.owner] if region.owner is not None else None,
                tuple(self._nodes[node] for node in region.collects),
                body=region.body,
                has_history=region.owner in has_history,
            )
            planned[id(region)] = made
        for region in self._tree.root.walk():
            made = planned[id(region)]
            place = places[id(region)] = {}
            for child in region.children:
                place[id(child)] = len(made.vertices)
                made.vertices.append(planned[id(child)])
            for node in steps:
                if node not in self._owned and self._tree.of(node) is region:
                    place[node] = len(made.vertices)
                    made.vertices.append(self._nodes[node])
            made.dependants = [[] for _ in made.vertices]
            made.waits = [0] * len(made.vertices)
        readership = Readership(planned.values())
        self._add_edges(planned, places, readership)
        self._add_races(planned, places)
        if self._passes_on:
            root = planned[id(self._tree.root)]
            for one in root.nodes():
                if one.type.structure is Structure.FLOW_OUTPUT:  # what arrived there is asked for at the end
                    readership.add(root, one.id, None)
        for made in planned.values():
            made.roots = [index for index, count in enumerate(made.waits) if count == 0]
            made.chain = _chain(made)
        readership.settle()
        bindings = {
            node: made
            for node, made in self._nodes.items()
            if (signature := self._signatures[node]) is not None and signature.is_binding
        }
        titles = {node: title_of(self._flow, node) for node in self._flow.nodes}
        return Plan(planned[id(self._tree.root)], bindings, titles)

    def _add_races(self, planned: dict[int, PlannedRegion], places: dict[int, dict[object, int]]) -> None:
        for node in self._tree.graph.nodes_with(Structure.RACE):
            if not self._flow.nodes[node].run.state:
                region = self._tree.of(node)
                made = planned[id(region)]
                race = self._race(node, made, places[id(region)][node])
                made.races = (*made.races, race)
                for inner in region.walk() if race.deeper else ():
                    if inner is not region:
                        planned[id(inner)].may_lose |= race.deeper & inner.body

    def _race(self, node: NodeId, region: PlannedRegion, index: int) -> PlannedRace:
        leading = leading_only_into(node, self._tree.graph)
        contenders: list[int] = []
        deeper: list[NodeId] = []
        for place, vertex in enumerate(region.vertices):
            held = (vertex,) if isinstance(vertex, PlannedNode) else tuple(vertex.nodes())
            if all(one.id in leading for one in held):
                contenders.append(place)
            else:
                deeper += [one.id for one in held if one.id in leading]
        return PlannedRace(self._nodes[node], index, frozenset(contenders), frozenset(deeper))

    def _add_edges(
        self,
        planned: dict[int, PlannedRegion],
        places: dict[int, dict[object, int]],
        readership: Readership,
    ) -> None:
        seen: set[tuple[int, int, int]] = set()
        for wire in self._flow.wires:
            if is_binding_wire(wire, self._signatures):
                continue
            source, target = self._source_home(wire.source), self._target_home(wire.target)
            around = innermost_around(source.region, target.region)
            first, second = _climb(source, around), _climb(target, around)
            place = places[id(around)]
            readership.add(planned[id(around)], wire.source.node, place.get(second))
            readership.keep((planned[id(one)] for one in _up_to(source.region, around)), wire.source.node)
            if first is None or second is None or first == second:
                continue
            edge = (id(around), place[first], place[second])
            if edge not in seen:
                seen.add(edge)
                made = planned[id(around)]
                made.dependants[edge[1]].append(edge[2])
                made.waits[edge[2]] += 1

    def _node(self, node: NodeId, record: Node) -> PlannedNode:
        settings = self._registry.settings(record)
        signature = self._signatures[node] or Signature()
        kind = self._registry.require(record.kind).of_variant(settings)
        inputs: list[PlannedInput] = []
        lenders: dict[str, tuple[NodeId, ...]] = {}
        for port in signature.inputs:
            wires = self._wires_into(Socket(node, port.name))
            if port.type.is_binding:
                if port in kind.inputs:
                    lenders[port.name] = tuple(wire.source.node for wire in wires)
                continue
            resolved = self._types.inputs.get(Socket(node, port.name), port.type)
            literal = None
            if not wires and port.name in record.inputs:
                literal = Value(from_plain(record.inputs[port.name], resolved), FLOW)
            feeds = tuple(self._feed(wire) for wire in wires)
            is_race = signature.structure is Structure.RACE
            direct = feeds[0] if len(feeds) == 1 and not port.many and _is_same(feeds[0], resolved) else None
            inputs.append(PlannedInput(port, resolved, feeds, literal, is_race, direct))
        after = tuple(self._feed(wire) for wire in self._wires_into(Socket(node, AFTER)))
        outputs = {
            str(port.name): self._types.outputs.get(Socket(node, port.name), port.type)
            for port in signature.outputs
            if not port.type.is_binding
        }
        return PlannedNode(
            node,
            title_of(self._flow, node),
            kind,
            {spec.name: settings[spec.name] for spec in kind.settings},
            record.run,
            tuple(inputs),
            after,
            lenders,
            outputs,
            node in self._sheltered,
            None if after or lenders else _plain(kind, record.run),
            _single(kind, outputs),
            tuple(spec.name for spec in kind.settings if isinstance(settings[spec.name], list | dict)),
        )

    def _wires_into(self, socket: Socket) -> list[Wire]:
        wires = self._incoming.get(socket, [])
        return sorted(wires, key=lambda wire: (wire.index if wire.index is not None else -1, wire.sort_key))

    def _feed(self, wire: Wire) -> Feed:
        source, target = self._source_home(wire.source).region, self._target_home(wire.target).region
        around = innermost_around(source, target)
        kind = self._types.outputs.get(wire.source, JSON if wire.source.port == ERROR else ANY)
        return Feed(wire.source.node, wire.source.port, target.depth - around.depth, kind)

    def _source_home(self, socket: Socket) -> _Home:
        return self._home(socket, INTO_BODY)

    def _target_home(self, socket: Socket) -> _Home:
        return self._home(socket, OUT_OF_BODY)

    def _home(self, socket: Socket, inner: Mapping[Structure, frozenset[str]]) -> _Home:
        owned = self._owned.get(socket.node)
        if owned is None:
            return _Home(self._tree.of(socket.node), socket.node)
        signature = self._signatures[socket.node]
        structure = signature.structure if signature is not None else None
        if structure is not None and socket.port in inner.get(structure, ()):
            return _Home(owned, None)
        return _Home(owned.parent or owned, owned)


def _climb(home: _Home, around: Region) -> object:
    """The vertex of `around` that holds the wire's end, as `places` keys it."""
    region, vertex = home.region, home.vertex
    while region is not around and region.parent is not None:
        region, vertex = region.parent, region
    if vertex is None:
        return None
    return id(vertex) if isinstance(vertex, Region) else vertex


def _up_to(region: Region, around: Region) -> Iterator[Region]:
    """The regions that a value leaves on its way to `around`."""
    while region is not around and region.parent is not None:
        yield region
        region = region.parent


def _is_same(feed: Feed, target: PortType) -> bool:
    return feed.type == target or conversion(feed.type, target) is Conversion.NONE


def _plain(kind: NodeType, run: RunSettings) -> Callable[..., Any] | None:
    """The function, where no structure, setting or effect asks for more than a call of it."""
    is_function = kind.structure in {None, Structure.BRANCH} and not kind.heavy
    is_simple = run.on_error == "fail" and not run.retries and run.time_limit is None and not run.state
    return kind.function if is_function and is_simple and kind.effect is not Effect.SIDE_EFFECT else None


def _single(kind: NodeType, outputs: Mapping[str, PortType]) -> SingleOutput | None:
    if kind.returns_fields or len(outputs) != 1:
        return None
    name, port_type = next(iter(outputs.items()))
    return SingleOutput(name, immediate_types(port_type))


def _chain(region: PlannedRegion) -> tuple[int, ...] | None:
    is_raced = bool(region.races or region.may_lose)
    if len(region.roots) != 1 or is_raced or any(len(after) > 1 for after in region.dependants):
        return None
    order = list(region.roots)
    while after := region.dependants[order[-1]]:
        order.extend(after)
    return tuple(order)


@seldom_collected()
def _planned(flow: Flow, registry: Registry) -> Plan:
    return _Planner(flow, registry).plan()


@seldom_collected()
def _planned_to_pass_on(flow: Flow, registry: Registry) -> Plan:
    return _Planner(flow, registry, passes_on=True).plan()


_PASSING = Known(_planned_to_pass_on)
_PLANS = Known(_planned)
