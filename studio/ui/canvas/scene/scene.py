"""The flow as arrays: boxes of nodes, shapes of wires, areas. Patched by changes, asked by everything drawn.

Rows follow the order of nodes and wires in the flow. A loop, map or attached collect has a row like any
node, but no card: its row holds its area's rectangle, so that wires need no special case.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Protocol

import numpy as np

from studio.flow.change import Change
from studio.flow.plain_text import on_one_line
from studio.flow.records import Flow, Library, Wire
from studio.ids import NodeId, PortName
from studio.ui.canvas.buffers import Floats
from studio.ui.canvas.camera import Rect
from studio.ui.canvas.document import KindLook
from studio.ui.canvas.scene import collapse
from studio.ui.canvas.scene.areas import Area, Known, Region, Surroundings, place_areas
from studio.ui.canvas.scene.bends import Bends
from studio.ui.canvas.scene.box_places import Standing
from studio.ui.canvas.scene.curves import Points, differing, moved
from studio.ui.canvas.scene.geometry import Box, Boxes, Measure, Spot, Wired
from studio.ui.canvas.scene.places import Bools, Ints, Places
from studio.ui.canvas.scene.port_types import TypedSignatures
from studio.ui.canvas.scene.wire_rows import WireRows

UNPLACED_STEP = 240
NO_BOX = Box(0, 0, (), 0, 0, has_foot=False)
NOTHING_WIRED: Wired = frozenset(), frozenset()
MOST_PATCHED = 0.5
"""The share of nodes from which on reading everything again is cheaper than following a change."""


class Looks(Protocol):
    """Tells how kinds present themselves."""

    def __call__(self, kind: str) -> KindLook | None:
        """The look of `kind`, None when it is not installed."""
        ...


@dataclass(frozen=True, slots=True)
class Parts:
    """Some nodes and wires of a scene, as masks over its rows; None is all."""

    nodes: Bools | None = None
    wires: Bools | None = None


class Scene(Places):
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
        self._boxes = Boxes(measure)
        self._find_regions = regions
        self._typed = TypedSignatures(library)
        self.bends = Bends()
        self.standing = Standing(lambda: self.flow)
        self.generation = 0
        self.load(flow)

    def load(self, flow: Flow) -> None:
        """Take another flow, or the same one after any change."""
        self.flow = flow
        self._typed.read(flow)
        self.signatures = self._typed.now
        self.ids = list(flow.nodes)
        self._number()
        self.rows_of_wires = WireRows(flow.wires, self.row)
        count = len(self.ids)
        self.wired: dict[NodeId, Wired] = {}
        self.looks: dict[NodeId, KindLook | None] = {}
        self.category_names: list[str] = []
        self.categories = np.zeros(count, dtype=np.int64)
        """The category of each row, empty for kinds that nobody describes."""
        self._rewire(self.ids, range(len(self.wires)))
        self.boxes: list[Box] = [NO_BOX] * count
        self._sizes: Floats = np.zeros((count, 2))
        self._rebox(self.ids)
        self.home: Floats = np.zeros((count, 2))
        self._unplaced: set[NodeId] = set()
        self._put(self.ids)
        self._cards: Floats = np.full((count, 4), np.nan)
        self.rects: Floats = self._cards
        self._stirred: set[NodeId] = set()
        self.areas: dict[NodeId, Area] = {}
        self._placed: dict[NodeId, Area] = {}
        self._regions: Sequence[Region] = ()
        self.has_card: Bools = np.ones(count, dtype=np.bool_)
        self.hidden: Mapping[NodeId, collapse.Hull] = {}
        self._enclose()
        self.rows_of_wires.dress(range(len(self.wires)), self._spot)
        self.bends.read(flow, self.wire_row.__contains__)
        self.settle()

    # ---------------------------------------------------------------- following

    def apply(self, flow: Flow, change: Change) -> Collection[NodeId] | None:
        """Follow one change and tell whose cards it touched, None for perhaps all."""
        touched = {node for node, (_, after) in change.nodes.items() if after is not None}
        wires = change.removed | change.added
        ends = {socket.node for wire in wires for socket in (wire.source, wire.target)} & flow.nodes.keys()
        is_large = len(touched | ends) > MOST_PATCHED * len(self.ids) + 8
        if is_large or collapse.folds(change) or not self._renumber(flow, change):
            self.load(flow)
            return None
        self.flow = flow
        is_reshaped = self._typed.ask(flow, touched)
        touched |= ends
        if touched:
            touched |= self._typed.follow(flow, self.wires, touched)
        self._rewire(ends, self.wires_at(ends))
        stale = self._rebox(touched)
        is_enclosing = self._regions or any(frame.holds for frame in flow.layout.frames.values())
        if (is_enclosing and (wires or change.nodes)) or is_reshaped:
            stale |= self._enclose()
        self._stirred |= touched | stale
        fresh = self._fresh_wires
        self.rows_of_wires.dress({*fresh, *self.wires_at(stale)}, self._spot)
        self._put(node for node in change.places if node in self.row)
        if change.bends or wires:
            self.bends.read(flow, self.wire_row.__contains__)
        self.settle()
        return touched | change.nodes.keys()

    def _renumber(self, flow: Flow, change: Change) -> bool:
        """Bring the rows up to the flow's nodes and wires; False when the change does not lead there."""
        gone = {node for node, (_, after) in change.nodes.items() if after is None and node in self.row}
        fresh = [node for node, (_, after) in change.nodes.items() if after and node not in self.row]
        new_row = np.arange(len(self.ids))
        if gone or fresh:
            is_kept = np.ones(len(self.ids), dtype=np.bool_)
            is_kept[[self.row[node] for node in gone]] = False
            new_row = np.where(is_kept, np.cumsum(is_kept) - 1, -1)
            self.boxes = [box for node, box in zip(self.ids, self.boxes, strict=True) if node not in gone]
            self.ids = [*(node for node in self.ids if node not in gone), *fresh]
            if self.ids != list(flow.nodes):
                return False
            self._admit(np.nonzero(is_kept)[0], gone, fresh)
        self._fresh_wires = self.rows_of_wires.follow(change.removed, change.added, new_row, self.row)
        return len(self.wires) == len(flow.wires) and self.rows_of_wires.is_whole

    def _admit(self, kept: Ints, gone: Iterable[NodeId], fresh: Sequence[NodeId]) -> None:
        """Move every column of the nodes to their new rows; those of new ones are filled later."""
        self._number()
        count, places = len(self.ids), np.arange(len(kept))
        self._typed.forget(gone)
        for node in gone:
            self.wired.pop(node, None)
            self.looks.pop(node, None)
        self._unplaced.difference_update(gone)
        self.boxes.extend(NO_BOX for _ in fresh)
        self._sizes = moved(self._sizes, kept, count, places)
        self.home = moved(self.home, kept, count, places)
        self._cards = moved(self._cards, kept, count, places, np.nan)
        self.rects = moved(self.rects, kept, count, places, np.nan)
        self.categories = np.concatenate([self.categories[kept], np.zeros(len(fresh), dtype=np.int64)])
        self.has_card = np.concatenate([self.has_card[kept], np.ones(len(fresh), dtype=np.bool_)])
        for node in fresh:
            self.wired[node] = NOTHING_WIRED
        self._put([*fresh, *self._unplaced])

    def _number(self) -> None:
        self.row = {node: row for row, node in enumerate(self.ids)}

    def _rewire(self, nodes: Iterable[NodeId], rows: Iterable[int]) -> None:
        """Note which ports of these nodes are wired; `rows` are the wires that end at them."""
        inputs: dict[NodeId, set[PortName]] = defaultdict(set)
        outputs: dict[NodeId, set[PortName]] = defaultdict(set)
        for row in rows:
            wire = self.wires[row]
            outputs[wire.source.node].add(wire.source.port)
            inputs[wire.target.node].add(wire.target.port)
        for node in nodes:
            self.wired[node] = frozenset(inputs.get(node, ())), frozenset(outputs.get(node, ()))

    def _rebox(self, nodes: Iterable[NodeId]) -> set[NodeId]:
        """Lay out these nodes' cards; gives those that are laid out otherwise now."""
        stale: set[NodeId] = set()
        for node in nodes:
            row, record = self.row[node], self.flow.nodes[node]
            look = self.looks[node] = self._looks(record.kind)
            self.categories[row] = self._category(look.category if look else "")
            box = self._boxes.box_of(record, self.signatures[node], look, self.wired[node])
            if node in self.flow.layout.collapsed:
                box = collapse.folded_box(box)
            if box is not self.boxes[row] and box != self.boxes[row]:
                self.boxes[row] = box
                self._sizes[row] = box.width, box.height
                stale.add(node)
        return stale

    def _category(self, name: str) -> int:
        if name not in self.category_names:
            self.category_names.append(name)
        return self.category_names.index(name)

    def _put(self, nodes: Iterable[NodeId]) -> None:
        """Put nodes where the layout says, and others one beside the other."""
        for node in list(nodes):
            row, point = self.row[node], self.flow.layout.nodes.get(node)
            self._unplaced.discard(node)
            if point is None:
                self._unplaced.add(node)
                self.home[row] = row % 8 * UNPLACED_STEP, row // 8 * UNPLACED_STEP
            else:
                self.home[row] = point.x, point.y

    def _enclose(self) -> set[NodeId]:
        """Find the loops and maps; gives the nodes that became areas, or cards again."""
        found = self._find_regions(self.flow, self._library)
        self._regions = collapse.fold_regions(found, self.flow.layout.collapsed)
        self.map_of = {collect: region.node for region in self._regions for collect in region.collects}
        before = self.has_card
        self.has_card = np.ones(len(self.ids), dtype=np.bool_)
        owners = [region.node for region in self._regions]
        self.has_card[[self.row[node] for node in (*owners, *self.map_of)]] = False
        self._is_card = self.has_card.copy()
        self.hidden = collapse.find_hidden(self._regions, self.standing)
        self._hulls = collapse.rows_by_hull(self.hidden, self.row)
        self.has_card[[self.row[node] for node in self.hidden]] = False
        wires = self.rows_of_wires
        ends = wires.sources, wires.targets
        self._inner = collapse.inner_wires(ends, self.row, self.hidden, self._regions)
        border = np.nonzero(~(self._is_card[wires.sources] & self._is_card[wires.targets]))[0]
        self._partners = wires.partners(border.tolist())
        neighbours: dict[NodeId, set[NodeId]] = defaultdict(set)
        for (node, _, _), others in self._partners.items():
            neighbours[node].update(other for other, _ in others)
        self._neighbours = {node: frozenset(others) for node, others in neighbours.items()}
        if not self._regions:
            self.areas, self._placed = {}, {}
        return {self.ids[row] for row in np.nonzero(before != self.has_card)[0].tolist()}

    # ---------------------------------------------------------------- placing

    def shift(self, rows: Ints, dx: float, dy: float) -> None:
        """Show nodes elsewhere than the flow has them, while they are dragged."""
        homes = self.home.copy()
        homes[rows] += (dx, dy)
        moving: list[int] = rows.tolist() if self.bends.home else []
        nodes = frozenset(self.ids[row] for row in moving)
        self.settle(homes, self.bends.carried(nodes, dx, dy))

    def settle(self, places: Floats | None = None, bends: Mapping[Wire, Points] | None = None) -> None:
        """Put everything where `places` and `bends` (or the flow's layout) say, areas around their bodies.

        Only wires are drawn again whose ends, nodes or bends are elsewhere than they were.
        """
        self.generation += 1
        before, cards = self.rects, np.hstack([self.home if places is None else places, self._sizes])
        self.rects = cards.copy()
        if self._regions:
            self._place_areas(cards)
        for hull, rows in self._hulls.items():
            if (rect := collapse.hull_rect(hull, self.areas, self.standing)) is not None:
                self.rects[rows] = astuple(rect)
        self._cards, self._stirred = cards, set()
        wires = self.rows_of_wires
        has_moved = differing(self.rects, before)
        ends = wires.offsets.copy()
        ends[:, :2] += self.rects[wires.sources, :2]
        ends[:, 2:] += self.rects[wires.targets, :2]
        is_stale = differing(ends, wires.ends) | has_moved[wires.sources] | has_moved[wires.targets]
        is_stale[[self.wire_row[wire] for wire in self.bends.show(bends) if wire in self.wire_row]] = True
        wires.ends = ends
        wires.draw(np.nonzero(is_stale)[0], self.rects, self.has_card, self.bends.now)
        wires.curves.hide(self._inner)

    def _typed_at(self, node: NodeId, port: PortName) -> str:
        """The value typed at an input that no wire ends at, on one line."""
        inputs = self.flow.nodes[node].inputs
        return on_one_line(inputs[port]) if port in inputs and port not in self.wired[node][0] else ""

    def _place_areas(self, cards: Floats) -> None:
        has_moved = differing(cards, self._cards)
        stirred = {self.ids[row] for row in np.nonzero(has_moved)[0].tolist()} | self._stirred
        before = self._placed
        self._placed = place_areas(self._regions, self._surroundings(), Known(before, stirred))
        self.areas = {node: area for node, area in self._placed.items() if node not in self.hidden}
        fresh = collapse.resized(self._hulls, before, self.areas)
        rows: list[int] = [row for hull in fresh for row in self._hulls[hull].tolist()]
        changed = {self.ids[row] for row in rows}
        for area in self.areas.values():
            nodes = (area.node, *area.region.collects)
            self.rects[[self.row[node] for node in nodes]] = astuple(area.rect)
            if before.get(area.node) is not area:
                changed.update(nodes)
        self.rows_of_wires.dress(self.wires_at(changed), self._spot)

    def _surroundings(self) -> Surroundings:
        def card(node: NodeId) -> Rect | None:
            row = self.row.get(node)
            return Rect(*self.rects[row].tolist()) if row is not None and self._is_card[row] else None

        def height(node: NodeId, port: PortName, is_output: bool) -> float | None:  # noqa: FBT001 - a lookup key
            row = self.row.get(node)
            if row is None or not self.has_card[row]:
                return None
            spot = self.boxes[row].spot(port, is_output=is_output)
            return float(self.rects[row, 1]) + spot.y if spot else None

        def place(node: NodeId) -> tuple[float, float]:
            x, y = self.rects[self.row[node], :2].tolist()
            return x, y

        return Surroundings(
            self.signatures.get,
            card,
            place,
            self._partners,
            height,
            lambda node: self._neighbours.get(node, frozenset()),
            self._typed_at,
        )

    def _spot(self, node: NodeId, port: PortName, is_output: bool) -> Spot | None:  # noqa: FBT001 - a lookup key
        """Where a wire ends: at the area's border if the node is one, at what hides it if it is hidden."""
        if (hull := self.hidden.get(node)) is not None:
            rect = collapse.hull_rect(hull, self.areas, self.standing)
            found = self.boxes[self.row[node]].spot(port, is_output=is_output)
            return collapse.hull_spot(found, rect, is_output=is_output) if rect is not None else None
        found = self.spot(node, port, is_output=is_output)
        return found or self.boxes[self.row[node]].spot(port, is_output=is_output)
