"""The flow as a tree of rows, made where they are opened.

Nodes stand in the order in which they run, what stands in loops and maps within these, lenders beneath the
first who borrows; each has its ports, and these the wires that end there.
"""

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from PySide6.QtCore import QCoreApplication

from studio.flow.records import Flow, Library, Wire, title_of
from studio.ids import NodeId
from studio.ui.canvas.accessible_words import port_title, port_words, wire_end, wires_of_port
from studio.ui.canvas.geometry import Spot
from studio.ui.canvas.keyboard import Stand
from studio.ui.canvas.regions import regions_of

translate = QCoreApplication.translate

Kind: TypeAlias = Literal["flow", "node", "ports", "port", "wire", "frame", "note"]
Spots: TypeAlias = Callable[[NodeId], Sequence[Spot]]
Describe: TypeAlias = Callable[[NodeId], str]


@dataclass(slots=True, eq=False, repr=False)
class Row:
    """One row; `key` is the same for the same thing in a later outline."""

    kind: Kind
    key: str
    parent: "Row | None" = None
    place: int = 0
    stand: Stand | None = None
    """Where the keyboard stands on the canvas when it is on this row."""
    spot: Spot | None = None
    box: str = ""
    """The frame or note."""
    children: "list[Row] | None" = None

    @property
    def node(self) -> NodeId | None:
        """The node that it is, or belongs to."""
        return self.stand.node if self.stand is not None else None


@dataclass(slots=True)
class Tree:
    """Which node stands beneath which, in order."""

    inside: dict[NodeId | None, list[NodeId]] = field(default_factory=dict[NodeId | None, list[NodeId]])
    around: dict[NodeId, NodeId] = field(default_factory=dict[NodeId, NodeId])


class Outline:
    """The rows of one flow as it is at one moment, narrowed to what has every word of `wanted`."""

    def __init__(
        self, flow: Flow, library: Library, spots: Spots, describe: Describe, wanted: str = ""
    ) -> None:
        self.flow = flow
        self._spots, self._describe = spots, describe
        self._tree = tree_of(flow, library)
        self._kept = self._narrowed(wanted.casefold().split())
        self._rows: dict[NodeId, Row] = {}
        self.root = Row("flow", "")
        self.root.children = self._number(self.root, [*self._nodes(None, self.root), *self._boxes(wanted)])

    def children(self, row: Row) -> list[Row]:
        """The rows beneath a row; made when first asked for."""
        if row.children is None:
            row.children = self._number(row, self._make(row))
        return row.children

    def has_nodes(self, row: Row) -> bool:
        """Whether nodes stand beneath a node."""
        return row.kind == "node" and bool(self._tree.inside.get(row.node))

    def row_of(self, stand: Stand) -> Row | None:
        """The row of a place on the canvas; None where the outline is narrowed to others."""
        row = self._row_of_node(stand.node)
        if row is None or stand.port is None:
            return row
        ports = [one for one in self._below(row) if one.kind == "port"]
        port = next(
            (one for one in ports if one.stand == Stand(stand.node, stand.port, stand.is_output)), None
        )
        if port is None or stand.wire is None:
            return port or row
        return next((one for one in self.children(port) if one.stand == stand), port)

    def title(self, row: Row) -> str:
        """What a row is called."""
        match row.kind:
            case "node":
                return title_of(self.flow, row.node) if row.node is not None else ""
            case "ports":
                return translate("outline", "Ports")
            case "port":
                return port_title(row.spot.port, row.spot.label) if row.spot is not None else ""
            case "wire":
                wire = row.stand.wire if row.stand is not None else None
                return wire_end(self.flow, wire, is_output=row.stand.is_output) if wire and row.stand else ""
            case "frame":
                return self.flow.layout.frames[row.box].title if row.box in self.flow.layout.frames else ""
            case "note":
                return self.flow.layout.notes[row.box].text if row.box in self.flow.layout.notes else ""
            case "flow":
                return self.flow.name

    def detail(self, row: Row) -> str:
        """What else is to be known of it."""
        match row.kind:
            case "node":
                return (
                    self._describe(row.node) if row.node in self.flow.nodes and row.node is not None else ""
                )
            case "port":
                is_there = row.node is not None and row.node in self.flow.nodes and row.spot is not None
                return port_words(self.flow, row.node, row.spot) if is_there and row.node and row.spot else ""
            case "frame":
                return translate("outline", "frame")
            case "note":
                return translate("outline", "note")
            case "flow" | "ports" | "wire":
                return ""

    # ---------------------------------------------------------------- making rows

    def _make(self, row: Row) -> list[Row]:
        if row.kind == "wire" or row.node is None:
            return []
        if row.kind == "port" and row.stand is not None and row.stand.socket is not None:
            wires = wires_of_port(self.flow, row.stand.socket, is_output=row.stand.is_output)
            return [self._wire(row.stand, wire) for wire in wires]
        ports = self._ports(row.node)
        below = self._nodes(row.node, row)
        if row.kind == "ports" or not below:
            return ports
        return [Row("ports", f"ports:{row.node}", stand=Stand(row.node)), *below]

    def _nodes(self, around: NodeId | None, parent: Row) -> list[Row]:
        found: list[Row] = []
        for node in self._tree.inside.get(around, ()):
            if self._kept is None or node in self._kept:
                row = self._rows[node] = Row("node", f"node:{node}", parent, stand=Stand(node))
                found.append(row)
        return found

    def _ports(self, node: NodeId) -> list[Row]:
        return [
            Row(
                "port",
                f"port:{node}.{spot.port}.{spot.is_output}",
                stand=Stand(node, spot.port, spot.is_output),
                spot=spot,
            )
            for spot in sorted(self._spots(node), key=lambda one: (one.is_output, one.is_order))
        ]

    def _wire(self, port: Stand, wire: Wire) -> Row:
        stand = Stand(port.node, port.port, port.is_output, wire)
        return Row("wire", f"wire:{wire}.{port.is_output}", stand=stand)

    def _boxes(self, wanted: str) -> Iterable[Row]:
        words, layout = wanted.casefold().split(), self.flow.layout
        titles: list[tuple[Kind, str, str]] = [
            *(("frame", name, one.title) for name, one in layout.frames.items()),
            *(("note", name, one.text) for name, one in layout.notes.items()),
        ]
        return [
            Row(kind, f"{kind}:{name}", box=name)
            for kind, name, text in titles
            if all(word in text.casefold() for word in words)
        ]

    def _number(self, parent: Row, rows: list[Row]) -> list[Row]:
        for place, row in enumerate(rows):
            row.parent, row.place = parent, place
        return rows

    def _below(self, row: Row) -> list[Row]:
        """A node's rows, those under its heading of ports among them."""
        return [
            inner
            for one in self.children(row)
            for inner in (self.children(one) if one.kind == "ports" else [one])
        ]

    def _row_of_node(self, node: NodeId) -> Row | None:
        if node not in self._rows:
            way = [node]
            while (outer := self._tree.around.get(way[-1])) is not None and outer not in way:
                way.append(outer)
            for outer in reversed(way[1:]):
                if outer in self._rows:
                    self.children(self._rows[outer])
        return self._rows.get(node)

    def _narrowed(self, words: Sequence[str]) -> set[NodeId] | None:
        """The nodes that are wanted, with all that they stand beneath; None for every node."""
        if not words:
            return None
        kept: set[NodeId] = set()
        for node, record in self.flow.nodes.items():
            text = f"{record.title} {record.kind} {node} {self._describe(node)}".casefold()
            at: NodeId | None = node if all(word in text for word in words) else None
            while at is not None and at not in kept:
                kept.add(at)
                at = self._tree.around.get(at)
        return kept


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
