"""The steps of a flow and what each waits for, as a graph in which every loop node is split in two.

A loop starts where `start` arrives and ends where `again` and `done` arrive; taken as two vertices, the
flow has no cycle. This is the home of networkx, which is imported where it is first needed: it takes longer
than all the rest of the runtime, and a flow without loops and maps can do without.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

from studio.flow.ports import ERROR, JSON, THEN, Port, PortType, Signature, Structure
from studio.flow.records import Flow, Library, Node, Socket, Wire
from studio.ids import NodeId, PortName

if TYPE_CHECKING:
    import networkx as nx

V = TypeVar("V")

LOOP_RETURNS = frozenset({PortName("again"), PortName("done"), PortName("also")})
"""The inputs at which a loop takes wires from its own body."""


class _AllBut(frozenset[str]):
    """Every name but these."""

    __slots__ = ()

    def __contains__(self, name: object) -> bool:
        return not super().__contains__(name)


INTO_BODY: Mapping[Structure, frozenset[str]] = {
    Structure.LOOP: frozenset({"value", "round"}),
    Structure.FOR_EACH: _AllBut({ERROR}),
}
"""Outputs that lead into the body of a region instead of out of it; what all items wait for is a collect."""

OUT_OF_BODY: Mapping[Structure, frozenset[str]] = {
    Structure.LOOP: LOOP_RETURNS,
    Structure.COLLECT: frozenset({"value"}),
}
"""Inputs that end a round or an item instead of starting a step."""

LOOP_RESULTS = frozenset({PortName("result"), PortName("history"), THEN, ERROR})
"""The outputs of a loop that speak once, when its last round is over."""

ERROR_PORT = Port(ERROR, JSON, "error", "What went wrong", required=False)
"""The output that a node has when its error policy is `output`."""


class Vertex(NamedTuple):
    """A step in the graph; a loop has one vertex where it starts and one where it ends."""

    node: NodeId
    is_exit: bool = False


VertexGraph: TypeAlias = "nx.DiGraph[Vertex]"


@dataclass(frozen=True, slots=True)
class StepGraph:
    """What waits for what. `edges` names the wires behind each edge; a loop's own edge has none."""

    signatures: Mapping[NodeId, Signature | None]
    steps: frozenset[NodeId]
    edges: Mapping[tuple[Vertex, Vertex], tuple[Wire, ...]]

    def structure(self, node: NodeId) -> Structure | None:
        """How the node shapes the flow; None for most nodes and for unknown kinds."""
        signature = self.signatures.get(node)
        return None if signature is None else signature.structure

    def nodes_with(self, structure: Structure) -> list[NodeId]:
        """The steps of one structure, in order of their ids."""
        return sorted(node for node in self.steps if self.structure(node) is structure)

    def digraph(self) -> VertexGraph:
        """The graph for networkx; the same flow always gives the same order of vertices and edges."""
        vertices = [Vertex(node) for node in sorted(self.steps)]
        exits = [Vertex(node, is_exit=True) for node in self.nodes_with(Structure.LOOP)]
        return graph_from([*vertices, *exits], self.edges)


def read_signatures(flow: Flow, library: Library) -> dict[NodeId, Signature | None]:
    """Ask the library once for every node's ports."""
    return {name: library.signature(node) for name, node in flow.nodes.items()}


def output_of(node: Node, signature: Signature | None, name: str) -> Port | None:
    """The output called `name`; `error` where the node's error policy gives it one."""
    if signature is None:
        return None
    found = signature.output(name)
    if found is None and name == ERROR and node.run.on_error == "output":
        return ERROR_PORT
    return found


def default_ports(structure: Structure | None, outputs: Iterable[str]) -> list[str]:
    """The outputs that a step's `default` speaks for; the first takes one that names none."""
    inner = INTO_BODY.get(structure, ()) if structure is not None else ()
    return [name for name in outputs if name not in inner]


def leaving(socket: Socket, signatures: Mapping[NodeId, Signature | None]) -> Vertex:
    """The vertex that an output socket belongs to."""
    return Vertex(socket.node, _is_loop(socket.node, signatures) and socket.port in LOOP_RESULTS)


def arriving(socket: Socket, signatures: Mapping[NodeId, Signature | None]) -> Vertex:
    """The vertex that an input socket belongs to."""
    return Vertex(socket.node, _is_loop(socket.node, signatures) and socket.port in LOOP_RETURNS)


def is_binding_wire(wire: Wire, signatures: Mapping[NodeId, Signature | None]) -> bool:
    """Tell whether a wire lends a capability instead of carrying a value."""
    source, target = signatures.get(wire.source.node), signatures.get(wire.target.node)
    leaves = source.output(wire.source.port) if source is not None else None
    if leaves is not None:
        return leaves.type.is_binding
    arrives = target.input(wire.target.port) if target is not None else None
    return arrives is not None and arrives.type.is_binding


def steps_of(flow: Flow, signatures: Mapping[NodeId, Signature | None]) -> frozenset[NodeId]:
    """The nodes that take part in a run by themselves: what is only lent does not."""
    lent: set[NodeId] = set()
    working: set[NodeId] = set()
    for wire in flow.wires:
        if is_binding_wire(wire, signatures):
            lent.add(wire.source.node)
        else:
            working.update((wire.source.node, wire.target.node))

    def takes_part(name: NodeId, node: Node) -> bool:
        signature = signatures[name]
        if signature is not None and signature.is_binding:
            return False
        return name not in lent or name in working or bool(node.inputs)

    return frozenset(name for name, node in flow.nodes.items() if takes_part(name, node))


def step_graph(flow: Flow, library: Library) -> StepGraph:
    """Read the graph of steps from a flow; wires to nodes that are not there are left out."""
    return graph_of(flow, read_signatures(flow, library))


def graph_of(flow: Flow, signatures: Mapping[NodeId, Signature | None]) -> StepGraph:
    """As `step_graph`, for signatures that are known already."""
    steps = steps_of(flow, signatures)
    edges: dict[tuple[Vertex, Vertex], list[Wire]] = defaultdict(list)
    for node in sorted(steps):
        if _is_loop(node, signatures):
            edges[Vertex(node), Vertex(node, is_exit=True)] = []
    for wire in flow.wires:
        if wire.source.node in steps and wire.target.node in steps and not is_binding_wire(wire, signatures):
            edges[leaving(wire.source, signatures), arriving(wire.target, signatures)].append(wire)
    return StepGraph(signatures, steps, {edge: tuple(wires) for edge, wires in edges.items()})


def load() -> None:
    """Load networkx, unless that has been done; a warm host does it early."""
    import networkx as nx

    del nx


def graph_from(vertices: Iterable[Vertex], edges: Iterable[tuple[Vertex, Vertex]]) -> VertexGraph:
    """A graph for the functions of this file, in the given order."""
    import networkx as nx

    graph: VertexGraph = nx.DiGraph()
    graph.add_nodes_from(vertices)
    graph.add_edges_from(edges)
    return graph


def leads_to(graph: VertexGraph, start: Vertex, end: Vertex) -> bool:
    """Whether `end` comes after `start`."""
    import networkx as nx

    return nx.has_path(graph, start, end)


def followers(edges: Iterable[tuple[V, V]]) -> Callable[[V], Iterable[V]]:
    """What follows each vertex, for `reached`."""
    found: dict[V, list[V]] = defaultdict(list)
    for source, target in edges:
        found[source].append(target)
    return lambda vertex: found.get(vertex, ())


def reached(
    start: V,
    following: Callable[[V], Iterable[V]],
    within: Callable[[V], bool] = lambda _: True,
) -> set[V]:
    """The vertices that `following` leads to from `start`, itself included, on ways that stay `within`."""
    found, waiting = {start}, [start]
    while waiting:
        for vertex in following(waiting.pop()):
            if vertex not in found and within(vertex):
                found.add(vertex)
                waiting.append(vertex)
    return found


def is_acyclic(graph: StepGraph) -> bool:
    """Whether no step waits for itself; quicker than to ask networkx, and most flows are asked no more."""
    waits: dict[Vertex, int] = defaultdict(int)
    after: dict[Vertex, list[Vertex]] = defaultdict(list)
    for source, target in graph.edges:
        waits[target] += 1
        after[source].append(target)
    ready = [vertex for vertex in after if vertex not in waits]
    while ready:
        for target in after.get(ready.pop(), ()):
            waits[target] -= 1
            if not waits[target]:
                del waits[target]
                ready.append(target)
    return not waits


def without_cycles(graph: VertexGraph) -> tuple[VertexGraph, list[list[Vertex]]]:
    """Give the graph less the edges that close cycles, and each cycle as the vertices along it.

    Every group of vertices that lead to one another gives one cycle for each edge that has to go.
    """
    import networkx as nx

    if nx.is_directed_acyclic_graph(graph):
        return graph, []
    acyclic = graph.copy()
    cycles: list[list[Vertex]] = []
    while not nx.is_directed_acyclic_graph(acyclic):
        group = min((sorted(one) for one in _knots(acyclic)), key=lambda one: one[0])
        before = min(one for one in acyclic.predecessors(group[0]) if one in group)
        cycle = list(nx.bidirectional_shortest_path(acyclic, group[0], before))
        cycles.append(cycle)
        acyclic.remove_edge(cycle[-1], cycle[0])
    return acyclic, cycles


def in_order(graph: VertexGraph) -> list[Vertex]:
    """The vertices so that each stands after all that it waits for; ties by id."""
    import networkx as nx

    return list(nx.lexicographical_topological_sort(graph))


def _knots(graph: VertexGraph) -> Sequence[set[Vertex]]:
    import networkx as nx

    return [
        one
        for one in nx.strongly_connected_components(graph)
        if len(one) > 1 or graph.has_edge(next(iter(one)), next(iter(one)))
    ]


def _is_loop(node: NodeId, signatures: Mapping[NodeId, Signature | None]) -> bool:
    signature = signatures.get(node)
    return signature is not None and signature.structure is Structure.LOOP


def bound_type(declared: PortType, variables: Mapping[str, PortType]) -> PortType:
    """Put the types that a node's variables stand for into a declared port type."""
    variable = variables.get(declared.base)
    if variable is None:
        return declared
    return PortType(variable.base, variable.depth + declared.depth)
