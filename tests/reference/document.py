"""A flow as the reference sees it: split vertices, edges, and where each wire's ends stand.

Nothing here is shared with `studio.flow.structure.graph`: it is written a second time, from the page.
"""

from dataclasses import dataclass

from studio.flow.records import Flow, Wire

LOOP, EACH, COLLECT = "control.loop", "control.for_each", "control.collect"
CATCH, RACE = "control.catch", "control.race"
OUTPUT = "io.flow_output"
LENDER = "test.lender"
CALL = "control.subflow"

Vertex = tuple[str, str]
"""A node, and `step`, or for a loop `entry` or `exit`."""


@dataclass(frozen=True)
class Document:
    """The vertices of the split graph, and its edges with their wires; what only lends is left out."""

    flow: Flow
    vertices: tuple[Vertex, ...]
    wires: tuple[tuple[Vertex, Vertex, Wire], ...]

    def kind(self, node: str) -> str:
        """The kind of a node."""
        return self.flow.nodes[node].kind  # type: ignore[index]

    def nodes(self, kind: str) -> list[str]:
        """The nodes of one kind."""
        return [str(name) for name, node in self.flow.nodes.items() if node.kind == kind]

    @property
    def edges(self) -> set[tuple[Vertex, Vertex]]:
        """What waits for what; every loop's exit waits for its entry."""
        joins = {((loop, "entry"), (loop, "exit")) for loop in self.nodes(LOOP)}
        return joins | {(source, target) for source, target, _ in self.wires}

    def start(self, owner: str) -> Vertex:
        """Where a loop or a map starts."""
        return (owner, "entry" if self.kind(owner) == LOOP else "step")

    def into(self, node: str, port: str) -> list[Wire]:
        """The wires into one input, in order."""
        found = [wire for wire in self.flow.wires if wire.target.node == node and wire.target.port == port]
        return sorted(found, key=lambda wire: (wire.index if wire.index is not None else -1, wire.sort_key))


def read(flow: Flow) -> Document:
    """Split every loop of a flow into its entry and its exit."""
    vertices: list[Vertex] = []
    for name, node in flow.nodes.items():
        if node.kind != LENDER:
            vertices += [(name, "entry"), (name, "exit")] if node.kind == LOOP else [(name, "step")]

    def end(node: str, port: str, inner: set[str]) -> Vertex:
        if flow.nodes[node].kind != LOOP:  # type: ignore[index]
            return (node, "step")
        return (node, "entry" if port in inner else "exit")

    wires = tuple(
        (
            end(wire.source.node, wire.source.port, {"value", "round"}),
            end(wire.target.node, wire.target.port, {"start", "after"}),
            wire,
        )
        for wire in flow.wires
        if flow.nodes[wire.source.node].kind != LENDER
    )
    return Document(flow, tuple(vertices), wires)


def reach(edges: set[tuple[Vertex, Vertex]], start: Vertex) -> set[Vertex]:
    """What `start` leads to, itself left out unless it leads to itself."""
    after: dict[Vertex, list[Vertex]] = {}
    for source, target in edges:
        after.setdefault(source, []).append(target)
    found: set[Vertex] = set()
    waiting = [start]
    while waiting:
        for target in after.get(waiting.pop(), ()):
            if target not in found:
                found.add(target)
                waiting.append(target)
    return found


def has_cycle(edges: set[tuple[Vertex, Vertex]]) -> bool:
    """Whether anything leads to itself."""
    return any(start in reach(edges, start) for start, _ in edges)
