"""The bends of wires: where the flow has them, and where they are shown while a hand moves them."""

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from studio.app.documents.selection import Bend
from studio.flow.files.document_reader import WIRE
from studio.flow.records import Flow, Socket, Wire
from studio.ids import NodeId, PortName
from studio.ui.canvas.buffers import Floats
from studio.ui.canvas.camera import Rect
from studio.ui.canvas.scene.curves import Points


class Bends:
    """The bent wires of a scene with their points; most wires have none."""

    def __init__(self) -> None:
        self.home: dict[Wire, Points] = {}
        """As the flow has them."""
        self.now: Mapping[Wire, Points] = {}
        """As they are shown."""
        self._bends: list[Bend] = []
        self._points: Floats = np.empty((0, 2))

    def read(self, flow: Flow, exists: Callable[[Wire], bool]) -> None:
        """Take the bends of all wires that exist."""
        found = {wire_of(text): points for text, points in flow.layout.bends.items()}
        self.home = {
            wire: tuple((point.x, point.y) for point in points)
            for wire, points in found.items()
            if wire is not None and points and exists(wire)
        }

    def show(self, live: Mapping[Wire, Points] | None = None) -> set[Wire]:
        """Show them where the flow has them, but for these; gives the wires that are led otherwise now."""
        before = self.now
        self.now = {**self.home, **live} if live else self.home
        if not before and not self.now:
            return set()
        self._bends = [(wire, place) for wire, points in self.now.items() for place in range(len(points))]
        self._points = np.array(
            [self.now[wire][place] for wire, place in self._bends], dtype=np.float64
        ).reshape(-1, 2)
        return {wire for wire in before.keys() | self.now.keys() if before.get(wire) != self.now.get(wire)}

    def carried(self, nodes: frozenset[NodeId], dx: float, dy: float) -> dict[Wire, Points]:
        """Where the bends are of wires both of whose nodes are carried along."""
        return {
            wire: tuple((x + dx, y + dy) for x, y in points)
            for wire, points in self.home.items()
            if wire.source.node in nodes and wire.target.node in nodes
        }

    def nearest(self, x: float, y: float, within: float) -> Bend | None:
        """The bend nearest to a scene point and at most `within` from it."""
        if not self._bends:
            return None
        gaps = np.hypot(*(self._points - (x, y)).T)
        best = int(np.argmin(gaps))
        return self._bends[best] if gaps[best] <= within else None

    def inside(self, box: Rect) -> set[Bend]:
        """The bends in a rectangle."""
        return {
            bend
            for bend, (x, y) in zip(self._bends, self._points.tolist(), strict=True)
            if box.contains(x, y)
        }

    def point(self, bend: Bend) -> tuple[float, float] | None:
        """Where a bend is shown; None when there is none such (any more)."""
        points = self.now.get(bend[0], ())
        return points[bend[1]] if bend[1] < len(points) else None

    def moved(self, bends: Iterable[Bend], dx: float, dy: float) -> dict[Wire, Points]:
        """The points of these bends' wires, with these bends somewhere else than the flow has them."""
        chosen = set(bends)
        return {
            wire: tuple(
                (x + dx, y + dy) if (wire, place) in chosen else (x, y)
                for place, (x, y) in enumerate(self.home[wire])
            )
            for wire in {wire for wire, _ in chosen}
            if wire in self.home
        }


def wire_of(text: str) -> Wire | None:
    """The wire that is written so."""
    parts = WIRE.fullmatch(text)
    if parts is None:
        return None
    source = Socket(NodeId(parts[1]), PortName(parts[2]))
    target = Socket(NodeId(parts[3]), PortName(parts[4]))
    return Wire(source, target, None if parts[5] is None else int(parts[5]))
