"""The canvas widget: turns Qt's events into gestures and keys, and paints layer upon layer."""

from collections.abc import Iterable, Mapping

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QContextMenuEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from studio.flow.change import Change
from studio.ids import NodeId
from studio.ui.canvas import minimap, overlay
from studio.ui.canvas.adding import Adding
from studio.ui.canvas.board import NOTHING, Board, Target
from studio.ui.canvas.camera import Camera, fitted
from studio.ui.canvas.card import MARGIN
from studio.ui.canvas.cards import Shown
from studio.ui.canvas.commands import Commands
from studio.ui.canvas.document import Breakpoint, CanvasDocument, NodeState
from studio.ui.canvas.gestures.drag_wire import DragWire
from studio.ui.canvas.gestures.gesture import Gesture
from studio.ui.canvas.gestures.pan import Pan
from studio.ui.canvas.gestures.press import Press
from studio.ui.canvas.layer import StillLayer
from studio.ui.canvas.painter import CARDS_FROM, View, paint_cards, paint_content, paint_still, widget_rect
from studio.ui.canvas.pulses import Pulses
from studio.ui.canvas.style import Style
from studio.ui.canvas.tips import tip_for
from studio.ui.theme.tokens import Theme

CRISP_AFTER = 90
FRAME = 33
TIP_LASTS = 3500
EDGE = 3
"""Scene units inside a card from which on it is opaque, rounded corners included."""
ZOOM_NOTCH = 2 ** (1 / 4)


class CanvasView(QWidget):
    """One flow, drawn and edited."""

    breakpoint_toggled = Signal(str)
    refused = Signal(str)
    told = Signal(str)
    request_open = Signal(str)
    menu_asked = Signal(str, QPoint)
    """What was hit by a right-click (`node`, `wire`, `nothing`; selected by now), and where on screen."""
    port_menu_asked = Signal(str, bool, QPoint)
    """The port that was hit by a right-click as `node.port`, whether it is an output, and where on screen."""

    def __init__(self, document: CanvasDocument, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.document = document
        self.board = Board(document, Style(theme))
        self.board.ratio = self.devicePixelRatioF()
        self._gesture: Gesture | None = None
        self._space_held = False
        self._space_used = False
        self._layer = StillLayer(self._draw_still)
        self._crisp = QTimer(self, singleShot=True, interval=CRISP_AFTER)
        self._crisp.timeout.connect(self.update)
        self.pulses = Pulses(self.board, self.update, self)
        self._waiting: dict[NodeId, NodeState] = {}
        self._flush = QTimer(self, singleShot=True, interval=FRAME)
        self._flush.timeout.connect(self._show_waiting)
        self._stays_fitted = True
        self._pointed = QPointF()
        self._tip = ""
        self._tip_ends = QTimer(self, singleShot=True, interval=TIP_LASTS)
        self._tip_ends.timeout.connect(self._end_tip)
        self.commands = Commands(self.board, self.toggle_breakpoint, self.told.emit)
        self.adding = Adding(self, self.board, self.commands)
        self._endings = [
            document.history.on_change(self._follow),
            document.selection.on_change(lambda _: self.update()),
            self.board.stirred.subscribe(self.update),
            self.board.redrawn.subscribe(self._redraw),
            self.board.refused.subscribe(self._refuse),
            self.board.wire_dropped.subscribe(self.adding.search_for_end),
            self.board.opened.subscribe(self.request_open.emit),
        ]
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMinimumSize(160, 120)
        self.setAccessibleName(self.tr("Canvas"))
        self._describe()

    def close_document(self) -> None:
        """Stop listening to the document; the widget is not used afterwards."""
        for end in self._endings:
            end()
        self._endings.clear()

    # ---------------------------------------------------------------- what is shown

    def set_theme(self, theme: Theme) -> None:
        """Show everything in another theme."""
        style = Style(theme)
        self.board.restyle(style)
        self.adding.restyle(style)

    def show_run(self, states: Mapping[NodeId, NodeState]) -> None:
        """Show a run, or with nothing none; replaces all that was shown of another."""
        self._waiting.clear()
        self._show(Shown(dict(states), self.board.cards.shown.problems, self.board.cards.shown.breakpoints))

    def update_nodes(self, states: Mapping[NodeId, NodeState]) -> None:
        """Show what changed for these nodes; painted at most thirty times a second."""
        self._waiting.update(states)
        if not self._flush.isActive():
            self._flush.start()

    def show_problems(self, problems: Mapping[NodeId, str]) -> None:
        """Mark the nodes that have a problem, each with its sentence."""
        self._show(Shown(self.board.cards.shown.states, dict(problems), self.board.cards.shown.breakpoints))

    def set_breakpoints(self, breakpoints: Mapping[str, Breakpoint]) -> None:
        """Mark the nodes and the ports (`node.port`) that have a breakpoint."""
        self._show(Shown(self.board.cards.shown.states, self.board.cards.shown.problems, dict(breakpoints)))

    def fit(self, nodes: Iterable[NodeId] | None = None) -> None:
        """Look at all of these nodes, or of the whole flow."""
        extent = self.board.scene.extent(nodes)
        if extent is not None:
            self._look(fitted(extent, self.width(), self.height()))
            self._stays_fitted = nodes is None

    def reveal(self, node: NodeId) -> None:
        """Move just far enough that a node is in view."""
        if node not in self.board.scene.row:
            return
        rect, camera = self.board.scene.rect(node).grown(24), self.board.camera
        seen = camera.seen(self.width(), self.height())
        dx = max(seen.x - rect.x, 0) or min(seen.right - rect.right, 0)
        dy = max(seen.y - rect.y, 0) or min(seen.bottom - rect.bottom, 0)
        if dx or dy:
            self._look(camera.panned(dx * camera.scale, dy * camera.scale))

    def zoom_in(self) -> None:
        """Come nearer, about the middle."""
        self._zoom(ZOOM_NOTCH, self.rect().center().toPointF())

    def zoom_out(self) -> None:
        """Go farther away, about the middle."""
        self._zoom(1 / ZOOM_NOTCH, self.rect().center().toPointF())

    def toggle_breakpoint(self, nodes: Iterable[NodeId]) -> None:
        """Ask for the next state of these nodes' breakpoints."""
        for node in sorted(nodes):
            self.breakpoint_toggled.emit(node)

    @property
    def gesture(self) -> Gesture | None:
        """What the hand is doing."""
        return self._gesture

    # ---------------------------------------------------------------- following

    def _follow(self, change: Change) -> None:
        if change.touches_logic:
            self._cancel()
            self.pulses.clear()
        self.board.follow(change)
        self._describe()

    def _describe(self) -> None:
        scene = self.board.scene
        self.setAccessibleDescription(
            self.tr("{0}: {1} nodes, {2} wires").format(scene.flow.name, len(scene.ids), len(scene.wires))
        )

    def _redraw(self) -> None:
        self._layer.clear()
        self.update()

    def _show(self, shown: Shown) -> None:
        self.board.cards.shown = shown
        self.board.cards.forget()
        self._redraw()

    def _show_waiting(self) -> None:
        board, waiting = self.board, self._waiting
        self._waiting = {}
        before = board.cards.shown.states
        board.cards.shown.states = {**before, **waiting}
        nodes = [node for node in waiting if node in board.scene.row]
        board.cards.forget(nodes)
        if any(board.scene.area_of(node) is not None for node in nodes) or board.camera.scale < CARDS_FROM:
            self._redraw()
            return
        view = self._view()
        seen = view.seen()
        for node in nodes:
            if not board.scene.rect(node).meets(seen):
                continue
            was = before.get(node)
            is_same = was is not None and was.status == waiting[node].status
            self._patch_text(node, view) if is_same else self._patch_card(node, view)

    def _patch_text(self, node: NodeId, view: View) -> None:
        """Draw a card again where nothing but the card is: not its edge, which would be blended twice."""
        rows = _over(self.board, self.board.scene.row[node])
        place = widget_rect(self.board.scene.rect(node).grown(-EDGE), view)
        if self._layer.patch(place, lambda painter, at: paint_cards(painter, self.board.cards, at, rows)):
            self.update(place.toAlignedRect())

    def _patch_card(self, node: NodeId, view: View) -> None:
        """Draw everything again where a card and its edge are."""
        place = widget_rect(self.board.scene.rect(node).grown(MARGIN), view)
        if self._layer.patch(place, lambda painter, at: self._draw_still(painter, at, place)):
            self.update(place.toAlignedRect())

    def _refuse(self, reason: str) -> None:
        self.refused.emit(reason)
        self._tip = reason
        self._tip_ends.start()
        self.update()

    def _end_tip(self) -> None:
        self._tip = ""
        self.update()

    # ---------------------------------------------------------------- looking

    def _view(self) -> View:
        self.board.ratio = self.devicePixelRatioF()
        return View(self.board.camera, self.width(), self.height(), self.board.ratio)

    def _look(self, camera: Camera) -> None:
        self._stays_fitted = False
        self.board.camera = camera.snapped(self.devicePixelRatioF())
        self.update()

    def _zoom(self, factor: float, at: QPointF) -> None:
        self._look(self.board.camera.zoomed(factor, at.x(), at.y()))
        self._crisp.start()

    # ---------------------------------------------------------------- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """Blit what stands still, then draw what is live."""
        del event
        view, board = self._view(), self.board
        painter = QPainter(self)
        painter.fillRect(self.rect(), board.style.color("surface.canvas"))
        self._layer.paint(painter, view, may_blur=self._crisp.isActive())
        place = QRectF(self.rect())
        if board.moving is not None:
            paint_content(painter, board.cards, view, place, board.parts()[1])
        overlay.paint_hover(painter, board, view)
        overlay.paint_selection(painter, board, view)
        if pulses := self.pulses.progress():
            overlay.paint_pulses(painter, board, view, pulses)
        if self._gesture is not None:
            painter.save()
            self._gesture.paint(painter, view)
            painter.restore()
        self._paint_furniture(painter, view)
        if self._tip:
            overlay.paint_tip(painter, board.style, self._pointed, self._tip, place)
        painter.end()

    def _paint_furniture(self, painter: QPainter, view: View) -> None:
        if not self.board.scene.ids:
            head = self.tr("Press Tab to add a node")
            line = self.tr("or drag one from the library; double-click works too")
            overlay.paint_hint(painter, self.board.style, QRectF(self.rect()), head, line)
            return
        corner = self._minimap()
        if corner is not None:
            minimap.paint_minimap(painter, self.board.cards, view, corner)

    def _minimap(self) -> QRectF | None:
        """Where the minimap is; none where everything is seen anyway and it would lie on a card."""
        corner = minimap.minimap_rect(self.width(), self.height())
        extent = self.board.scene.extent(None)
        if corner is None or extent is None:
            return None
        view = self._view()
        if not QRectF(self.rect()).contains(widget_rect(extent, view)):
            return corner
        return None if len(self.board.scene.rows_in(view.seen(corner))) else corner

    def _draw_still(self, painter: QPainter, view: View, clip: QRectF) -> None:
        paint_still(painter, self.board.cards, view, clip, self.board.parts()[0])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the whole flow in view until a person looks elsewhere."""
        super().resizeEvent(event)
        if self._stays_fitted and event.size().width() > 200:
            self.fit()

    # ---------------------------------------------------------------- the hand

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a gesture."""
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        at = event.position()
        if self._gesture is not None:
            return
        if self.adding.palette.isVisible():
            self.adding.palette.dismiss()
        if event.button() == Qt.MouseButton.LeftButton and self._jump(at):
            return
        if event.button() == Qt.MouseButton.MiddleButton or (
            event.button() == Qt.MouseButton.LeftButton and self._space_held
        ):
            self._space_used = True
            self._begin(Pan(self.board, at))
        elif event.button() == Qt.MouseButton.LeftButton:
            self._begin(Press(self.board, at, event.modifiers()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Follow the hand, or say what lies under it."""
        at = event.position()
        if self._gesture is None:
            hit = self.board.hit(at.x(), at.y())
            if hit != self.board.hover:
                self.board.hover = hit
                self.update()
            return
        self._gesture = self._gesture.move(at, event.modifiers())
        self.setCursor(self._gesture.cursor)
        self._pointed = at
        self._tip = self._gesture.reason if isinstance(self._gesture, DragWire) else ""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Finish the gesture."""
        if self._gesture is None:
            return
        gesture, self._gesture = self._gesture, None
        self._tip = ""
        self.unsetCursor()
        gesture.release(event.position(), event.modifiers())
        self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Open what was hit; on empty canvas, the palette."""
        at = event.position()
        hit = self.board.hit(at.x(), at.y())
        self._cancel()
        if hit.target in {Target.NOTHING, Target.AREA}:
            self.adding.search(at.toPoint())
        elif hit.node is not None and hit.target is not Target.PORT:
            self.request_open.emit(hit.node)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Select what was hit, and ask for the menu of what can be done with it."""
        if self._gesture is not None:
            return
        board, at = self.board, event.pos()
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            name = "node" if board.selected else "nothing"
            self.menu_asked.emit(name, self.mapToGlobal(self.rect().center()))
            return
        hit = board.hit(at.x(), at.y())
        spot, socket = hit.spot, hit.socket
        if spot is not None and socket is not None and board.carries_values(socket.node, spot):
            self.port_menu_asked.emit(str(socket), spot.is_output, event.globalPos())
            return
        name = "wire" if hit.wire is not None else "nothing" if hit.node is None else "node"
        if hit.target is Target.AREA:
            name = "nothing"
        if name == "node" and hit.node is not None and hit.node not in board.selected:
            board.select([hit.node])
        elif name == "wire" and hit.wire is not None:
            board.select([], [hit.wire])
        self.menu_asked.emit(name, event.globalPos())

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the pointer with a wheel; move the paper with a trackpad."""
        pixels = event.pixelDelta()
        is_zoom = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if not pixels.isNull() and not is_zoom and event.phase() != Qt.ScrollPhase.NoScrollPhase:
            self._look(self.board.camera.panned(pixels.x(), pixels.y()))
        else:
            self._zoom(ZOOM_NOTCH ** (event.angleDelta().y() / 120), event.position())
        event.accept()

    def event(self, event: QEvent) -> bool:
        """Pinch to zoom, tips, and Tab, which would otherwise leave the widget."""
        if (
            isinstance(event, QNativeGestureEvent)
            and event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture
        ):
            self._zoom(1 + event.value(), event.position())
            return True
        if isinstance(event, QHelpEvent):
            at = event.pos()
            text = tip_for(self.board, self.board.hit(at.x(), at.y()))
            QToolTip.showText(event.globalPos(), text, self)
            return True
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() == Qt.Key.Key_Tab
        ):
            self.keyPressEvent(event)
            return True
        return super().event(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is under the pointer any more."""
        super().leaveEvent(event)
        if self._gesture is None and self.board.hover != NOTHING:
            self.board.hover = NOTHING
            self.update()

    def _begin(self, gesture: Gesture) -> None:
        self._gesture = gesture
        self.setCursor(gesture.cursor)

    def _cancel(self) -> bool:
        if self._gesture is None:
            return False
        gesture, self._gesture = self._gesture, None
        gesture.cancel()
        self._tip = ""
        self.unsetCursor()
        self.update()
        return True

    def _jump(self, at: QPointF) -> bool:
        """Look at the place that was pressed in the minimap."""
        corner = self._minimap()
        if corner is None or not corner.contains(at):
            return False
        point = minimap.minimap_point(self.board.cards, corner, at)
        if point is not None:
            x, y = self.board.camera.to_widget(*point)
            self._look(self.board.camera.panned(self.width() / 2 - x, self.height() / 2 - y))
        return True

    # ---------------------------------------------------------------- keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape cancels, Space waits for a drag, Tab searches; the rest are commands."""
        key = event.key()
        if key == Qt.Key.Key_Escape and (self._cancel() or self._unselect()):
            return
        if self._gesture is not None:
            event.ignore()
            return
        if key == Qt.Key.Key_Space:
            if not event.isAutoRepeat():
                self._space_held, self._space_used = True, False
                self.setCursor(Qt.CursorShape.OpenHandCursor)
            return
        if key == Qt.Key.Key_Tab:
            self.adding.search()
        elif key == Qt.Key.Key_F and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self.fit(self.board.selected or None)
        elif key == Qt.Key.Key_Home:
            self.fit()
        elif not self.commands.run(event, self._pointed_at()):
            super().keyPressEvent(event)
            return
        elif key in _ARROWS and (node := self.document.selection.now.only_node) is not None:
            self.reveal(node)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Space alone opens the palette; Space with a drag was panning."""
        if event.key() != Qt.Key.Key_Space or event.isAutoRepeat():
            super().keyReleaseEvent(event)
            return
        was_held, self._space_held = self._space_held, False
        self.unsetCursor()
        if was_held and not self._space_used:
            self.adding.search()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Forget a held Space: its release will be told to another widget."""
        self._space_held = False
        super().focusOutEvent(event)

    def _unselect(self) -> bool:
        now = self.document.selection.now
        if not now.nodes and not now.wires:
            return False
        self.board.select()
        return True

    def _pointed_at(self) -> tuple[float, float]:
        at = self.adding.pointer()
        return self.board.camera.to_scene(at.x(), at.y())

    def closeEvent(self, event: QCloseEvent) -> None:
        """Let go of the document."""
        self.close_document()
        super().closeEvent(event)


_ARROWS = {Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down}


def _over(board: Board, row: int) -> list[int]:
    """A card's row and those that lie over it."""
    rows = board.scene.rows_in(board.scene.rect(board.scene.ids[row]))
    return [one for one in rows.tolist() if one >= row]
