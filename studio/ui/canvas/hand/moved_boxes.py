"""Frames and notes that are moved together with nodes: shown live, one change at the end."""

from typing import TYPE_CHECKING

from studio.flow.change import Change
from studio.flow.edits import boxes
from studio.flow.edits.boxes import Things
from studio.ui.canvas.camera import Rect
from studio.ui.canvas.scene.box_places import Key

if TYPE_CHECKING:
    from studio.ui.canvas.board import Board


class Carried:
    """The frames and notes that a hand moves along with its nodes."""

    def __init__(self, board: "Board", things: Things) -> None:
        self._board = board
        self.things = things
        keys = [Key("frame", name) for name in things.frames] + [Key("note", name) for name in things.notes]
        rects = board.scene.standing.rects()
        self._rects = {key: rect for key, rect in rects.items() if key in keys}

    def show(self, dx: float, dy: float) -> None:
        """Show them moved so far; the caller tells that something stirred."""
        if self._rects:
            self._board.scene.standing.held = {
                key: Rect(rect.x + dx, rect.y + dy, rect.width, rect.height)
                for key, rect in self._rects.items()
            }

    def change(self, dx: int, dy: int) -> Change:
        """Move them in the flow."""
        return boxes.shift(self._board.flow, self.things, dx, dy)

    def let_go(self) -> None:
        """Show them again where the flow has them."""
        self._board.scene.standing.held = {}
