"""The left button is down and nothing is decided: it becomes a click, or a drag of what was hit."""

from dataclasses import replace

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter

from studio.app.documents.selection import Bend, Selected
from studio.flow.records import Socket
from studio.ui.canvas.board import Board
from studio.ui.canvas.hand.gestures.cut import Cut
from studio.ui.canvas.hand.gestures.drag_bends import DragBends
from studio.ui.canvas.hand.gestures.drag_boxes import DragBoxes, ResizeBox
from studio.ui.canvas.hand.gestures.drag_bundle import DragBundle
from studio.ui.canvas.hand.gestures.drag_nodes import DragNodes
from studio.ui.canvas.hand.gestures.drag_order import DragOrder
from studio.ui.canvas.hand.gestures.drag_wire import drag_wire
from studio.ui.canvas.hand.gestures.gesture import Gesture
from studio.ui.canvas.hand.gestures.marquee import Marquee
from studio.ui.canvas.hits import Hit, Target
from studio.ui.canvas.scene.box_places import NO_EDGES, Key
from studio.ui.canvas.scene.geometry import Spot
from studio.ui.canvas.scene.ghosts import GhostHit
from studio.ui.canvas.sight import View
from studio.ui.canvas.things import select_boxes

SLACK = 4
"""Widget points that a hand may tremble during a click."""


class Press:
    """Selects at once what will be dragged, so that press and drag are one motion."""

    cursor = Qt.CursorShape.ArrowCursor

    def __init__(self, board: Board, at: QPointF, keys: Qt.KeyboardModifier) -> None:
        self._board = board
        self._at = at
        self._hit = board.hit(at.x(), at.y())
        self._was_selected = board.document.selection.now
        self._keys = keys
        self._adds = bool(keys & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier))
        if is_node(self._hit) and not self._adds and self._hit.node not in board.selected:
            board.select([self._hit.node] if self._hit.node else [])
        elif self._hit.box is not None and not self._adds and self._hit.box not in board.chosen:
            select_boxes(board, [self._hit.box])

    def move(self, at: QPointF, keys: Qt.KeyboardModifier) -> Gesture:
        """Stay a press while the pointer trembles, then become the drag that fits what was hit."""
        if (at - self._at).manhattanLength() <= SLACK:
            return self
        board, hit = self._board, self._hit
        gesture: Gesture
        if hit.target is Target.PORT and hit.node is not None and hit.spot is not None:
            gesture = self._drag_port(Socket(hit.node, hit.spot.port), hit.spot)
        elif is_node(hit) and hit.node is not None:
            if hit.node not in board.selected:
                board.add_to_selection([hit.node])
            gesture = (DragBoxes if board.chosen else DragNodes)(board, hit.node, self._at)
        elif hit.bend is not None:
            gesture = DragBends(board, self._held_bends(hit.bend), hit.bend, self._at)
        elif hit.box is not None and hit.edges != NO_EDGES:
            gesture = ResizeBox(board, hit.box, hit.edges, self._at)
        elif hit.box is not None:
            if hit.box not in board.chosen:
                select_boxes(board, [*board.chosen, hit.box], adds=True)
            gesture = DragBoxes(board, hit.box, self._at)
        else:
            x, y = board.camera.to_scene(self._at.x(), self._at.y())
            mark = board.order_marks.at(x, y, board.camera.scale) if hit.wire is not None else None
            gesture = DragOrder(board, mark) if mark else _stroke(board, self._at, self._keys)
        return gesture.move(at, keys)

    def _held_bends(self, grabbed: Bend) -> frozenset[Bend]:
        """The bends that go along with the one that was grabbed, which is selected by it."""
        now = self._board.document.selection.now
        if grabbed not in now.bends:
            kept = now if self._adds else Selected()
            self._board.document.selection.take(replace(kept, bends=kept.bends | {grabbed}))
        return self._board.document.selection.now.bends

    def _drag_port(self, socket: Socket, spot: Spot) -> Gesture:
        """Drag a wire; with Shift from an output, all that leave it."""
        board = self._board
        wires = tuple(wire for wire in board.flow.wires if spot.is_output and wire.source == socket)
        if wires and self._keys & Qt.KeyboardModifier.ShiftModifier:
            return DragBundle(board, wires)
        return drag_wire(board, socket.node, spot)

    def release(self, at: QPointF, keys: Qt.KeyboardModifier) -> None:
        """A click: select, or with Ctrl add and take away."""
        del at, keys
        selection, hit = self._board.document.selection, self._hit
        now = selection.now
        kept = now if self._adds else Selected()
        if hit.ghost is not None:
            self._take_ghost(hit.ghost)
            return
        if hit.bend is not None:
            selection.take(replace(kept, bends=kept.bends ^ {hit.bend}))
        elif hit.box is not None:
            chosen = {*self._board.chosen} if self._adds else set[Key]()
            select_boxes(self._board, chosen ^ {hit.box}, adds=self._adds)
        elif is_node(hit) or hit.target is Target.PORT:
            node = frozenset([hit.node] if hit.node else [])
            self._board.select(kept.nodes ^ node, kept.wires, kept.frames, kept.notes)
        elif hit.wire is not None:
            wire = frozenset([hit.wire])
            self._board.select(kept.nodes, kept.wires ^ wire, kept.frames, kept.notes)
        elif not self._adds:
            self._board.select()
        if not self._adds:
            self._board.clicked.tell(hit)

    def _take_ghost(self, ghost: GhostHit) -> None:
        """Show what works on a ghost; the line above them folds and unfolds them."""
        if ghost.key:
            self._board.ghost_chosen.tell(ghost)
        else:
            self._board.cards.ghosts.turn(ghost.node)
            self._board.redrawn.tell()

    def cancel(self) -> None:
        """Select again what was selected before."""
        self._board.document.selection.take(self._was_selected)

    def paint(self, painter: QPainter, view: View) -> None:
        """There is nothing in the hand yet."""


def _stroke(board: Board, at: QPointF, keys: Qt.KeyboardModifier) -> Gesture:
    """What begins on empty canvas: a rubber band; with Ctrl alone, a cut."""
    is_control = bool(keys & Qt.KeyboardModifier.ControlModifier)
    is_shift = bool(keys & Qt.KeyboardModifier.ShiftModifier)
    if keys & Qt.KeyboardModifier.AltModifier or (is_control and is_shift):
        return Marquee(board, at, "subtract")
    if is_control:
        return Cut(board, at)
    return Marquee(board, at, "add" if is_shift else "replace")


def is_node(hit: Hit) -> bool:
    """Whether a node, or an area by its title, was hit."""
    return hit.target in {Target.NODE, Target.AREA_TITLE}
