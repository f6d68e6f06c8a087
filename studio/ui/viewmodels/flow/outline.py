"""The flow as a tree of rows, made where they are opened.

Nodes stand in the order in which they run, what stands in loops and maps within these, lenders beneath the
first who borrows; each has its ports, and these the wires that end there.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from PySide6.QtCore import QCoreApplication

from studio.flow.records import Flow, Library, Wire, title_of
from studio.ids import NodeId
from studio.ui.canvas.cards.words import port_title, port_words, wire_end, wires_of_port
from studio.ui.canvas.document import BreakpointMark
from studio.ui.canvas.scene.geometry import Spot
from studio.ui.canvas.scene.keyboard import Stand
from studio.ui.viewmodels.flow.outline_order import tree_of

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


class Outline:
    """The rows of one flow as it is at one moment, narrowed to what has every word of `wanted`."""

    def __init__(
        self, flow: Flow, library: Library, spots: Spots, describe: Describe, wanted: str = ""
    ) -> None:
        self.flow = flow
        self._spots, self._describe = spots, describe
        self.mark_of: Callable[[str], BreakpointMark | None] = _unmarked
        """Tells the breakpoint of a port, `node.port`."""
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

    def has_ports(self, node: NodeId, spots: Sequence[Spot]) -> bool:
        """Whether a node is here, with these ports as far as they were looked at."""
        row = self._rows.get(node) if node in self.flow.nodes else None
        if row is None:
            return False
        if row.children is None or any(one.kind == "ports" and one.children is None for one in row.children):
            return True
        return {one.spot for one in self._below(row) if one.kind == "port"} == set(spots)

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
                if row.node is None or row.node not in self.flow.nodes or row.spot is None:
                    return ""
                mark = self.mark_of(f"{row.node}.{row.spot.port}")
                return port_words(self.flow, row.node, row.spot, mark)
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


def _unmarked(_place: str) -> None:
    """No port has a breakpoint."""
