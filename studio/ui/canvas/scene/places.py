"""What is where on a canvas: the arrays of a scene, and the questions that are asked of them."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from studio.flow.ports import Signature
from studio.flow.records import Flow, Wire
from studio.ids import NodeId, PortName
from studio.ui.canvas.buffers import Floats
from studio.ui.canvas.camera import Rect
from studio.ui.canvas.document import KindLook
from studio.ui.canvas.scene.areas import Area
from studio.ui.canvas.scene.bends import Bends
from studio.ui.canvas.scene.box_places import Standing, around_all
from studio.ui.canvas.scene.collapse import Hull
from studio.ui.canvas.scene.geometry import Box, Spot, Wired
from studio.ui.canvas.scene.wire_rows import WireIndex, WireRows

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


class Places:
    """Nodes and wires by rows, areas by their node; `Scene` keeps it up to date."""

    generation: int
    """Counts up with every change of what stands where."""
    _around: tuple[int, Rect | None] = (-1, None)
    """The rectangle around all nodes, and the generation that it is of."""

    flow: Flow
    ids: list[NodeId]
    row: Mapping[NodeId, int]
    signatures: Mapping[NodeId, Signature | None]
    """With the types that the wires have decided in place of variables."""
    wired: dict[NodeId, Wired]
    """The inputs and the outputs at which wires end."""
    looks: dict[NodeId, KindLook | None]
    categories: Ints
    """The category of each row, as its place in `category_names`."""
    category_names: list[str]
    """Those that nodes have or had; empty for kinds that nobody describes."""
    boxes: list[Box]
    home: Floats
    """Where the flow has each node (n, 2)."""
    rects: Floats
    """Where each node is shown, or the area that it is (n, 4): left, top, width, height."""
    has_card: Bools
    hidden: Mapping[NodeId, Hull]
    """The nodes that something collapsed hides, each with that."""
    areas: dict[NodeId, Area]
    map_of: Mapping[NodeId, NodeId]
    """The map that each attached collect belongs to."""
    rows_of_wires: WireRows
    bends: Bends
    standing: Standing

    @property
    def wires(self) -> Sequence[Wire]:
        """The wires whose nodes both exist, one for each row."""
        return self.rows_of_wires.wires

    @property
    def wire_row(self) -> WireIndex:
        """The row of each wire."""
        return self.rows_of_wires.index

    @property
    def curves(self) -> Floats:
        """All curves (n, 8); the first of each wire at the wire's row."""
        return self.rows_of_wires.curves.all

    @property
    def curve_bounds(self) -> Floats:
        """The box of each curve: left, top, right, bottom."""
        return self.rows_of_wires.curves.bounds

    @property
    def wire_bounds(self) -> Floats:
        """The box around each wire: left, top, right, bottom."""
        return self.rows_of_wires.curves.wire_bounds

    @property
    def piece_wire(self) -> Ints:
        """The row of the wire that each curve is a piece of."""
        return self.rows_of_wires.curves.piece_wire

    @property
    def wire_colors(self) -> Sequence[str]:
        """The tokens of the colours of wires."""
        return self.rows_of_wires.names

    @property
    def wire_color(self) -> Ints:
        """The place of each wire's colour in `wire_colors`."""
        return self.rows_of_wires.color

    @property
    def wire_style(self) -> Ints:
        """0 carries data, 1 lends a binding, 2 carries order only."""
        return self.rows_of_wires.style

    def pieces(self, row: int) -> list[int]:
        """The curves of one wire, in order."""
        return np.nonzero(self.piece_wire == row)[0].tolist()

    def area_of(self, node: NodeId) -> Area | None:
        """The area that a node draws as or, for a collect, is attached to."""
        row = self.row.get(node)
        if row is None or self.has_card[row]:
            return None
        return self.areas.get(self.map_of.get(node, node))

    def spots(self, node: NodeId) -> tuple[Spot, ...]:
        """The ports of a node, relative to its rectangle; none of a hidden one."""
        if node in self.hidden:
            return ()
        area = self.area_of(node)
        if area is not None:
            return area.spots_of(node)
        return self.boxes[self.row[node]].spots if node in self.row else ()

    def spot(self, node: NodeId, port: PortName, *, is_output: bool) -> Spot | None:
        """The place of one port, relative to its node's rectangle."""
        if node in self.row and self.has_card[self.row[node]] and node not in self.hidden:
            return self.boxes[self.row[node]].spot(port, is_output=is_output)
        return next(
            (one for one in self.spots(node) if one.port == port and one.is_output == is_output), None
        )

    def drawer(self, node: NodeId) -> Rect | None:
        """Where a card's drawer with its spare ports stands once it is open; None for what has none."""
        row = self.row.get(node)
        if row is None or not self.has_card[row] or not self.boxes[row].drawer:
            return None
        card = self.rect(node)
        return Rect(card.x, card.bottom, card.width, self.boxes[row].drawer)

    def rect(self, node: NodeId) -> Rect:
        """Where a node, or the area that it is, stands."""
        return Rect(*self.rects[self.row[node]].tolist())

    def bodies(self, nodes: Iterable[NodeId]) -> set[NodeId]:
        """The nodes, and whatever stands in the areas among them."""
        found = set(nodes)
        waiting = [node for node in found if node in self.areas]
        while waiting:
            area = self.areas[waiting.pop()]
            close = {
                one for one in area.region.lenders if one in self.row and area.rect.meets(self.rect(one))
            }
            fresh = (area.region.body | set(area.region.collects) | close) - found
            found |= fresh
            waiting.extend(node for node in fresh if node in self.areas)
        return {node for node in found if node in self.row}

    def extent(self, nodes: Iterable[NodeId] | None = None) -> Rect | None:
        """The smallest rectangle around these nodes, or around everything; None around nothing."""
        if nodes is not None:
            return _around(self.rects[[self.row[node] for node in nodes if node in self.row]])
        if self._around[0] != self.generation:
            self._around = self.generation, _around(self.rects)
        inner, beside = self._around[1], self.standing.rects().values()
        return around_all((*([inner] if inner is not None else []), *beside))

    def rows_in(self, box: Rect) -> Ints:
        """The rows of the cards that touch a rectangle."""
        x, y, width, height = self.rects.T
        inside = (x <= box.right) & (x + width >= box.x) & (y <= box.bottom) & (y + height >= box.y)
        return np.nonzero(inside & self.has_card)[0]

    def nodes_in(self, box: Rect) -> list[NodeId]:
        """The nodes whose cards, or areas, touch a rectangle; those that something collapsed hides too."""
        x, y, width, height = self.rects.T
        inside = (x <= box.right) & (x + width >= box.x) & (y <= box.bottom) & (y + height >= box.y)
        return [self.ids[row] for row in np.nonzero(inside)[0].tolist()]

    def wire_rows_in(self, box: Rect) -> Ints:
        """The rows of the wires whose bounds touch a rectangle."""
        left, top, right, bottom = self.wire_bounds.T
        return np.nonzero((left <= box.right) & (right >= box.x) & (top <= box.bottom) & (bottom >= box.y))[0]

    def wire_rows_of(self, rows: Ints) -> Bools:
        """Which wires end at any of these node rows, as a mask."""
        mine = np.zeros(len(self.ids), dtype=np.bool_)
        mine[rows] = True
        return mine[self.rows_of_wires.sources] | mine[self.rows_of_wires.targets]

    def shows(self, wire: Wire) -> bool:
        """Whether a wire is drawn: both its nodes exist, and are not hidden in the same collapsed thing."""
        row = self.wire_row.get(wire)
        return row is not None and bool(np.isfinite(self.wire_bounds[row]).all())

    def wires_of(self, node: NodeId) -> list[Wire]:
        """The wires that end at a node."""
        return [self.wires[row] for row in self.wires_at([node])]

    def wires_at(self, nodes: Iterable[NodeId]) -> list[int]:
        """The rows of the wires that end at any of these nodes."""
        rows = [self.row[node] for node in nodes]
        return self.rows_of_wires.touching(rows, len(self.ids)).tolist() if rows else []


def _around(rects: Floats) -> Rect | None:
    """The smallest rectangle around all of these."""
    if len(rects) == 0:
        return None
    left, top = float(rects[:, 0].min()), float(rects[:, 1].min())
    right, bottom = float((rects[:, 0] + rects[:, 2]).max()), float((rects[:, 1] + rects[:, 3]).max())
    return Rect(left, top, right - left, bottom - top)
