"""Where the numbers of the wires into a list input stand, which say whose value comes first."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from studio.flow.ports import AFTER
from studio.flow.records import Socket, Wire
from studio.ui.canvas.scene.scene import Scene
from studio.ui.canvas.scene.wires import points_on
from studio.ui.canvas.sight import CARDS_FROM, View

SHARE = 0.7
"""How far along its last curve a wire has its number: near the port, where it has not yet met the others."""
REACH = 13.0


@dataclass(frozen=True, slots=True)
class OrderMark:
    """The number of one wire and the scene point where it stands."""

    wire: Wire
    place: int
    x: float
    y: float


class OrderMarks:
    """Finds the marks of one scene; wires are looked through when they change, points are found when seen."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._wires: Sequence[Wire] | None = None
        self._places: dict[Wire, int] = {}
        self._rows = np.empty(0, dtype=np.int64)
        self.trial: Mapping[Wire, int] = {}
        """Numbers that are shown instead, while a hand holds one."""

    def place(self, wire: Wire) -> int | None:
        """Which value of its list a wire brings, from 0; None where there is no order to tell."""
        self._read()
        return self._places.get(wire)

    def seen(self, view: View) -> list[OrderMark]:
        """The marks that the view shows; none from too far to read them."""
        self._read()
        if not len(self._rows) or view.camera.scale < CARDS_FROM:
            return []
        box = view.seen()
        left, top, right, bottom = self._scene.wire_bounds[self._rows].T
        near = (left <= box.right) & (right >= box.x) & (top <= box.bottom) & (bottom >= box.y)
        return [self._mark(int(row)) for row in self._rows[near]]

    def at(self, x: float, y: float, scale: float) -> OrderMark | None:
        """The mark at a scene point."""
        self._read()
        if not len(self._rows) or scale < CARDS_FROM:
            return None
        reach = REACH / min(scale, 1.0)
        left, top, right, bottom = self._scene.wire_bounds[self._rows].T
        near = (left - reach <= x) & (right + reach >= x) & (top - reach <= y) & (bottom + reach >= y)
        marks = [self._mark(int(row)) for row in self._rows[near]]
        gaps = [(float(np.hypot(mark.x - x, mark.y - y)), place) for place, mark in enumerate(marks)]
        gap, chosen = min(gaps, default=(reach + 1, 0))
        return marks[chosen] if gap <= reach else None

    def of(self, socket: Socket) -> list[OrderMark]:
        """The marks at one list input, in order."""
        self._read()
        found = sorted((place, wire) for wire, place in self._places.items() if wire.target == socket)
        return [self._mark(self._scene.wire_row[wire]) for _, wire in found]

    def _read(self) -> None:
        scene = self._scene
        if self._wires is scene.flow.wires:
            return
        self._wires = scene.flow.wires
        lists: dict[Socket, list[Wire]] = defaultdict(list)
        for wire in scene.flow.wires:
            if wire.index is not None and wire.target.port != AFTER and wire in scene.wire_row:
                lists[wire.target].append(wire)
        self._places = {
            wire: place
            for wires in lists.values()
            if len(wires) > 1
            for place, wire in enumerate(sorted(wires, key=lambda one: (one.index or 0, one.sort_key)))
        }
        self._rows = np.array([scene.wire_row[wire] for wire in self._places], dtype=np.int64)

    def _mark(self, row: int) -> OrderMark:
        scene = self._scene
        wire = scene.wires[row]
        on = points_on(scene.curves[scene.pieces(row)[-1:]], 20)[0]
        x, y = on[round(SHARE * 20)].tolist()
        return OrderMark(wire, self.trial.get(wire, self._places[wire]), x, y)
