"""Drawing a wire, or taking one along by its end."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import partial
from math import hypot

import numpy as np
from PySide6.QtCore import QCoreApplication, QPointF, Qt
from PySide6.QtGui import QPainter, QPen

from studio.flow import edits
from studio.flow.change import Change
from studio.flow.edits import list_order
from studio.flow.edits.draft_loops import improving_loop
from studio.flow.edits.loops import loop_for
from studio.flow.records import Flow, Socket, Wire, title_of
from studio.flow.structure.wiring import acceptable, refusal
from studio.ids import NodeId
from studio.ui.canvas.board import Board
from studio.ui.canvas.camera import Rect
from studio.ui.canvas.cards.glyphs import draw_glyph
from studio.ui.canvas.cards.port_marks import draw_port
from studio.ui.canvas.drawing.wires import wire_path
from studio.ui.canvas.hits import NOTHING, PORT_REACH, Hit, Target
from studio.ui.canvas.scene.geometry import PORT_RADIUS, Side, Spot, type_name
from studio.ui.canvas.scene.offer import Offer
from studio.ui.canvas.scene.order_marks import OrderMark
from studio.ui.canvas.scene.wire_rows import WAYS
from studio.ui.canvas.scene.wires import cubics
from studio.ui.canvas.sight import View

SNAP = 26.0
"""Widget points from which the loose end jumps to a port that accepts it."""

_OPPOSITE: Mapping[Side, Side] = {
    Side.LEFT: Side.RIGHT,
    Side.RIGHT: Side.LEFT,
    Side.TOP: Side.BOTTOM,
    Side.BOTTOM: Side.TOP,
}


def drag_wire(board: Board, node: NodeId, spot: Spot) -> "DragWire":
    """Begin at a port: an output or a free input starts a wire, an occupied input gives up its own."""
    socket = Socket(node, spot.port)
    if spot.is_output:
        return DragWire(board, socket, spot, None)
    taken = edits.wires_into(board.flow, socket)
    if not taken:
        return DragWire(board, socket, spot, None)
    wire = taken[-1]
    source = board.scene.spot(wire.source.node, wire.source.port, is_output=True)
    if source is None:
        return DragWire(board, socket, spot, None)
    return DragWire(board, wire.source, source, wire)


class DragWire:
    """One end is fixed at a port, the other is in the hand."""

    cursor = Qt.CursorShape.CrossCursor

    def __init__(self, board: Board, fixed: Socket, spot: Spot, taken: Wire | None) -> None:
        self._board = board
        self._fixed = fixed
        self._spot = spot
        self._taken = taken
        self._flow: Flow = board.flow if taken is None else self._freed().applied_to(board.flow)
        self._offered = acceptable(self._flow, fixed, board.document.library, is_output=spot.is_output)
        self._at = QPointF()
        self._end = NOTHING
        self._reasons: dict[Socket, str] = {}
        self._before: OrderMark | None = None
        board.offered, board.wiring = self._offered, fixed.node
        board.loose = frozenset(() if taken is None else (taken,))
        board.redrawn.tell()

    def move(self, at: QPointF, keys: Qt.KeyboardModifier) -> "DragWire":
        """Follow the pointer, jump to ports that accept, tell why others do not."""
        del keys
        self._at = at
        self._before = self._mark_at(at)
        self._end = self._nearest(at)
        self._board.hover = self._board.hit(at.x(), at.y())
        self._board.stirred.tell()
        return self

    @property
    def reason(self) -> str:
        """Why the wire cannot end where the pointer is; empty where it can, or where nothing is."""
        hit = self._board.hover
        if self._end.spot is not None or hit.socket == self._fixed:
            return ""
        if hit.spot is not None and hit.spot.is_output == self._spot.is_output:
            return "A wire goes from an output to an input."
        socket = self._refusing()
        if socket is None:
            return ""
        if socket not in self._reasons:
            source, target = self._ordered(socket)
            found = refusal(self._flow, source, target, self._board.document.library)
            self._reasons[socket] = found or ""
        return self._reasons[socket]

    def release(self, at: QPointF, keys: Qt.KeyboardModifier) -> None:
        """Connect, disconnect, or ask for a node to connect to."""
        self.move(at, keys)
        board, end, reason = self._board, self._end, self.reason
        dropped = board.hover.target
        offer = self._offer(reason) if reason else None
        self._let_go()
        if end.socket is not None:
            source, target = self._ordered(end.socket)
            is_back = self._taken is not None and (self._taken.source, self._taken.target) == (source, target)
            if is_back and self._before is None:
                return
            board.do(lambda: self._connected(source, target))
        elif offer is not None:
            board.offered_way.tell(offer)
        elif reason:
            board.refused.tell(reason)
        elif self._taken is not None:
            board.document.history.do(self._freed())
        elif dropped in {Target.NOTHING, Target.AREA, Target.WIRE, Target.GHOST}:
            board.wire_dropped.tell(self._fixed, self._spot.is_output, board.camera.to_scene(at.x(), at.y()))

    def cancel(self) -> None:
        """Leave the flow as it was."""
        self._let_go()

    def paint(self, painter: QPainter, view: View) -> None:
        """Draw the loose wire, light up the ports that accept it, fade the others."""
        self._paint_ports(painter, view)
        start = view.camera.to_widget(*self._board.port_point(self._fixed.node, self._spot))
        end, way = (self._at.x(), self._at.y()), WAYS[_OPPOSITE[self._spot.side]]
        if self._end.node is not None and self._end.spot is not None:
            end = view.camera.to_widget(*self._board.port_point(self._end.node, self._end.spot))
            way = WAYS[self._end.spot.side]
        ends = np.array([[*start, *end]])
        curve = cubics(ends, np.array([WAYS[self._spot.side]]), np.array([way]))[0]
        color = self._board.style.color(f"port.{type_name(self._spot.type)}")
        pen = QPen(color, 2.4)
        if self._spot.type.is_binding:
            pen.setDashPattern([3, 2.5])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(wire_path(curve))
        if self._end.spot is None:
            painter.setBrush(color)
            painter.drawEllipse(self._at, 3, 3)
        if self._before is not None:
            painter.setPen(QPen(self._board.style.color("accent.action"), 2.4))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(QPointF(*view.camera.to_widget(self._before.x, self._before.y)), 12, 12)

    # ---------------------------------------------------------------- inside

    def _paint_ports(self, painter: QPainter, view: View) -> None:
        board, scene = self._board, self._board.scene
        seen = view.seen().grown(40)
        painter.save()
        painter.translate(view.camera.x, view.camera.y)
        painter.scale(view.camera.scale, view.camera.scale)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        unfolded = board.unfolded()
        for node in scene.nodes_in(seen):
            rect = scene.rect(node)
            for spot in self._within_reach(node, unfolded):
                at = QPointF(rect.x + spot.x, rect.y + spot.y)
                socket = Socket(node, spot.port)
                is_end = self._end.node == node and self._end.spot == spot
                if self._accepts(socket, spot) and (is_end or self._shows(spot)):
                    glow = board.style.color(f"port.{type_name(spot.type)}", 0.45 if is_end else 0.22)
                    painter.setPen(Qt.PenStyle.NoPen)
                    painter.setBrush(glow)
                    painter.drawEllipse(at, 12, 12)
                    draw_port(painter, spot, at, board.style, is_wired=True, size=1.25 if is_end else 1.1)
                elif socket != self._fixed and not spot.is_order:
                    self._fade(painter, spot, at)
        painter.restore()

    def _within_reach(self, node: NodeId, unfolded: Collection[NodeId]) -> Iterator[Spot]:
        """A node's ports, spare ones where they show; for one that fits in a closed drawer, its corner."""
        scene, is_open, is_lit = self._board.scene, node in unfolded, False
        for spot in scene.spots(node):
            if is_open or not spot.is_spare:
                yield spot
            elif not is_lit and self._accepts(Socket(node, spot.port), spot):
                is_lit = True
                yield replace(spot, y=scene.rect(node).height)

    def _accepts(self, socket: Socket, spot: Spot) -> bool:
        return spot.is_output != self._spot.is_output and socket in self._offered

    def _shows(self, spot: Spot) -> bool:
        """Order ports take values too, but light up for their like only: every node has one."""
        return self._spot.is_order or not spot.is_order

    def _fade(self, painter: QPainter, spot: Spot, at: QPointF) -> None:
        style = self._board.style
        faded = style.mixed(f"port.{type_name(spot.type)}", "surface.canvas", 0.3)
        draw_glyph(painter, spot.type, at, PORT_RADIUS, faded, style.color("surface.canvas"), is_full=False)

    def _nearest(self, at: QPointF) -> Hit:
        """What the end goes to: the port at the pointer, if it accepts; else one near it or of its card."""
        if self._before is not None:
            target = self._before.wire.target
            spot = self._board.scene.spot(target.node, target.port, is_output=False)
            return Hit(Target.PORT, target.node, spot)
        aimed = self._board.hit(at.x(), at.y())
        if aimed.spot is not None and aimed.socket is not None and aimed.socket != self._fixed:
            return aimed if self._accepts(aimed.socket, aimed.spot) else NOTHING
        return self._accepting_near(at) or self._accepting_on(aimed) or NOTHING

    def _accepting_near(self, at: QPointF) -> Hit | None:
        """The accepting port next to the pointer."""
        board, scene = self._board, self._board.scene
        x, y = board.camera.to_scene(at.x(), at.y())
        best, found = SNAP / board.camera.scale, None
        unfolded = board.unfolded()
        near = dict.fromkeys((*scene.nodes_in(Rect(x, y, 0, 0).grown(best + PORT_REACH)), *unfolded))
        for node in near:
            for spot in scene.spots(node):
                if spot.is_spare and node not in unfolded:
                    continue
                px, py = board.port_point(node, spot)
                gap = hypot(px - x, py - y) * (1 if self._shows(spot) else 2.5)
                if gap < best and self._accepts(Socket(node, spot.port), spot):
                    best, found = gap, Hit(Target.PORT, node, spot)
        return found

    def _accepting_on(self, aimed: Hit) -> Hit | None:
        """The first accepting port of the card at the pointer."""
        if aimed.target is not Target.NODE or aimed.node is None:
            return None
        for spot in self._board.scene.spots(aimed.node):
            if not spot.is_order and self._accepts(Socket(aimed.node, spot.port), spot):
                return Hit(Target.PORT, aimed.node, spot)
        return None

    def _mark_at(self, at: QPointF) -> OrderMark | None:
        """The number of a wire in a list before which this one would come."""
        if not self._spot.is_output:
            return None
        board = self._board
        mark = board.order_marks.at(*board.camera.to_scene(at.x(), at.y()), board.camera.scale)
        if mark is None or mark.wire == self._taken or mark.wire.target not in self._offered:
            return None
        return mark

    def _refusing(self) -> Socket | None:
        """The port that a wire let go here would be meant for; of a card, the first of its kind."""
        hit = self._board.hover
        if hit.target is Target.PORT:
            return hit.socket
        if hit.target is not Target.NODE or hit.node in (None, self._fixed.node):
            return None
        spots = (one for one in self._board.scene.spots(hit.node) if one.is_output != self._spot.is_output)
        alike = (one for one in spots if one.type.is_binding == self._spot.type.is_binding)
        found = next((one for one in alike if not one.is_order), None)
        return Socket(hit.node, found.port) if found is not None else None

    def _offer(self, reason: str) -> Offer | None:
        """A loop, where a wire was refused because it closes a cycle."""
        board, library, socket = self._board, self._board.document.library, self._refusing()
        if socket is None or board.hover.node is None:
            return None
        closing = Wire(*self._ordered(socket))
        change, better = loop_for(self._flow, closing, library), improving_loop(self._flow, closing, library)
        if change is None:
            return None
        rect = board.scene.rect(board.hover.node)
        at = (rect.x, rect.bottom)
        choice = QCoreApplication.translate("canvas", change.label)
        if better is None or change.label != better.label:
            return Offer(reason, choice, partial(self._do, change), at)
        return Offer(
            QCoreApplication.translate(
                "canvas", "This wire closes a cycle, so it needs a loop. What should the next round receive?"
            ),
            QCoreApplication.translate("canvas", "Task, draft and feedback"),
            partial(self._do, better),
            at,
            (QCoreApplication.translate("canvas", "This value only"), partial(self._do, change)),
        )

    def _do(self, change: Change) -> None:
        whole = change if self._taken is None else self._freed().then(change).labelled(change.label)
        self._board.document.history.do(whole)

    def _ordered(self, other: Socket) -> tuple[Socket, Socket]:
        return (self._fixed, other) if self._spot.is_output else (other, self._fixed)

    def _freed(self) -> Change:
        assert self._taken is not None  # noqa: S101 - asked only when a wire was taken
        return edits.disconnect(self._board.flow, [self._taken])

    def _connected(self, source: Socket, target: Socket) -> Change:
        library = self._board.document.library
        if self._before is not None:
            place = edits.wires_into(self._flow, target).index(self._before.wire)
            change = list_order.connect_at(self._flow, source, target, place, library)
        else:
            change = edits.connect(self._flow, source, target, library)
        if self._taken is None:
            return change
        ends = f"{title_of(self._flow, source.node)} to {title_of(self._flow, target.node)}"
        return self._freed().then(change).labelled(f"Rewire {ends}")

    def _let_go(self) -> None:
        self._board.offered = self._board.wiring = None
        self._board.loose = frozenset()
        self._board.redrawn.tell()
