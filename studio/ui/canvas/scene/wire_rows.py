"""The wires of a scene as arrays: where they end, and in which colour and style they are drawn."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from studio.flow.records import Wire
from studio.ids import NodeId, PortName
from studio.ui.canvas.buffers import Floats
from studio.ui.canvas.scene.curves import Curves, Points, moved
from studio.ui.canvas.scene.geometry import Side, Spot, type_name
from studio.ui.canvas.scene.wires import Ints

Bools = npt.NDArray[np.bool_]

WAYS: Mapping[Side, tuple[float, float]] = {
    Side.LEFT: (-1.0, 0.0),
    Side.RIGHT: (1.0, 0.0),
    Side.TOP: (0.0, -1.0),
    Side.BOTTOM: (0.0, 1.0),
}

NOWHERE = ((0.0, 0.0), (0.0, 0.0))
"""A port that is not there: its wire ends at the node's corner."""

FindSpot = Callable[[NodeId, PortName, bool], Spot | None]
"""The place of a port, by its node, its name, and whether it is an output."""


class WireIndex(Mapping[Wire, int]):
    """The row of each wire, found by halving: wires stand in the order of their file."""

    def __init__(self, wires: Sequence[Wire]) -> None:
        self._wires = wires

    def __getitem__(self, wire: Wire) -> int:
        row = self.place(wire)
        if row < len(self._wires) and self._wires[row] == wire:
            return row
        raise KeyError(wire)

    def __iter__(self) -> Iterator[Wire]:
        return iter(self._wires)

    def __len__(self) -> int:
        return len(self._wires)

    def place(self, wire: Wire) -> int:
        """The row that a wire has, or would have."""
        return bisect_left(self._wires, wire.sort_key, key=lambda one: one.sort_key)


class WireRows:
    """One row for each wire whose nodes both exist, in the order of the file."""

    def __init__(self, wires: Iterable[Wire], row: Mapping[NodeId, int]) -> None:
        self.wires = [wire for wire in wires if wire.source.node in row and wire.target.node in row]
        self.index = WireIndex(self.wires)
        self.sources: Ints = np.array([row[wire.source.node] for wire in self.wires], dtype=np.int64)
        self.targets: Ints = np.array([row[wire.target.node] for wire in self.wires], dtype=np.int64)
        count = len(self.wires)
        self.offsets: Floats = np.zeros((count, 4))
        """Where both ends are, relative to their nodes."""
        self.ways: Floats = np.zeros((count, 4))
        """Unit vectors out of both ports."""
        self.ends: Floats = np.full((count, 4), np.nan)
        """Where both ends were when the curves were drawn."""
        self.names: list[str] = []
        """The tokens of colours that wires have, or had."""
        self.color: Ints = np.zeros(count, dtype=np.int64)
        """Each wire's place in `names`."""
        self.style: Ints = np.zeros(count, dtype=np.int64)
        """0 carries data, 1 lends a binding, 2 carries order only."""
        self.curves = Curves(count)

    def follow(
        self, removed: Iterable[Wire], added: Iterable[Wire], new_row: Ints, row: Mapping[NodeId, int]
    ) -> list[int]:
        """Take wires away and put others in their places; gives the rows of the new ones.

        `new_row` has for each row that a node had the one that it has now.
        """
        gone = {place for wire in removed if (place := self.index.get(wire)) is not None}
        seen = (wire for wire in added if wire.source.node in row and wire.target.node in row)
        fresh = {wire for wire in seen if wire not in self.index or self.index[wire] in gone}
        kept = np.setdiff1d(np.arange(len(self.wires)), sorted(gone))
        if gone or fresh:
            self.wires = [wire for place, wire in enumerate(self.wires) if place not in gone]
            self.index = WireIndex(self.wires)
            for wire in fresh:
                self.wires.insert(self.index.place(wire), wire)
        rows = sorted(self.index[wire] for wire in fresh)
        count = len(self.wires)
        places = np.setdiff1d(np.arange(count), rows)
        sources, targets = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
        sources[places], targets[places] = new_row[self.sources[kept]], new_row[self.targets[kept]]
        for place in rows:
            wire = self.wires[place]
            sources[place], targets[place] = row[wire.source.node], row[wire.target.node]
        self.sources, self.targets = sources, targets
        if gone or fresh:
            self._move(kept, count, places)
        return rows

    def _move(self, kept: Ints, count: int, places: Ints) -> None:
        self.offsets = moved(self.offsets, kept, count, places)
        self.ways = moved(self.ways, kept, count, places)
        self.ends = moved(self.ends, kept, count, places, np.nan)
        for name in ("color", "style"):
            column = np.zeros(count, dtype=np.int64)
            column[places] = getattr(self, name)[kept]
            setattr(self, name, column)
        self.curves.splice(kept, count, places)

    @property
    def is_whole(self) -> bool:
        """Whether every wire has both its nodes."""
        return bool((self.sources >= 0).all() and (self.targets >= 0).all())

    def draw(self, rows: Ints, rects: Floats, has_card: Bools, bends: Mapping[Wire, Points]) -> None:
        """Make the curves of these wires again, between their `ends`."""
        if not len(rows):
            return
        ends, ways = self.ends[rows], self.ways[rows]
        levels = self._levels(rows, ends, rects, has_card)
        led = {row: points for wire, points in bends.items() if (row := self.index.get(wire)) is not None}
        self.curves.draw(rows, ends, ways, levels, led)

    def _levels(self, rows: Ints, ends: Floats, rects: Floats, has_card: Bools) -> Floats:
        """Where wires that turn back pass: between two cards, or below both if they are side by side."""
        tops: list[Floats] = []
        bottoms: list[Floats] = []
        for nodes, column in ((self.sources[rows], 0), (self.targets[rows], 2)):
            x: Floats = ends[:, column]
            y: Floats = ends[:, column + 1]
            left, top, width, height = rects[nodes].T
            is_outside = has_card[nodes] | (x <= left) | (x >= left + width)
            upper: Floats = np.where(is_outside, top, y - 20)
            lower: Floats = np.where(is_outside, top + height, y + 20)
            tops.append(upper)
            bottoms.append(lower)
        levels = np.maximum(bottoms[0], bottoms[1]) + 22
        levels = np.where(tops[1] - bottoms[0] > 8, (tops[1] + bottoms[0]) / 2, levels)
        return np.where(tops[0] - bottoms[1] > 8, (tops[0] + bottoms[1]) / 2, levels)

    def touching(self, rows: Sequence[int] | Ints, count: int) -> Ints:
        """The rows of the wires that end at any of these rows of nodes, of which there are `count`."""
        mine = np.zeros(count, dtype=np.bool_)
        mine[rows] = True
        return np.nonzero(mine[self.sources] | mine[self.targets])[0]

    def dress(self, rows: Iterable[int], spot: FindSpot) -> None:
        """Find the ports at which these wires end, and what they look like by it."""
        places = {name: place for place, name in enumerate(self.names)}
        chosen = list(rows)
        offsets: list[tuple[float, float, float, float]] = []
        ways: list[tuple[float, float, float, float]] = []
        colors: list[int] = []
        styles: list[int] = []
        for row in chosen:
            wire = self.wires[row]
            source = spot(wire.source.node, wire.source.port, True)
            target = spot(wire.target.node, wire.target.port, False)
            begins = ((source.x, source.y), WAYS[source.side]) if source else NOWHERE
            arrives = ((target.x, target.y), WAYS[target.side]) if target else NOWHERE
            offsets.append((*begins[0], *arrives[0]))
            ways.append((*begins[1], *arrives[1]))
            kind = source.type if source is not None else None
            name = type_name(kind) if kind is not None else "any"
            if name not in places:
                places[name] = len(self.names)
                self.names.append(name)
            colors.append(places[name])
            is_order = source is not None and source.is_order
            styles.append(1 if kind is not None and kind.is_binding else 2 if is_order else 0)
        if chosen:
            self.offsets[chosen], self.ways[chosen], self.ends[chosen] = offsets, ways, np.nan
            self.color[chosen], self.style[chosen] = colors, styles

    def partners(
        self, rows: Iterable[int]
    ) -> dict[tuple[NodeId, PortName, bool], list[tuple[NodeId, PortName]]]:
        """By (node, port, is output): the sockets at the other ends of these wires."""
        found: dict[tuple[NodeId, PortName, bool], list[tuple[NodeId, PortName]]] = defaultdict(list)
        for row in rows:
            source, target = self.wires[row].source, self.wires[row].target
            found[source.node, source.port, True].append((target.node, target.port))
            found[target.node, target.port, False].append((source.node, source.port))
        return found
