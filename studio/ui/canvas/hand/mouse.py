"""The mouse on the canvas: buttons become gestures, rest becomes hover and tips."""

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QHelpEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QToolTip

from studio.flow.edits.wire_bends import straighten
from studio.ui.canvas.commands.bends import add_bend
from studio.ui.canvas.commands.desk import Desk
from studio.ui.canvas.hand.edge_scroll import EdgeScroll
from studio.ui.canvas.hand.furniture import Furniture
from studio.ui.canvas.hand.gestures.drag_boxes import CURSORS
from studio.ui.canvas.hand.gestures.gesture import Gesture, Telling
from studio.ui.canvas.hand.gestures.pan import Pan
from studio.ui.canvas.hand.gestures.press import Press
from studio.ui.canvas.hand.tips import tip_for
from studio.ui.canvas.hits import NOTHING, Target
from studio.ui.canvas.scene.keyboard import Stand, spot_of, stand_point
from studio.ui.canvas.sight import View
from studio.ui.canvas.things import select_boxes


class Mouse(QObject):
    """Holds the gesture under way on one canvas."""

    menu_asked = Signal(str, QPoint)
    """What was hit by a right-click (`node`, `wire`, `nothing`; selected by now), and where on screen."""
    port_menu_asked = Signal(str, bool, QPoint)
    """The port that was hit by a right-click as `node.port`, whether it is an output, and where on screen."""

    def __init__(self, desk: Desk, furniture: Furniture) -> None:
        super().__init__(desk.canvas)
        self._desk, self._board, self._canvas = desk, desk.board, desk.canvas
        self._furniture = furniture
        self._gesture: Gesture | None = None
        self.edge = EdgeScroll(desk.canvas, desk.board, self._follow)
        self._space_held = False
        self._space_used = False
        self._board.keyboard.menu_asked.subscribe(self.ask_menu_at)
        desk.canvas.installEventFilter(self)

    @property
    def gesture(self) -> Gesture | None:
        """What the hand is doing."""
        return self._gesture

    def hold_space(self, *, is_held: bool) -> bool:
        """Let the left button pan while Space is held; tells at its release whether it was left unused."""
        was_unused = self._space_held and not self._space_used
        if is_held:
            self._canvas.setCursor(Qt.CursorShape.OpenHandCursor)
            self._space_used = False
        elif self._space_held:
            self._canvas.unsetCursor()
        self._space_held = is_held
        return was_unused

    def cancel(self) -> bool:
        """Put everything back as it was at the press; tells whether there was a gesture."""
        if self._gesture is None:
            return False
        gesture, self._gesture = self._gesture, None
        self.edge.stop()
        gesture.cancel()
        self._furniture.hide_tip()
        self._canvas.unsetCursor()
        return True

    def paint(self, painter: QPainter, view: View) -> None:
        """Draw what is in the hand."""
        if self._gesture is not None:
            painter.save()
            self._gesture.paint(painter, view)
            painter.restore()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take what the mouse does."""
        kind = event.type()
        if isinstance(event, QMouseEvent):
            if kind == QEvent.Type.MouseButtonPress:
                self._press(event)
            elif kind == QEvent.Type.MouseMove:
                self._move(event)
            elif kind == QEvent.Type.MouseButtonRelease:
                self._release(event)
            elif kind == QEvent.Type.MouseButtonDblClick:
                self._double_click(event)
            else:
                return False
            return True
        if isinstance(event, QContextMenuEvent):
            self._ask_menu(event)
            return True
        if isinstance(event, QHelpEvent) and kind == QEvent.Type.ToolTip:
            at = event.pos()
            hit = NOTHING if self._gesture is not None else self._board.hit(at.x(), at.y())
            text = tip_for(self._board, hit)
            QToolTip.showText(event.globalPos(), text, self._canvas)
            return True
        if kind == QEvent.Type.Leave and self._gesture is None and self._board.hover != NOTHING:
            self._board.hover = NOTHING
            self._canvas.update()
        return super().eventFilter(watched, event)

    def _press(self, event: QMouseEvent) -> None:
        self._canvas.setFocus(Qt.FocusReason.MouseFocusReason)
        QToolTip.hideText()
        self._board.keyboard.go(None)
        at, button = event.position(), event.button()
        if self._gesture is not None:
            return
        self._furniture.offer.dismiss()
        self._desk.adding.dismiss()
        is_left = button == Qt.MouseButton.LeftButton
        if is_left and self._furniture.take_press(at):
            return
        if button == Qt.MouseButton.MiddleButton or (is_left and self._space_held):
            self._space_used = True
            self._begin(Pan(self._board, at))
        elif is_left:
            self._begin(Press(self._board, at, event.modifiers()))

    def _move(self, event: QMouseEvent) -> None:
        """Follow the hand, or say what lies under it."""
        at = event.position()
        if self._gesture is None:
            hit = self._board.hit(at.x(), at.y())
            if hit != self._board.hover:
                self._board.hover = hit
                self._canvas.setCursor(CURSORS.get(hit.edges, Qt.CursorShape.ArrowCursor))
                self._canvas.update()
            return
        self._follow(at, event.modifiers())
        if not isinstance(self._gesture, Pan | Press):
            self.edge.follow(at, event.modifiers())

    def _follow(self, at: QPointF, keys: Qt.KeyboardModifier) -> None:
        """Let the gesture follow the pointer, or the paper that moves under it."""
        if self._gesture is None:
            return
        self._gesture = self._gesture.move(at, keys)
        self._canvas.setCursor(self._gesture.cursor)
        self._furniture.follow(at, self._gesture.reason if isinstance(self._gesture, Telling) else "")

    def _release(self, event: QMouseEvent) -> None:
        if self._gesture is None:
            return
        gesture, self._gesture = self._gesture, None
        self.edge.stop()
        self._furniture.follow(event.position(), "")
        self._canvas.unsetCursor()
        gesture.release(event.position(), event.modifiers())
        self._canvas.update()

    def _double_click(self, event: QMouseEvent) -> None:
        """Open what was hit; on empty canvas, the palette; wires get a bend there, or lose one."""
        at = event.position()
        hit = self._board.hit(at.x(), at.y())
        self.cancel()
        if hit.box is not None:
            self._board.box_opened.tell(hit.box)
        elif hit.bend is not None:
            self._board.document.history.do(straighten(self._board.flow, [hit.bend]))
            self._board.select()
        elif hit.wire is not None and hit.detail is None:
            add_bend(self._board, hit.wire, *self._board.camera.to_scene(at.x(), at.y()))
        elif hit.target in {Target.NOTHING, Target.AREA}:
            self._desk.adding.search(at.toPoint())
        elif hit.node is not None and hit.target is not Target.PORT:
            self._board.opened.tell(hit.node)

    def _ask_menu(self, event: QContextMenuEvent) -> None:
        """Select what was hit, and ask for the menu of what can be done with it."""
        if self._gesture is not None:
            return
        QToolTip.hideText()
        board, at = self._board, event.pos()
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            self.ask_menu_at(board.keyboard.at(board.scene))
            return
        hit = board.hit(at.x(), at.y())
        if hit.ghost is not None:
            board.ghost_chosen.tell(hit.ghost)
            self.menu_asked.emit("ghost", event.globalPos())
            return
        spot, socket = hit.spot, hit.socket
        if spot is not None and socket is not None and board.carries_values(socket.node, spot):
            self.port_menu_asked.emit(str(socket), spot.is_output, event.globalPos())
            return
        wire = hit.bend[0] if hit.bend is not None else hit.wire
        name = "wire" if wire is not None else "nothing" if hit.node is None else "node"
        if hit.target is Target.AREA:
            name = "nothing"
        if hit.box is not None:
            name = hit.box.kind
            if hit.box not in board.chosen:
                select_boxes(board, [hit.box])
        if name == "node" and hit.node is not None and hit.node not in board.selected:
            board.select([hit.node])
        elif wire is not None:
            board.select([], [wire])
        self.menu_asked.emit(name, event.globalPos())

    def ask_menu_at(self, stand: Stand | None) -> None:
        """Ask for the menu of where the keyboard stands, and there."""
        board, canvas = self._board, self._canvas
        x, y = stand_point(board.scene, stand) if stand is not None else board.camera.to_scene(0, 0)
        at = QPointF(*board.camera.to_widget(x, y)).toPoint() if stand else canvas.rect().center()
        place = canvas.mapToGlobal(at if canvas.rect().contains(at) else canvas.rect().center())
        spot = spot_of(board.scene, stand)
        if stand is not None and stand.wire is not None:
            self.menu_asked.emit("wire", place)
        elif stand is not None and spot is not None and board.carries_values(stand.node, spot):
            self.port_menu_asked.emit(str(stand.socket), spot.is_output, place)
        else:
            self.menu_asked.emit("node" if board.selected else "nothing", place)

    def _begin(self, gesture: Gesture) -> None:
        self._gesture = gesture
        self._canvas.setCursor(gesture.cursor)
