"""How large the docks on each side of the canvas are: as a person made them, or as they are at first."""

from collections.abc import Mapping, Sequence
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMainWindow

from studio.ui.look import Look
from studio.ui.visibility import is_seen
from studio.ui.window.docks.dock import Dock

Side = Literal["left", "right", "below", "below_right"]

BELOW = 0.32
"""The part of the window's height that the docks below the canvas take at first."""
BELOW_BEFORE = 15
"""What they took in layouts that kept no sizes, in wide gaps."""
MESSAGES = 0.4
"""The part of the canvas's width that messages take there."""
SLACK = 4
"""So many points a side may differ from its size without anybody's having moved it."""
SEPARATOR = 1
"""Points between canvas and docks."""
SIDES: Mapping[Qt.DockWidgetArea, Side] = {
    Qt.DockWidgetArea.LeftDockWidgetArea: "left",
    Qt.DockWidgetArea.RightDockWidgetArea: "right",
    Qt.DockWidgetArea.BottomDockWidgetArea: "below",
}


class DockSides:
    """The sides of one window; gives each its size whenever it comes up."""

    def __init__(self, window: QMainWindow, docks: Sequence[Dock], look: Look) -> None:
        self._window, self._docks, self._look = window, docks, look
        self._sizes: dict[str, int] = {}
        self._given: dict[str, int] = {}
        self._before: dict[str, int] = {}
        """The first sizes of a layout that kept none of its own, of sides that have not come up since."""

    @property
    def seen(self) -> set[str]:
        """The sides on which something is shown."""
        return set(self._shown())

    def note(self, *, is_dragged: bool = False) -> None:
        """Remember what a person made of each side's size; columns below also change with the sides."""
        for side, dock in self._shown().items():
            if side == "below_right" and not is_dragged:
                continue
            size = self._size_of(side, dock)
            if side not in self._given or abs(self._given[side] - size) > SLACK:
                self._sizes[side] = size

    def give(self, sides: set[str]) -> None:
        """Give sides that came up their size."""
        layout = self._window.layout()
        if not sides or layout is None:
            return
        layout.activate()
        first = self._first_sizes()
        for side, dock in self._shown().items():
            if side in sides:
                self._take_size(side, dock)
                size = self._sizes.get(side, first[side])
                way = Qt.Orientation.Vertical if side == "below" else Qt.Orientation.Horizontal
                self._window.resizeDocks([dock], [size], way)
                self._given[side] = size
                if self._window.isVisible():  # or what is read next is what it was before
                    layout.activate()
                    self._given[side] = self._size_of(side, dock)  # what is in there may need more

    def keep_shares(self) -> None:
        """Let sides of which nobody made anything else have their part of the window that there is now."""
        self.give({side for side in ("below", "below_right") if side not in self._sizes} & self.seen)

    def forget(self) -> None:
        """Give every side what it has at first."""
        self._before.clear()
        self._sizes.clear()
        self._given.clear()
        self.give(self.seen)

    @property
    def text(self) -> str:
        """What a person made of the sides, as it is kept: `below=320 left=216`."""
        return " ".join(f"{side}={size}" for side, size in sorted(self._sizes.items()))

    def read(self, text: str) -> None:
        """Take what was kept."""
        pairs = (part.partition("=") for part in text.split())
        self._sizes = {side: int(size) for side, _, size in pairs if size.isdecimal()}
        self._given.clear()

    def take_over(self) -> None:
        """Take the sizes of a layout that kept none of its own, unless they are those of every new window."""
        first = self._first_sizes()
        below = self._look.length("space.wide") * BELOW_BEFORE
        self._before = {"left": first["left"], "right": first["right"], "below": below}

    def _take_size(self, side: str, dock: Dock) -> None:
        """Take what a side had in a layout that kept no sizes: it still has it as it comes up."""
        size = self._before.pop(side, None)
        now = self._size_of(side, dock)
        if size is not None and abs(now - size) > SLACK:
            self._sizes.setdefault(side, now)

    def _shown(self) -> dict[str, Dock]:
        """A dock that is shown on each side, and the one of the second column below."""
        found: dict[str, Dock] = {}
        for dock in self._docks:
            side = SIDES.get(self._window.dockWidgetArea(dock))
            if side is None or dock.isFloating() or not is_seen(dock):
                continue
            found.setdefault(side, dock)
            if dock.objectName() == "messages" and side == "below":
                found["below_right"] = dock
        if found.get("below") is found.get("below_right"):
            found.pop("below_right", None)  # it has the row for itself
        return found

    def _size_of(self, side: str, dock: Dock) -> int:
        """How large a side is that shows this dock, its tabs included."""
        if side != "below":
            return dock.width()
        centre = self._window.centralWidget()
        return (
            dock.geometry().bottom() - (centre.geometry().bottom() if centre is not None else 0) - SEPARATOR
        )

    def _first_sizes(self) -> dict[str, int]:
        wide, window = self._look.length("space.wide"), self._window
        centre = window.centralWidget()
        return {
            "left": wide * 9,
            "right": wide * 13,
            "below": round(window.height() * BELOW),
            "below_right": round((centre.width() if centre is not None else 0) * MESSAGES),
        }
