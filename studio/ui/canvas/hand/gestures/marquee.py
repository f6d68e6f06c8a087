"""A rubber band around nodes, frames, notes and bends, or across wires."""

from typing import Literal, TypeAlias

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from studio.app.documents.selection import Selected
from studio.flow.records import Wire
from studio.ids import NodeId
from studio.ui.canvas.board import Board
from studio.ui.canvas.camera import Rect
from studio.ui.canvas.scene import wires as shapes
from studio.ui.canvas.sight import View

Mode: TypeAlias = Literal["replace", "add", "subtract"]
"""What becomes of the selection."""


class Marquee:
    """Selects, while it is drawn, the nodes it touches and the areas that lie inside it."""

    cursor = Qt.CursorShape.CrossCursor

    def __init__(self, board: Board, at: QPointF, mode: Mode = "replace") -> None:
        self._board = board
        self._from = board.camera.to_scene(at.x(), at.y())
        self._to = self._from
        before = board.document.selection.now
        self._before = before
        self._kept = Selected() if mode == "replace" else before
        self._subtracts = mode == "subtract"

    def move(self, at: QPointF, keys: Qt.KeyboardModifier) -> "Marquee":
        """Stretch the band to the pointer."""
        del keys
        board, scene = self._board, self._board.scene
        self._to = board.camera.to_scene(at.x(), at.y())
        box = self._box()
        nodes: set[NodeId] = {scene.ids[row] for row in scene.rows_in(box).tolist()}
        nodes |= {
            node
            for node, area in scene.areas.items()
            if box.contains(area.rect.x, area.rect.y) and box.contains(area.rect.right, area.rect.bottom)
        }
        wires: set[Wire] = set()
        bends = scene.bends.inside(box)
        if not nodes and not bends and len(scene.wires):
            found = shapes.crossing(scene.curves, scene.curve_bounds, (box.x, box.y, box.right, box.bottom))
            wires |= {scene.wires[row] for row in scene.piece_wire[found].tolist()}
        frames, notes = scene.standing.touched(box)
        kept = self._kept
        if self._subtracts:
            boxes = (kept.frames - frames, kept.notes - notes)
            board.select(kept.nodes - nodes, kept.wires - wires, *boxes, kept.bends - bends)
        else:
            boxes = (kept.frames | frames, kept.notes | notes)
            board.select(kept.nodes | nodes, kept.wires | wires, *boxes, kept.bends | bends)
        board.stirred.tell()
        return self

    def release(self, at: QPointF, keys: Qt.KeyboardModifier) -> None:
        """Keep what is selected."""
        self._board.stirred.tell()

    def cancel(self) -> None:
        """Select again what was selected before."""
        self._board.document.selection.take(self._before)
        self._board.stirred.tell()

    def paint(self, painter: QPainter, view: View) -> None:
        """Draw the band."""
        style, box = self._board.style, self._box()
        corner = QPointF(*view.camera.to_widget(box.x, box.y))
        opposite = QPointF(*view.camera.to_widget(box.right, box.bottom))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.setPen(QPen(style.color("accent.action"), 1))
        painter.setBrush(style.color("accent.action", 0.10))
        painter.drawRect(QRectF(corner, opposite))

    def _box(self) -> Rect:
        (left, top), (right, bottom) = self._from, self._to
        return Rect(min(left, right), min(top, bottom), abs(right - left), abs(bottom - top))
