"""Nodes, frames and notes together: what of them is selected, and how they move, in one change."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from studio.app.documents.selection import Selected
from studio.flow import edits
from studio.flow.change import Change
from studio.flow.edits import boxes
from studio.flow.edits.boxes import Things
from studio.flow.records import Point
from studio.ids import NodeId
from studio.ui.canvas.scene.box_places import Key

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
