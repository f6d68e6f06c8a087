"""The left button is down and nothing is decided: it becomes a click, or a drag of what was hit."""

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter

from studio.ui.canvas.board import Board, Hit, Target
from studio.ui.canvas.gestures.cut import Cut
from studio.ui.canvas.gestures.drag_nodes import DragNodes
from studio.ui.canvas.gestures.drag_wire import drag_wire
from studio.ui.canvas.gestures.gesture import Gesture
from studio.ui.canvas.gestures.marquee import Marquee
from studio.ui.canvas.painter import View

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

    def move(self, at: QPointF, keys: Qt.KeyboardModifier) -> Gesture:
        """Stay a press while the pointer trembles, then become the drag that fits what was hit."""
        if (at - self._at).manhattanLength() <= SLACK:
            return self
        board, hit = self._board, self._hit
        gesture: Gesture
        if hit.target is Target.PORT and hit.node is not None and hit.spot is not None:
            gesture = drag_wire(board, hit.node, hit.spot)
        elif is_node(hit) and hit.node is not None:
            if hit.node not in board.selected:
                board.select({*board.selected, hit.node})
            gesture = DragNodes(board, hit.node, self._at)
        else:
            gesture = _stroke(board, self._at, self._keys)
        return gesture.move(at, keys)

    def release(self, at: QPointF, keys: Qt.KeyboardModifier) -> None:
        """A click: select, or with Ctrl add and take away."""
        del at, keys
        selection, hit = self._board.document.selection, self._hit
        now = selection.now
        if is_node(hit) or hit.target is Target.PORT:
            node = frozenset([hit.node] if hit.node else [])
            self._board.select(now.nodes ^ node if self._adds else node, now.wires if self._adds else ())
        elif hit.wire is not None:
            wire = frozenset([hit.wire])
            self._board.select(now.nodes if self._adds else (), now.wires ^ wire if self._adds else wire)
        elif not self._adds:
            self._board.select()

    def cancel(self) -> None:
        """Select again what was selected before."""
        self._board.select(self._was_selected.nodes, self._was_selected.wires)

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
