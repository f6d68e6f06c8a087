"""The bends of wires as one can take hold of them, on wires that are selected or pointed at."""

from collections.abc import Iterable

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPen

from studio.flow.records import Wire
from studio.ui.canvas.board import Board
from studio.ui.canvas.drawing.wires import THIN_WIRES_BELOW
from studio.ui.canvas.sight import View

SIZE = 4.0
HELD = 5.5


def paint_bends(painter: QPainter, board: Board, view: View, wires: Iterable[Wire]) -> None:
    """Draw the bends of these wires, selected ones and the one under the pointer larger and filled."""
    if view.camera.scale < THIN_WIRES_BELOW:
        return
    style, chosen = board.style, board.document.selection.now.bends
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for wire in wires:
        for place, point in enumerate(board.scene.bends.now.get(wire, ())):
            is_held = (wire, place) in chosen or board.hover.bend == (wire, place)
            painter.setPen(QPen(style.color("accent.action" if is_held else "text.muted"), 1.5))
            painter.setBrush(style.color("accent.action" if (wire, place) in chosen else "surface.canvas"))
            size = HELD if is_held else SIZE
            painter.drawEllipse(QPointF(*view.camera.to_widget(*point)), size, size)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def shown_wires(board: Board) -> set[Wire]:
    """The wires whose bends are shown: those selected, pointed at, or with a bend that is."""
    now, hover = board.document.selection.now, board.hover
    found = {*now.wires, *(wire for wire, _ in now.bends)}
    return found | {wire for wire in (hover.wire, hover.bend[0] if hover.bend else None) if wire is not None}
