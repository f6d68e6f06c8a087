"""Draws rings around breakpoints that hold a run, or that it came by just now; from far the marks as well."""

from collections.abc import Mapping

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter

from studio.ids import NodeId
from studio.ui.canvas.board import Board
from studio.ui.canvas.cards.break_marks import MIDDLE, draw_breakpoint, draw_ring
from studio.ui.canvas.document import BreakpointMark
from studio.ui.canvas.sight import CARDS_FROM, View

LEAST = 0.7
"""How small they are drawn at most, however far one goes away."""

MARK = 40
"""Scene units about a node in which a mark of it may be seen."""


def paint_rings(painter: QPainter, board: Board, view: View) -> None:
    """Draw them where the marks stand: at the corner of a node, or at its port.

    From near, marks are part of the cards; blocks have none, and a flow that is seen whole would hide them.
    """
    is_far = view.camera.scale < CARDS_FROM
    marks: Mapping[str, BreakpointMark] = _far_marks(board) if is_far else {}
    ringed = board.cards.shown.ringed
    if not ringed and not marks:
        return
    seen, scale = view.seen().grown(MARK), max(view.camera.scale, LEAST)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for place in {*marks, *ringed}:
        at = _corner(board, place)
        if at is None or not seen.contains(at.x(), at.y()):
            continue
        painter.save()
        painter.translate(*view.camera.to_widget(at.x(), at.y()))
        painter.scale(scale, scale)
        painter.translate(-MIDDLE)
        if place in marks:
            draw_breakpoint(painter, marks[place], board.style)
        if place in ringed:
            draw_ring(painter, board.style)
        painter.restore()


def _far_marks(board: Board) -> Mapping[str, BreakpointMark]:
    """Those of nodes that are drawn; what is collapsed shows none of what it hides."""
    hidden = board.scene.hidden
    marks = board.cards.shown.breakpoints
    return {place: mark for place, mark in marks.items() if _node_at(place) not in hidden}


def _node_at(place: str) -> NodeId:
    """The node that a place is at."""
    return NodeId(place.partition(".")[0].partition("#")[0])


def _corner(board: Board, place: str) -> QPointF | None:
    """Where in the scene the mark of a place stands; None for a node that is not shown."""
    before, _, port = place.partition(".")
    node = _node_at(place)
    if node not in board.scene.row:
        return None
    rect = board.scene.rect(node)
    spot = next((one for one in board.scene.spots(node) if one.port == port), None)
    if spot is not None and "#" not in before:
        return QPointF(rect.x + spot.x, rect.y + spot.y)
    return QPointF(rect.x, rect.y) + MIDDLE
