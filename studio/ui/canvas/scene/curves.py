"""The curves that wires are drawn as, all in one array; only those whose ends have changed are made again."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from studio.ui.canvas.buffers import Floats
from studio.ui.canvas.scene import wires as shapes
from studio.ui.canvas.scene.wires import Ints

Points = tuple[tuple[float, float], ...]


class Curves:
    """Each wire's first curve at the wire's own row; the further ones of those that have some behind them."""

    def __init__(self, count: int) -> None:
        self._first: Floats = np.zeros((count, 8))
        self._first_bounds: Floats = np.zeros((count, 4))
        self._more: Floats = np.empty((0, 8))
        self._more_bounds: Floats = np.empty((0, 4))
        self._owner: Ints = np.empty(0, dtype=np.int64)
        self.all: Floats = self._first
        self.piece_wire: Ints = np.arange(count)
        """The wire that each curve is a piece of."""
        self.bounds: Floats = np.zeros((count, 4))
        """The box of each curve."""
        self.wire_bounds: Floats = np.zeros((count, 4))

    def splice(self, kept: Ints, count: int, places: Ints) -> None:
        """Let go of all wires but those at the rows `kept`, which stand at `places` among `count` now."""
        before = len(self._first)
        new_row = np.full(before, -1, dtype=np.int64)
        new_row[kept] = places
        owner = new_row[self._owner]
        is_left = owner >= 0
        self._more, self._more_bounds = self._more[is_left], self._more_bounds[is_left]
        self._owner = owner[is_left]
        self._first = moved(self._first, kept, count, places)
        self._first_bounds = moved(self._first_bounds, kept, count, places)
        self.wire_bounds = moved(self.wire_bounds, kept, count, places)
        self._join()

    def draw(
        self, rows: Ints, ends: Floats, ways: Floats, levels: Floats, bends: Mapping[int, Points]
    ) -> None:
        """Make the curves of the wires at `rows` again.

        `ends`, `ways` and `levels` have a line for each of these; `bends` is by the wire's row.
        """
        first = shapes.cubics(ends, ways[:, :2], ways[:, 2:])
        more: list[Floats] = []
        owners: list[Ints] = []
        turns = shapes.turning(ends, ways)
        if bends:
            turns = turns[[int(row) not in bends for row in rows[turns].tolist()]]
        if len(turns):
            out, along, back = shapes.turned(ends[turns], levels[turns])
            first[turns] = out
            more += [along, back]
            owners += [rows[turns], rows[turns]]
        if bends:
            for place, row in enumerate(rows.tolist()):
                if row in bends:
                    led = shapes.led(ends[place], ways[place], bends[row])
                    first[place] = led[0]
                    more.append(led[1:])
                    owners.append(np.full(len(led) - 1, row, dtype=np.int64))
        self._first[rows] = first
        self._exchange(rows, more, owners)

    def hide(self, rows: Ints) -> None:
        """Have nobody see or hit these wires; to be said again after wires were drawn."""
        if len(rows):
            nowhere = (np.inf, np.inf, -np.inf, -np.inf)
            self.wire_bounds[rows] = nowhere
            self.bounds[np.isin(self.piece_wire, rows)] = nowhere

    def _exchange(self, rows: Ints, more: list[Floats], owners: list[Ints]) -> None:
        count = len(self._first)
        is_drawn = np.zeros(count, dtype=np.bool_)
        is_drawn[rows] = True
        kept = ~is_drawn[self._owner]
        fresh = np.concatenate(more) if more else np.empty((0, 8))
        of = np.concatenate(owners) if owners else np.empty(0, dtype=np.int64)
        owner = np.concatenate([self._owner[kept], of])
        order = np.argsort(owner, kind="stable")
        boxes = shapes.bounds(fresh)
        self._owner, self._more = owner[order], np.concatenate([self._more[kept], fresh])[order]
        self._more_bounds = np.concatenate([self._more_bounds[kept], boxes])[order]
        self.wire_bounds[rows] = self._first_bounds[rows] = shapes.bounds(self._first[rows])
        self._join()
        np.minimum.at(self.wire_bounds[:, :2], of, boxes[:, :2])
        np.maximum.at(self.wire_bounds[:, 2:], of, boxes[:, 2:])

    def _join(self) -> None:
        self.all = np.concatenate([self._first, self._more])
        self.piece_wire = np.concatenate([np.arange(len(self._first)), self._owner])
        self.bounds = np.concatenate([self._first_bounds, self._more_bounds])


def differing(one: Floats, other: Floats) -> npt.NDArray[np.bool_]:
    """Which lines of four numbers differ: the four answers of a line are read as one number."""
    answers = np.ascontiguousarray(one != other).view(np.uint32)
    return answers[:, 0] != 0


def moved(lines: Floats, kept: Ints, count: int, places: Ints, fill: float = 0.0) -> Floats:
    """The lines at `kept`, standing at `places` among `count`; the others are filled."""
    result = np.full((count, lines.shape[1]), fill)
    result[places] = lines[kept]
    return result
