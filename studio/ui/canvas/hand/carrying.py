"""Frames and notes that are moved together with nodes: shown live, one change at the end."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from studio.app.documents.selection import Selected
from studio.flow import boxes, edits
from studio.flow.boxes import Things
from studio.flow.change import Change
from studio.flow.records import Point
from studio.ids import NodeId
from studio.ui.canvas.camera import Rect
from studio.ui.canvas.scene.standing import Key

if TYPE_CHECKING:
    from studio.ui.canvas.board import Board


def node_places(board: "Board") -> dict[NodeId, tuple[float, float, float, float]]:
    """Where every node is shown, as frames ask for it."""
    rects: list[tuple[float, float, float, float]] = board.scene.rects.tolist()
    return dict(zip(board.scene.ids, rects, strict=True))


def selected_things(board: "Board") -> Things:
    """What is selected, with all that stands in selected frames and areas, and what collapsed frames hide."""
    now, flow = board.document.selection.now, board.flow
    found = Things(board.selected, now.frames & flow.layout.frames.keys(), now.notes)
    places = node_places(board) if found.frames else {}
    for name in sorted(found.frames):
        found = found.united(board.scene.standing.inside(name, places))
    return Things(frozenset(board.scene.bodies(found.nodes)), found.frames, found.notes)


def select_boxes(board: "Board", keys: Collection[Key], *, adds: bool = False) -> None:
    """Select these frames and notes; `adds` leaves the selected nodes and wires as they are."""
    kept = board.document.selection.now if adds else Selected()
    frames = [key.name for key in keys if key.kind == "frame"]
    board.select(kept.nodes, kept.wires, frames, [key.name for key in keys if key.kind == "note"])


def move_things(board: "Board", things: Things, dx: int, dy: int) -> Change:
    """Move nodes, frames and notes by as much: one change."""
    homes = board.scene.home
    places: dict[NodeId, Point] = {}
    for node in sorted(things.nodes):
        x, y = homes[board.scene.row[node]].tolist()
        places[node] = Point(round(x) + dx, round(y) + dy)
    moved = edits.move(board.flow, places)
    change = moved.then(boxes.shift(board.flow, things, dx, dy))
    return change if places else change.labelled("Move frame" if things.frames else "Move note")


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
