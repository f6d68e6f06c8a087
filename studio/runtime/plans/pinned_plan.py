"""Runs with pinned outputs: nodes give these without being executed, and what feeds them alone is left out.

A pin stands at a node of the flow, by its id, or at one of a called flow, as `summary.json:critic`.

Pins are kept beside the breakpoints, and only runs that the window starts take them: never the command line,
never a script. What feeds nothing but pinned nodes is left out unless it writes run variables. The first
event of the run has the pins, so that a replay or a run that goes on has them too; a fork takes those of now,
and does again what depends on a difference.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from studio.errors import UsageError, ValueTypeError
from studio.flow.ports import ERROR, JSON, Signature, Structure
from studio.flow.records import Flow, Library, Node, Socket, title_of
from studio.flow.structure.graph import StepGraph, Vertex
from studio.flow.structure.regions import region_tree
from studio.flow.structure.types import types_of
from studio.ids import NodeId, PortName
from studio.runtime.plans.plan import NotExecuted, Plan, PlannedNode, PlannedRegion
from studio.sdk.values import from_plain
from studio.trace.events.run import Pin
from studio.trace.events.values import Values

Pins = Mapping[str, Pin]
"""What is pinned, by place."""

_SPARED = NotExecuted()


def pins_in(pins: Pins, flow_name: str) -> dict[NodeId, Pin]:
    """Those of one flow, by node; the empty name is the flow that is run."""
    found: dict[NodeId, Pin] = {}
    for place, pin in pins.items():
        flow, _, node = place.rpartition(":")
        if flow == flow_name:
            found[NodeId(node)] = pin
    return found


def pins_of_run(
    flow: Flow, called: Mapping[str, Flow], library: Library, pins: Mapping[str, Pin]
) -> dict[str, Pin]:
    """Those that a run of the flow takes; raises `UsageError` for one that does not fit its node any more."""
    found: dict[str, Pin] = {**in_force(flow, library, pins_in(pins, ""))}
    for name, one in called.items():
        found.update(
            {f"{name}:{node}": pin for node, pin in in_force(one, library, pins_in(pins, name)).items()}
        )
    return found


def why_unpinnable(record: Node, signature: Signature | None) -> str:
    """Say why nothing can be pinned to a node; empty where something can."""
    if signature is None:
        return "its node type is missing"
    if signature.is_binding:
        return "it is attached to other nodes and is not a step"
    if signature.structure is Structure.FOR_EACH:
        return "it returns one item at a time; pin the node that collects them"
    if signature.structure is Structure.FLOW_INPUT:
        return "its value is entered when the flow is run"
    if all(port.type.is_binding for port in signature.outputs):
        return "it has no outputs"
    return "it is muted or bypassed" if record.run.state else ""


def misfit(flow: Flow, library: Library, node: NodeId, values: Values) -> str:
    """Say why pinned values do not fit the node's outputs as they are now; empty where they do."""
    record = flow.nodes.get(node)
    if record is None:
        return "the node no longer exists"
    signatures = {name: library.signature(one) for name, one in flow.nodes.items()}
    reason = why_unpinnable(record, signatures[node])
    if reason:
        return reason
    types = types_of(flow, signatures).outputs
    signature = signatures[node]
    for name, value in values.items():
        if signature is None or (signature.output(name) is None and name != ERROR):
            return f"it no longer has an output `{name}`"
        try:
            from_plain(value.data, types.get(Socket(node, PortName(name)), JSON))
        except ValueTypeError as error:
            return f"`{name}` now takes another type: {error.message}"
    return ""


def in_force(flow: Flow, library: Library, pins: Mapping[NodeId, Pin]) -> dict[NodeId, Pin]:
    """The pins that a run of the flow takes: those of nodes that are there, and neither muted nor bypassed.

    Raises `UsageError` for one that does not fit its node any more.
    """
    found: dict[NodeId, Pin] = {}
    for node, pin in pins.items():
        record = flow.nodes.get(node)
        if record is None or record.run.state:
            continue
        reason = misfit(flow, library, node, pin.values)
        if reason:
            raise UsageError(
                f"The value pinned to `{title_of(flow, node)}` no longer fits: {reason}.",
                hint="Unpin it, or pin the output of a later run.",
            )
        found[node] = pin
    return found


def spared(flow: Flow, library: Library, pinned: Collection[NodeId]) -> frozenset[NodeId]:
    """The nodes that need not run, for all that they give goes into pinned nodes.

    Whatever leads to an end of the flow past them is needed, the loops and maps around it with it, and so is
    what writes run variables.
    """
    tree = region_tree(flow, library)
    graph = tree.graph
    sources: dict[Vertex, list[Vertex]] = defaultdict(list)
    for source, target in graph.edges:
        sources[target].append(source)
    around: dict[NodeId, list[Vertex]] = defaultdict(list)
    for region in tree.root.walk():
        if region.owner is not None:
            for node in (*region.body, *region.collects):
                around[node].append(Vertex(region.owner))
    waiting = [vertex for vertex in _ends(graph) if vertex.node not in pinned]
    needed: set[Vertex] = set()
    while waiting:
        vertex = waiting.pop()
        if vertex in needed:
            continue
        needed.add(vertex)
        waiting += around[vertex.node]
        if vertex.node not in pinned:
            if graph.structure(vertex.node) is Structure.LOOP:
                waiting.append(Vertex(vertex.node, is_exit=not vertex.is_exit))
            waiting += sources[vertex]
    return graph.steps - {vertex.node for vertex in needed} - frozenset(pinned)


def _ends(graph: StepGraph) -> Iterator[Vertex]:
    """What a flow is run for: whatever leads nowhere, and what writes run variables."""
    leading = {source for source, _ in graph.edges}
    for node in graph.steps:
        signature = graph.signatures[node]
        end = Vertex(node, is_exit=graph.structure(node) is Structure.LOOP)
        if end not in leading or (signature is not None and any(one.is_written for one in signature.shares)):
            yield end


def with_pins(plan: Plan, flow: Flow, library: Library, pins: Mapping[NodeId, Pin]) -> Plan:
    """The plan of a run with these pins; a pinned step waits for nothing. Raises as `in_force`."""
    pins = in_force(flow, library, pins)
    if not pins:
        return plan
    left_out = {
        **{node: NotExecuted(pin) for node, pin in pins.items()},
        **dict.fromkeys(spared(flow, library, pins), _SPARED),
    }
    return replace(plan, root=_region(plan.root, left_out))


def _region(region: PlannedRegion, left_out: Mapping[NodeId, NotExecuted]) -> PlannedRegion:
    def made(node: PlannedNode) -> PlannedNode:
        reason = left_out.get(node.id)
        return node if reason is None else replace(node, not_executed=reason)

    vertices = [
        made(one) if isinstance(one, PlannedNode) else _region(one, left_out) for one in region.vertices
    ]
    free = frozenset(place for place, vertex in enumerate(vertices) if _waits_for_nothing(vertex))
    dependants = [[one for one in after if one not in free] for after in region.dependants]
    waits = [0] * len(vertices)
    for one in (one for after in dependants for one in after):
        waits[one] += 1
    return replace(
        region,
        owner=None if region.owner is None else made(region.owner),
        collects=tuple(map(made, region.collects)),
        vertices=vertices,
        dependants=dependants,
        waits=waits,
        roots=[place for place, count in enumerate(waits) if not count],
        races=tuple(replace(race, node=made(race.node)) for race in region.races),
        chain=region.chain if not free else None,
        # Whoever waits for nothing may be over before those whose values it was to be the last to read.
        last_reads=_without(region.last_reads, free) if free else region.last_reads,
        shared_reads=_without(region.shared_reads, free) if free else region.shared_reads,
    )


def _waits_for_nothing(vertex: PlannedNode | PlannedRegion) -> bool:
    node = vertex.owner if isinstance(vertex, PlannedRegion) else vertex
    return node is not None and node.not_executed is not None


def _without(reads: list[tuple[NodeId, ...]], free: Iterable[int]) -> list[tuple[NodeId, ...]]:
    left = list(reads)
    for place in free:
        left[place] = ()
    return left
