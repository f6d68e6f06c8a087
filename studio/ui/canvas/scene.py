"""The flow as arrays: boxes of nodes, shapes of wires, areas. Patched by changes, asked by everything drawn.

Rows follow the order of nodes and wires in the flow. A loop, map or attached collect has a row like any
node, but no card: its row holds its area's rectangle, so that wires need no special case.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from studio.flow.change import Change
from studio.flow.ports import Port, PortType, Signature
from studio.flow.records import Flow, Library, Node, Socket, Wire
from studio.flow.types import types_of
from studio.ids import NodeId, PortName
from studio.ui.canvas import wires as shapes
from studio.ui.canvas.areas import Area, Region, Surroundings, place_areas
from studio.ui.canvas.buffers import Floats
from studio.ui.canvas.camera import Rect
from studio.ui.canvas.document import KindLook
from studio.ui.canvas.geometry import Box, Measure, Side, Spot, box_of, type_name
from studio.ui.canvas.standing import Standing, around_all

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]

WAYS: Mapping[Side, tuple[float, float]] = {
    Side.LEFT: (-1.0, 0.0),
    Side.RIGHT: (1.0, 0.0),
    Side.TOP: (0.0, -1.0),
    Side.BOTTOM: (0.0, 1.0),
}
UNPLACED_STEP = 240


class Looks(Protocol):
    """Tells how kinds present themselves."""

    def __call__(self, kind: str) -> KindLook | None:
        """The look of `kind`, None when it is not installed."""
        ...


class Scene:
    """Everything that stands on the canvas, with its place; knows nothing of views, themes and runs."""

    def __init__(
        self,
        flow: Flow,
        library: Library,
        looks: Looks,
        measure: Measure,
        regions: Callable[[Flow, Library], Sequence[Region]],
    ) -> None:
        self._library = library
        self._looks = looks
        self._measure = measure
        self._find_regions = regions
        self.standing = Standing(lambda: self.flow)
        self._boxes_of_nodes: dict[NodeId, tuple[tuple[object, ...], Box]] = {}
        self._regions: Sequence[Region] = ()
        self.generation = 0
        """Counts up with every change of what stands where."""
        self.load(flow)

    def load(self, flow: Flow) -> None:
        """Take another flow, or the same one after any change."""
        self.flow = flow
        self._regions = self._find_regions(flow, self._library)
        self._read_nodes()
        self._read_wires()
        self.settle()

    def apply(self, flow: Flow, change: Change) -> Collection[NodeId] | None:
        """Follow one change and tell whose cards it touched, None for perhaps all.

        Moved nodes and changed records touch their own rows only; anything else is read again.
        """
        if any(node not in self.row for node in change.places) or not self._keeps_ports(change):
            self.load(flow)
            return None
        self.flow = flow
        for node, (_, after) in change.nodes.items():
            if after is not None:
                self._reread(node, after)
        for node, (_, after) in change.places.items():
            if after is not None:
                row = self.row[node]
                self.home[row] = (after.x, after.y)
        self.settle()
        return change.nodes.keys()

    def _keeps_ports(self, change: Change) -> bool:
        """Whether all ports, their types and their wires stay as they are."""
        if change.added or change.removed:
            return False
        for before, after in change.nodes.values():
            if before is None or after is None or before.run.on_error != after.run.on_error:
                return False
            old, new = self._library.signature(before), self._library.signature(after)
            if old is None or old != new or _has_variable(old):
                return False
        return True

    def _reread(self, node: NodeId, record: Node) -> None:
        """Lay out one node again, whose wires stay."""
        row = self.row[node]
        entry = self._box(node, record, None)
        self._boxes_of_nodes[node] = entry
        if entry[1] == self.boxes[row]:
            return
        self.boxes[row] = entry[1]
        for rows, column, is_output in ((self.source_rows, 0, True), (self.target_rows, 2, False)):
            for place in np.nonzero(rows == row)[0].tolist():
                wire = self.wires[place]
                spot = entry[1].spot((wire.source if is_output else wire.target).port, is_output=is_output)
                if spot is not None and self.has_card[row]:
                    self._offsets[place, column : column + 2] = spot.x, spot.y

    def shift(self, rows: Ints, dx: float, dy: float) -> None:
        """Show nodes elsewhere than the flow has them, while they are dragged."""
        moved = self.home.copy()
        moved[rows] += (dx, dy)
        self.settle(moved)

    # ---------------------------------------------------------------- reading the flow

    def _read_nodes(self) -> None:
        flow = self.flow
        self.ids = list(flow.nodes)
        self.row = {node: row for row, node in enumerate(self.ids)}
        owners = {region.node for region in self._regions}
        attached = {collect for region in self._regions for collect in region.collects}
        wired_in: dict[NodeId, set[PortName]] = defaultdict(set)
        wired_out: dict[NodeId, set[PortName]] = defaultdict(set)
        for wire in flow.wires:
            wired_out[wire.source.node].add(wire.source.port)
            wired_in[wire.target.node].add(wire.target.port)
        none: frozenset[PortName] = frozenset()
        self.wired = {
            node: (frozenset(wired_in.get(node, none)), frozenset(wired_out.get(node, none)))
            for node in self.ids
        }
        self.signatures = self._typed_signatures(flow)
        known = self._boxes_of_nodes
        self._boxes_of_nodes = {
            node: self._box(node, record, known.get(node)) for node, record in flow.nodes.items()
        }
        self.boxes = [entry[1] for entry in self._boxes_of_nodes.values()]
        self.looks = {node: self._looks(record.kind) for node, record in flow.nodes.items()}
        self.categories = np.array(
            [look.category if look else "" for look in self.looks.values()], dtype=np.str_
        )
        """The category of each row, empty for kinds that nobody describes."""
        self.has_card = np.array(
            [node not in owners and node not in attached for node in self.ids], dtype=np.bool_
        )
        self.home = np.array([self._place(row, node) for row, node in enumerate(self.ids)], dtype=np.float64)
        self.home = self.home.reshape(-1, 2)

    def _typed_signatures(self, flow: Flow) -> dict[NodeId, Signature | None]:
        """The signatures, with the types that the wires have decided in place of variables."""
        found = {node: self._library.signature(record) for node, record in flow.nodes.items()}
        loose = [node for node, one in found.items() if one is not None and _has_variable(one)]
        if not loose:
            return found
        types = types_of(flow, found)
        for node in loose:
            signature = found[node]
            if signature is not None:
                found[node] = replace(
                    signature,
                    inputs=tuple(
                        _typed(port, types.inputs.get(Socket(node, port.name))) for port in signature.inputs
                    ),
                    outputs=tuple(
                        _typed(port, types.outputs.get(Socket(node, port.name))) for port in signature.outputs
                    ),
                )
        return found

    def _box(
        self, node: NodeId, record: Node, known: tuple[tuple[object, ...], Box] | None
    ) -> tuple[tuple[object, ...], Box]:
        key = (record, self.signatures[node], self.wired[node])
        if known is not None and known[0][0] is record and known[0] == key:
            return known
        look = self._looks(record.kind)
        return key, box_of(record, self.signatures[node], look, self.wired[node], self._measure)

    def _place(self, row: int, node: NodeId) -> tuple[float, float]:
        point = self.flow.layout.nodes.get(node)
        if point is not None:
            return point.x, point.y
        return row % 8 * UNPLACED_STEP, row // 8 * UNPLACED_STEP

    def _read_wires(self) -> None:
        self.wires = [
            wire for wire in self.flow.wires if wire.source.node in self.row and wire.target.node in self.row
        ]
        self.wire_row = {wire: row for row, wire in enumerate(self.wires)}
        self.source_rows = np.array([self.row[wire.source.node] for wire in self.wires], dtype=np.int64)
        self.target_rows = np.array([self.row[wire.target.node] for wire in self.wires], dtype=np.int64)
        count = len(self.wires)
        self._offsets = np.zeros((count, 4))
        self._ways = np.zeros((count, 4))
        names: list[str] = []
        styles: list[int] = []
        cards: dict[tuple[NodeId, PortName, bool], Spot] = {
            (node, spot.port, spot.is_output): spot
            for node, box in zip(self.ids, self.boxes, strict=True)
            for spot in box.spots
        }
        for row, wire in enumerate(self.wires):
            source = cards.get((wire.source.node, wire.source.port, True))
            target = cards.get((wire.target.node, wire.target.port, False))
            if source is not None:
                self._offsets[row, :2] = source.x, source.y
                self._ways[row, :2] = WAYS[source.side]
            if target is not None:
                self._offsets[row, 2:] = target.x, target.y
                self._ways[row, 2:] = WAYS[target.side]
            kind = source.type if source is not None else None
            names.append(type_name(kind) if kind is not None else "any")
            styles.append(
                1 if kind is not None and kind.is_binding else 2 if source and source.is_order else 0
            )
        self.wire_colors = sorted(set(names))
        index = {name: place for place, name in enumerate(self.wire_colors)}
        self.wire_color = np.array([index[name] for name in names], dtype=np.int64)
        self.wire_style = np.array(styles, dtype=np.int64)
        """0 carries data, 1 lends a binding, 2 carries order only."""
        self._partners = self._read_partners()
        touched = [
            row
            for row, wire in enumerate(self.wires)
            if not self.has_card[self.row[wire.source.node]] or not self.has_card[self.row[wire.target.node]]
        ]
        self._area_wires = touched

    def _read_partners(self) -> dict[tuple[NodeId, PortName, bool], list[tuple[NodeId, PortName]]]:
        partners: dict[tuple[NodeId, PortName, bool], list[tuple[NodeId, PortName]]] = defaultdict(list)
        if self._regions:
            for wire in self.wires:
                source, target = wire.source, wire.target
                partners[source.node, source.port, True].append((target.node, target.port))
                partners[target.node, target.port, False].append((source.node, source.port))
        return partners

    # ---------------------------------------------------------------- placing

    def settle(self, places: Floats | None = None) -> None:
        """Put everything where `places` (or the flow's layout) says, areas around their bodies."""
        self.generation += 1
        homes = self.home if places is None else places
        sizes = np.array([(box.width, box.height) for box in self.boxes], dtype=np.float64).reshape(-1, 2)
        self.rects: Floats = np.hstack([homes, sizes])
        self.areas = self._place_areas(homes) if self._regions else {}
        for area in self.areas.values():
            rect = (area.rect.x, area.rect.y, area.rect.width, area.rect.height)
            for node in (area.node, *area.region.collects):
                self.rects[self.row[node]] = rect
        for row in self._area_wires:
            self._place_area_wire(row)
        ends = self._offsets.copy()
        if len(ends):
            ends[:, :2] += self.rects[self.source_rows, :2]
            ends[:, 2:] += self.rects[self.target_rows, :2]
        self._bend(ends)

    def _bend(self, ends: Floats) -> None:
        """Give every wire its curve, and those that turn back two more after it."""
        curves = shapes.cubics(ends, self._ways[:, :2], self._ways[:, 2:])
        count = len(curves)
        ahead, aside = ends[:, 2] - ends[:, 0], np.abs(ends[:, 3] - ends[:, 1])
        is_short = (ahead >= 0) & (aside < shapes.TURN)
        turns = np.nonzero(
            (ahead < shapes.TURN) & ~is_short & (self._ways[:, 0] > 0) & (self._ways[:, 2] < 0)
        )[0]
        self.piece_wire: Ints = np.concatenate([np.arange(count), turns, turns])
        """The wire that each curve is a piece of."""
        if len(turns):
            out, along, back = shapes.turned(ends[turns], self._levels(turns, ends))
            curves[turns] = out
            curves = np.concatenate([curves, along, back])
        self.curves: Floats = curves
        self.curve_bounds: Floats = shapes.bounds(curves)
        self.wire_bounds: Floats = self.curve_bounds[:count].copy()
        if len(turns):
            for tails in np.split(self.curve_bounds[count:], 2):
                self.wire_bounds[turns, :2] = np.minimum(self.wire_bounds[turns, :2], tails[:, :2])
                self.wire_bounds[turns, 2:] = np.maximum(self.wire_bounds[turns, 2:], tails[:, 2:])

    def _levels(self, turns: Ints, ends: Floats) -> Floats:
        """Where wires that turn back pass: between two cards; below both where they stand side by side."""
        tops: list[Floats] = []
        bottoms: list[Floats] = []
        for rows, column in ((self.source_rows[turns], 0), (self.target_rows[turns], 2)):
            x: Floats = ends[turns, column]
            y: Floats = ends[turns, column + 1]
            left, top, width, height = self.rects[rows].T
            is_outside = self.has_card[rows] | (x <= left) | (x >= left + width)
            upper: Floats = np.where(is_outside, top, y - 20)
            lower: Floats = np.where(is_outside, top + height, y + 20)
            tops.append(upper)
            bottoms.append(lower)
        levels = np.maximum(bottoms[0], bottoms[1]) + 22
        levels = np.where(tops[1] - bottoms[0] > 8, (tops[1] + bottoms[0]) / 2, levels)
        return np.where(tops[0] - bottoms[1] > 8, (tops[0] + bottoms[1]) / 2, levels)

    def pieces(self, row: int) -> list[int]:
        """The curves of one wire, in order."""
        return np.nonzero(self.piece_wire == row)[0].tolist()

    def _place_areas(self, homes: Floats) -> dict[NodeId, Area]:
        def card(node: NodeId) -> Rect | None:
            row = self.row.get(node)
            if row is None or not self.has_card[row]:
                return None
            return Rect(*self.rects[row].tolist())

        def height(node: NodeId, port: PortName, is_output: bool) -> float | None:  # noqa: FBT001 - a lookup key
            row = self.row.get(node)
            if row is None or not self.has_card[row]:
                return None
            spot = self.boxes[row].spot(port, is_output=is_output)
            return float(self.rects[row, 1]) + spot.y if spot else None

        def place(node: NodeId) -> tuple[float, float]:
            x, y = homes[self.row[node]].tolist()
            return x, y

        return place_areas(
            self._regions,
            Surroundings(self.signatures.get, card, place, self._partners, height),
        )

    def _place_area_wire(self, row: int) -> None:
        wire = self.wires[row]
        for column, socket, is_output in ((0, wire.source, True), (2, wire.target, False)):
            if self.has_card[self.row[socket.node]]:
                continue
            spot = self.spot(socket.node, socket.port, is_output=is_output)
            if spot is not None:
                self._offsets[row, column : column + 2] = spot.x, spot.y
                self._ways[row, column : column + 2] = WAYS[spot.side]

    # ---------------------------------------------------------------- questions

    def area_of(self, node: NodeId) -> Area | None:
        """The area that a node draws as or, for a collect, is attached to."""
        row = self.row.get(node)
        if row is None or self.has_card[row]:
            return None
        found = self.areas.get(node)
        return found or next((area for area in self.areas.values() if node in area.region.collects), None)

    def spots(self, node: NodeId) -> tuple[Spot, ...]:
        """The ports of a node, relative to its rectangle."""
        area = self.area_of(node)
        if area is not None:
            return area.spots_of(node)
        return self.boxes[self.row[node]].spots if node in self.row else ()

    def spot(self, node: NodeId, port: PortName, *, is_output: bool) -> Spot | None:
        """The place of one port, relative to its node's rectangle."""
        return next(
            (one for one in self.spots(node) if one.port == port and one.is_output == is_output), None
        )

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
        rows = (
            range(len(self.ids)) if nodes is None else [self.row[node] for node in nodes if node in self.row]
        )
        rects = self.rects[list(rows)]
        beside = () if nodes is not None else tuple(self.standing.rects().values())
        if len(rects) == 0:
            return around_all(beside)
        left, top = rects[:, :2].min(axis=0).tolist()
        right, bottom = (rects[:, :2] + rects[:, 2:]).max(axis=0).tolist()
        return around_all((Rect(left, top, right - left, bottom - top), *beside))

    def rows_in(self, box: Rect) -> Ints:
        """The rows of the cards that touch a rectangle."""
        x, y, width, height = self.rects.T
        inside = (x <= box.right) & (x + width >= box.x) & (y <= box.bottom) & (y + height >= box.y)
        return np.nonzero(inside & self.has_card)[0]

    def wire_rows_in(self, box: Rect) -> Ints:
        """The rows of the wires whose bounds touch a rectangle."""
        left, top, right, bottom = self.wire_bounds.T
        return np.nonzero((left <= box.right) & (right >= box.x) & (top <= box.bottom) & (bottom >= box.y))[0]

    def wire_rows_of(self, rows: Ints) -> Bools:
        """Which wires end at any of these node rows, as a mask."""
        mine = np.zeros(len(self.ids), dtype=np.bool_)
        mine[rows] = True
        if len(self.wires) == 0:
            return np.zeros(0, dtype=np.bool_)
        return mine[self.source_rows] | mine[self.target_rows]

    def wires_of(self, node: NodeId) -> list[Wire]:
        """The wires that end at a node."""
        return [wire for wire in self.wires if node in (wire.source.node, wire.target.node)]


def _has_variable(signature: Signature) -> bool:
    return any(port.type.is_variable for port in (*signature.inputs, *signature.outputs))


def _typed(port: Port, kind: PortType | None) -> Port:
    return port if kind is None or kind == port.type else replace(port, type=kind)
