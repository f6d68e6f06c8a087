"""Dragging nodes: live while the button is down, one undo step at the end."""

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from studio.errors import EditRefusedError
from studio.flow import edits
from studio.flow.change import Change
from studio.flow.edits import splices
from studio.flow.records import Point, Wire, title_of
from studio.ids import NodeId
from studio.ui.canvas.board import Board
from studio.ui.canvas.camera import Rect
from studio.ui.canvas.drawing import overlay
from studio.ui.canvas.drawing.wires import wire_path
from studio.ui.canvas.hand.drops import holder_of, leads_through, offer_entering, offer_leaving, wire_under
from studio.ui.canvas.scene import guides
from studio.ui.canvas.scene.wire_rows import WAYS
from studio.ui.canvas.scene.wires import cubics
from studio.ui.canvas.sight import View, widget_rect

translate = QCoreApplication.translate

REACH = 6.0
"""Widget points from which cards are drawn into line with their neighbours; areas keep to the grid."""
AROUND = 700
"""Widget points around what is dragged in which neighbours count."""
LINED_UP_FROM = 0.2
"""The scale below which neighbours are too small to line up with."""


class DragNodes:
    """Moves the selected nodes, and with an area everything in it.

    Ctrl moves freely, off the grid and past neighbours. Alt takes the nodes out of their wires, which are
    joined behind them. A single node that is let go on a wire is put into it.
    """

    cursor = Qt.CursorShape.ClosedHandCursor

    def __init__(self, board: Board, grabbed: NodeId, at: QPointF) -> None:
        self._board = board
        scene = board.scene
        self._from = board.camera.to_scene(at.x(), at.y())
        self._nodes = sorted(scene.bodies(board.selected))
        self._rows = np.array([scene.row[node] for node in self._nodes], dtype=np.int64)
        area = scene.area_of(grabbed)
        lead = next(iter(sorted(area.region.body)), grabbed) if area is not None else grabbed
        self._corner: tuple[float, float] = tuple(scene.home[scene.row.get(lead, 0)].tolist())
        self._box = scene.extent(self._nodes) or Rect(0, 0, 0, 0)
        self._rest = guides.Rest(0, 0)
        self._areas: list[tuple[object, ...]] = _shapes(board)
        self._holder = holder_of(board, self._nodes)
        self._freed: frozenset[Wire] = frozenset(
            splices.holding(board.flow, self._nodes, board.document.library)
        )
        self._joined: frozenset[Wire] | None = None
        self._own = scene.wires_of(grabbed) if len(self._nodes) == 1 else []
        self._takes_out = False
        self._wire: Wire | None = None
        board.moving = self._rows
        board.redrawn.tell()

    @property
    def reason(self) -> str:
        """What holds the nodes, while they are dragged out of the area in which they run."""
        if self._takes_out or self._holder is None or not self._holder.is_left_by(self._moved_box()):
            return ""
        around = title_of(self._board.flow, self._holder.area.node)
        return translate("canvas", "Its wires keep it in “{0}”. Hold Alt to detach it.").format(around)

    def move(self, at: QPointF, keys: Qt.KeyboardModifier) -> "DragNodes":
        """Show the nodes where the pointer has them."""
        board = self._board
        x, y = board.camera.to_scene(at.x(), at.y())
        rest = self._resting(
            x - self._from[0], y - self._from[1], is_free=bool(keys & Qt.KeyboardModifier.ControlModifier)
        )
        takes_out = bool(keys & Qt.KeyboardModifier.AltModifier) and bool(self._freed)
        if rest == self._rest and takes_out == self._takes_out:
            return self
        self._rest = rest
        board.scene.shift(self._rows, rest.dx, rest.dy)
        areas = _shapes(board)
        if areas != self._areas or takes_out != self._takes_out:
            self._areas, self._takes_out = areas, takes_out
            board.loose = self._freed if takes_out else frozenset()
            board.redrawn.tell()
        self._wire = self._found_wire()
        board.stirred.tell()
        return self

    def release(self, at: QPointF, keys: Qt.KeyboardModifier) -> None:
        """Put the nodes down: one change."""
        del at, keys
        board, rest = self._board, self._rest
        self._let_go()
        if (rest.dx, rest.dy) == (0.0, 0.0):
            board.scene.settle()
            board.redrawn.tell()
            return
        change = self._change()
        is_left = self._holder is not None and self._holder.is_left_by(self._moved_box())
        board.document.history.do(change)
        if self._takes_out or self._wire is not None:
            return
        offer = None
        if is_left and self._holder is not None:
            offer = offer_leaving(board, self._nodes, self._holder, change)
        elif len(self._nodes) == 1:
            offer = offer_entering(board, self._nodes[0])
        if offer is not None:
            board.offered_way.tell(offer)

    def cancel(self) -> None:
        """Put the nodes back."""
        self._let_go()
        self._board.scene.settle()
        self._board.redrawn.tell()

    def paint(self, painter: QPainter, view: View) -> None:
        """Light up the wire that would lead through, show what is joined and why the nodes rest here."""
        board = self._board
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._wire is not None and self._wire in board.scene.wire_row:
            overlay.paint_wire(
                painter, board, view, board.scene.wire_row[self._wire], "accent.action", 5.0, 0.9
            )
        if self._takes_out:
            self._paint_joints(painter, view, sorted(self._joints(), key=lambda wire: wire.sort_key))
        elif self.reason:
            for wire in self._freed & board.scene.wire_row.keys():
                overlay.paint_wire(painter, board, view, board.scene.wire_row[wire], "state.held", 3.0, 0.8)
        self._paint_guides(painter, view)

    # ---------------------------------------------------------------- inside

    def _resting(self, dx: float, dy: float, *, is_free: bool) -> guides.Rest:
        if is_free:
            return guides.Rest(round(dx), round(dy))
        board, scene = self._board, self._board.scene
        others = np.empty((0, 4))
        if board.camera.scale >= LINED_UP_FROM and scene.has_card[self._rows].all():
            box = Rect(self._box.x + dx, self._box.y + dy, self._box.width, self._box.height)
            near = scene.rows_in(box.grown(AROUND / board.camera.scale))
            others = scene.rects[np.setdiff1d(near, self._rows)]
        return guides.rest(self._box, dx, dy, others, REACH / board.camera.scale, self._corner)

    def _found_wire(self) -> Wire | None:
        """The wire that would lead through the node, were it let go here."""
        if len(self._nodes) != 1 or not self._board.scene.has_card[self._rows[0]]:
            return None
        node = self._nodes[0]
        wire = wire_under(self._board, node)
        own = [one for one in self._own if not self._takes_out or one not in self._freed]
        return wire if wire is not None and leads_through(self._board, wire, node, own) else None

    def _change(self) -> Change:
        board, library = self._board, self._board.document.library
        change = Change("")
        if self._takes_out:
            change = splices.take_out(board.flow, self._nodes, library)
        if self._wire is not None:
            try:
                inserted = splices.insert_on(
                    change.applied_to(board.flow), self._wire, self._nodes[0], library
                )
                change = change.then(inserted).labelled(inserted.label)
            except EditRefusedError as error:
                board.refused.tell(error.message)
                self._wire = None
        homes = board.scene.home[self._rows] + (self._rest.dx, self._rest.dy)
        places = {
            node: Point(round(x), round(y)) for node, (x, y) in zip(self._nodes, homes.tolist(), strict=True)
        }
        moved = edits.move(board.flow, places)
        return change.then(moved).labelled(change.label or moved.label)

    def _joints(self) -> frozenset[Wire]:
        if self._joined is None:
            self._joined = splices.joints(self._board.flow, self._nodes, self._board.document.library)
        return self._joined

    def _moved_box(self) -> Rect:
        box, rest = self._box, self._rest
        return Rect(box.x + rest.dx, box.y + rest.dy, box.width, box.height)

    def _let_go(self) -> None:
        self._board.moving = None
        self._board.loose = frozenset()

    def _paint_joints(self, painter: QPainter, view: View, wires: Sequence[Wire]) -> None:
        board = self._board
        painter.setPen(QPen(board.style.color("accent.action"), 2.4, Qt.PenStyle.DashLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for wire in wires:
            source = board.scene.spot(wire.source.node, wire.source.port, is_output=True)
            target = board.scene.spot(wire.target.node, wire.target.port, is_output=False)
            if source is None or target is None:
                continue
            start = view.camera.to_widget(*board.port_point(wire.source.node, source))
            end = view.camera.to_widget(*board.port_point(wire.target.node, target))
            ways = np.array([WAYS[source.side]]), np.array([WAYS[target.side]])
            painter.drawPath(wire_path(cubics(np.array([[*start, *end]]), *ways)[0]))

    def _paint_guides(self, painter: QPainter, view: View) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.setPen(QPen(self._board.style.color("accent.action"), 1))
        for guide in self._rest.guides:
            ends = (guide.at, guide.start), (guide.at, guide.end)
            if not guide.is_upright:
                ends = (guide.start, guide.at), (guide.end, guide.at)
            painter.drawLine(*(QPointF(*view.camera.to_widget(*end)) for end in ends))
        if self.reason and self._holder is not None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self._board.style.color("state.held"), 1.5, Qt.PenStyle.DashLine))
            painter.drawRoundedRect(QRectF(widget_rect(self._holder.rest, view)), 10, 10)


def _shapes(board: Board) -> list[tuple[object, ...]]:
    return [(area.rect, area.pills) for area in board.scene.areas.values()]
