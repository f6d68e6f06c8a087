"""Taking all wires of an output along to another output, or off it."""

from math import hypot

import numpy as np
from PySide6.QtCore import QCoreApplication, QPointF, Qt
from PySide6.QtGui import QPainter, QPen

from studio.errors import EditRefusedError
from studio.flow import edits
from studio.flow.change import Change
from studio.flow.records import Socket, Wire, title_of
from studio.flow.structure.wiring import acceptable, refusal
from studio.ui.canvas.board import Board
from studio.ui.canvas.camera import Rect
from studio.ui.canvas.drawing.wires import wire_path
from studio.ui.canvas.hand.gestures.drag_wire import SNAP
from studio.ui.canvas.hits import PORT_REACH, Target
from studio.ui.canvas.scene.geometry import Side, type_name
from studio.ui.canvas.scene.wire_rows import WAYS
from studio.ui.canvas.scene.wires import cubics
from studio.ui.canvas.sight import View


class DragBundle:
    """The far ends stay, the near ones are in the hand together."""

    cursor = Qt.CursorShape.CrossCursor

    def __init__(self, board: Board, wires: tuple[Wire, ...]) -> None:
        self._board, self._wires = board, wires
        self._freed = edits.disconnect(board.flow, wires)
        self._flow = self._freed.applied_to(board.flow)
        library = board.document.library
        self._offered = [acceptable(self._flow, wire.target, library, is_output=False) for wire in wires]
        self._at = QPointF()
        self._end: Socket | None = None
        board.offered = self._offered[0]
        board.loose = frozenset(wires)
        board.redrawn.tell()

    def move(self, at: QPointF, keys: Qt.KeyboardModifier) -> "DragBundle":
        """Follow the pointer, and jump to an output that every far end accepts."""
        del keys
        self._at = at
        self._end = self._nearest(at)
        self._board.hover = self._board.hit(at.x(), at.y())
        self._board.stirred.tell()
        return self

    @property
    def reason(self) -> str:
        """Why the wires cannot come from the port that is pointed at."""
        hit = self._board.hover
        if self._end is not None or hit.target is not Target.PORT or hit.socket is None or hit.spot is None:
            return ""
        if not hit.spot.is_output:
            return QCoreApplication.translate("canvas", "Drag these wires from their output.")
        library = self._board.document.library
        found = (refusal(self._flow, hit.socket, wire.target, library) for wire in self._wires)
        return next((reason for reason in found if reason), "")

    def release(self, at: QPointF, keys: Qt.KeyboardModifier) -> None:
        """Let them come from there; dropped on nothing, they go."""
        self.move(at, keys)
        board, end, reason = self._board, self._end, self.reason
        self._let_go()
        if end is not None and end != self._wires[0].source:
            board.do(lambda: self._moved(end))
        elif reason:
            board.refused.tell(reason)
        elif end is None and board.hover.target in {Target.NOTHING, Target.AREA, Target.WIRE, Target.GHOST}:
            board.document.history.do(self._freed)

    def cancel(self) -> None:
        """Leave them where they were."""
        self._let_go()

    def paint(self, painter: QPainter, view: View) -> None:
        """Draw the wires from the pointer, or from the output that they jumped to."""
        board, scene = self._board, self._board.scene
        source = self._wires[0].source
        spot = scene.spot(source.node, source.port, is_output=True)
        side = spot.side if spot is not None else Side.RIGHT
        start = (self._at.x(), self._at.y())
        if self._end is not None and (found := scene.spot(self._end.node, self._end.port, is_output=True)):
            start, side = view.camera.to_widget(*board.port_point(self._end.node, found)), found.side
        color = board.style.color(f"port.{type_name(spot.type)}" if spot is not None else "port.any")
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(color, 2.4))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for wire in self._wires:
            target = scene.spot(wire.target.node, wire.target.port, is_output=False)
            if target is None:
                continue
            end = view.camera.to_widget(*board.port_point(wire.target.node, target))
            ways = np.array([WAYS[side]]), np.array([WAYS[target.side]])
            painter.drawPath(wire_path(cubics(np.array([[*start, *end]]), *ways)[0]))
        painter.setBrush(color)
        painter.drawEllipse(QPointF(*start), *((6, 6) if self._end is not None else (3, 3)))

    def _moved(self, source: Socket) -> Change:
        change, flow, library = self._freed, self._flow, self._board.document.library
        for wire in self._wires:
            reason = refusal(flow, source, wire.target, library)
            if reason is not None:
                raise EditRefusedError(reason)
            drawn = Change("", added=frozenset({Wire(source, wire.target, wire.index)}))
            change, flow = change.then(drawn), drawn.applied_to(flow)
        count = len(self._wires)
        return change.labelled(f"Take {count} wires to {title_of(flow, source.node)}")

    def _nearest(self, at: QPointF) -> Socket | None:
        board = self._board
        x, y = board.camera.to_scene(at.x(), at.y())
        best, found = SNAP / board.camera.scale, None
        unfolded = board.unfolded()
        for node in sorted(board.scene.nodes_in(Rect(x, y, 0, 0).grown(best + PORT_REACH))):
            for spot in sorted(board.scene.spots(node), key=lambda one: one.port):
                if spot.is_spare and node not in unfolded:
                    continue
                px, py = board.port_point(node, spot)
                gap = hypot(px - x, py - y) * (1 if spot.type.base != "order" else 2.5)
                if gap < best and spot.is_output and self._accepts(Socket(node, spot.port)):
                    best, found = gap, Socket(node, spot.port)
        return found

    def _accepts(self, socket: Socket) -> bool:
        """Whether all the wires may come from there; or they came from there."""
        return socket == self._wires[0].source or all(socket in fits for fits in self._offered)

    def _let_go(self) -> None:
        self._board.offered = None
        self._board.loose = frozenset()
        self._board.redrawn.tell()
