"""The canvas widget: joins what hears the hand with what is painted, layer upon layer."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QCloseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from studio.app.key_map import KeyMap
from studio.flow.change import Change
from studio.flow.checks.problem import Problem
from studio.ids import NodeId
from studio.ui.canvas.board import Board
from studio.ui.canvas.cards.cards import Shown
from studio.ui.canvas.cards.marks import found_by_place
from studio.ui.canvas.commands.catalog import all_commands
from studio.ui.canvas.commands.desk import Desk
from studio.ui.canvas.document import BreakpointMark, CanvasDocument, NodeState
from studio.ui.canvas.drawing import overlay
from studio.ui.canvas.drawing.breakpoint_rings import paint_rings
from studio.ui.canvas.drawing.delegations import paint_delegations
from studio.ui.canvas.drawing.difference_marks import paint_differences
from studio.ui.canvas.drawing.drawers import paint_drawers
from studio.ui.canvas.drawing.frames import paint_chosen, paint_held
from studio.ui.canvas.drawing.ghosts import paint_chosen_ghost
from studio.ui.canvas.drawing.keyboard_ring import paint_edge, paint_stand
from studio.ui.canvas.drawing.layer import StillLayer
from studio.ui.canvas.drawing.order_marks import paint_marks
from studio.ui.canvas.drawing.painter import View, paint_content, paint_still
from studio.ui.canvas.drawing.pulses import Pulses
from studio.ui.canvas.hand.furniture import Furniture
from studio.ui.canvas.hand.gestures.gesture import Gesture
from studio.ui.canvas.hand.inline_editor import Writing
from studio.ui.canvas.hand.keys import Keys
from studio.ui.canvas.hand.mouse import Mouse
from studio.ui.canvas.hand.new_nodes import Adding
from studio.ui.canvas.hand.touch import Touch
from studio.ui.canvas.hand.viewport import Looking
from studio.ui.canvas.hand.wire_list import Linking
from studio.ui.canvas.run_overlay import Streaming
from studio.ui.canvas.scene.ghosts import Delegation, Ghost
from studio.ui.canvas.sheets.clicks import Asking
from studio.ui.canvas.style import Style
from studio.ui.theme.tokens import Theme


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

    def __init__(
        self,
        document: CanvasDocument,
        theme: Theme,
        parent: QWidget | None = None,
        keys: KeyMap | None = None,
    ) -> None:
        super().__init__(parent)
        self.document = document
        self.board = Board(document, Style(theme))
        self.board.ratio = self.devicePixelRatioF()
        self._layer = StillLayer(self._draw_still)
        self.pulses = Pulses(self.board, self.update, self)
        self.looking = Looking(self, self.board)
        self.streaming = Streaming(self, self.board, self.looking, self._layer)
        self.adding = Adding(self, self.board)
        self.adding.added.connect(self.reveal)
        self.adding.put.connect(self.fit)
        self.writing = Writing(self, self.board)
        self.desk = Desk(self.board, self, self.looking, self.adding, self.told.emit, self.toggle_breakpoint)
        self.commands = {command.id: command for command in all_commands()}
        self.furniture = Furniture(self, self.board, self.looking)
        self.mouse = Mouse(self.desk, self.furniture)
        self.installEventFilter(self.looking)  # again: it hears of the pointer before its events are taken
        self.mouse.menu_asked.connect(self.menu_asked)
        self.mouse.port_menu_asked.connect(self.port_menu_asked)
        self.asking = Asking(self, self.board, theme)
        self.linking = Linking(self, self.board, self.adding)
        self.touch = Touch(self, self.board, self.looking, self.mouse.cancel)
        self.keys = Keys(self.desk, self.mouse, list(self.commands.values()), keys or KeyMap())
        self._endings = [
            document.history.on_change(self._follow),
            document.selection.on_change(lambda _: self.update()),
            self.board.stirred.subscribe(self.update),
            self.board.keyboard.moved.subscribe(self.update),
            self.board.redrawn.subscribe(self._redraw),
            self.board.refused.subscribe(self._refuse),
            self.board.wire_dropped.subscribe(self.adding.search_for_end),
            self.board.opened.subscribe(self.request_open.emit),
            self.board.break_asked.subscribe(self.breakpoint_toggled.emit),
            *self.asking.endings,
            self.keys.end,
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

    def run(self, command: str) -> None:
        """Do one of `commands`, if it can be done now."""
        found = self.commands[command]
        if found.can(self.desk):
            found.act(self.desk)

    # ---------------------------------------------------------------- what is shown

    def set_theme(self, theme: Theme) -> None:
        """Show everything in another theme."""
        style = Style(theme)
        self.board.restyle(style)
        self.adding.restyle(style)
        self.asking.restyle(theme)
        self.linking.palette.restyle(style)

    def show_run(self, states: Mapping[NodeId, NodeState]) -> None:
        """Show a run, or with nothing none; replaces all that was shown of another."""
        self.streaming.clear()
        self._show(replace(self.board.cards.shown, states=dict(states)))

    def update_nodes(self, states: Mapping[NodeId, NodeState]) -> None:
        """Show what changed for these nodes; painted at most thirty times a second."""
        self.streaming.tell(states)

    def show_problems(
        self, problems: Sequence[Problem], hint: Callable[[Problem], str] = lambda _: ""
    ) -> None:
        """Mark problems where they are; `hint` says what mends one by hand."""
        self.asking.hint = hint
        tried = self.board.cards.shown.found.tried
        self._show(replace(self.board.cards.shown, found=found_by_place(problems, tried)))

    def show_tried(self) -> None:
        """Somebody tried to run the flow: what is wrong with it by now is marked as an error."""
        found = self.board.cards.shown.found
        tried = replace(found, tried=frozenset(self.board.scene.ids))
        self._show(replace(self.board.cards.shown, found=tried))

    def show_models(self, models: Mapping[str, str]) -> None:
        """Say on cards which language model answers them: by chat profile, the one of runs without a name."""
        if models != self.board.cards.shown.models:
            self._show(replace(self.board.cards.shown, models=dict(models)))

    def set_breakpoints(
        self, breakpoints: Mapping[str, BreakpointMark], tips: Mapping[str, str] | None = None
    ) -> None:
        """Mark the nodes and the ports (`node.port`) that have a breakpoint; tips tell more of them."""
        shown = self.board.cards.shown
        self._show(replace(shown, breakpoints=dict(breakpoints), break_tips=dict(tips or {})))

    def ring(self, places: frozenset[str]) -> None:
        """Ring the breakpoints of these places: a run is held there, or came by just now."""
        if places != self.board.cards.shown.ringed:
            self.board.cards.shown = replace(self.board.cards.shown, ringed=places)
            self.update()

    def mark_differing(self, nodes: Mapping[NodeId, bool]) -> None:
        """Mark nodes that did something else in another run; True for where the two went apart."""
        if nodes != self.board.cards.shown.differing:
            self.board.cards.shown = replace(self.board.cards.shown, differing=dict(nodes))
            self.update()

    def set_pins(self, pins: Mapping[NodeId, str]) -> None:
        """Mark the pinned nodes, each with the reason why its pin does not fit any more, or nothing."""
        self._show(replace(self.board.cards.shown, pins=dict(pins)))

    def show_ghosts(
        self, told: Mapping[NodeId, Sequence[Ghost]], delegations: Sequence[Delegation] = ()
    ) -> None:
        """Show what steps make as they go, beside their nodes, and who was given turns."""
        self.board.cards.ghosts.delegations = delegations
        self.update()
        if self.board.cards.ghosts.tell(told):
            self.looking.stay_fitted()
            self._redraw()

    def choose_ghost(self, key: str) -> None:
        """Ring the ghost whose work is shown everywhere; with no key, none."""
        if key != self.board.cards.ghosts.chosen:
            self.board.cards.ghosts.chosen = key
            self.update()

    def fit(self, nodes: Iterable[NodeId] | None = None) -> None:
        """Look at all of these nodes, or of the whole flow."""
        self.looking.fit(nodes)

    def reveal(self, node: NodeId) -> None:
        """Move just far enough that a node is in view."""
        self.looking.reveal(node)

    def toggle_breakpoint(self, places: Iterable[str]) -> None:
        """Ask for the next state of the breakpoints of these places: nodes, or ports as `node.port`."""
        for place in sorted(places):
            self.breakpoint_toggled.emit(place)

    @property
    def gesture(self) -> Gesture | None:
        """What the hand is doing."""
        return self.mouse.gesture

    # ---------------------------------------------------------------- following

    def _follow(self, change: Change) -> None:
        self.mouse.cancel()
        if change.touches_logic:
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

    def _refuse(self, reason: str) -> None:
        self.refused.emit(reason)
        self.furniture.say(reason)

    # ---------------------------------------------------------------- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """Blit what stands still, then draw what is live."""
        del event
        view, board = self.looking.view(), self.board
        painter = QPainter(self)
        if self.looking.is_zooming:  # an old picture, scaled, need not cover everything
            painter.fillRect(self.rect(), board.style.color("surface.canvas"))
        self._layer.paint(painter, view, may_blur=self.looking.is_zooming)
        paint_held(painter, board.cards, view)
        if board.moving is not None:
            paint_content(painter, board.cards, view, QRectF(self.rect()), board.parts()[1])
        paint_drawers(painter, board, view)
        overlay.paint_hover(painter, board, view)
        overlay.paint_selection(painter, board, view)
        paint_delegations(painter, board, view)
        paint_chosen_ghost(painter, board.cards, view)
        paint_rings(painter, board, view)
        paint_differences(painter, board, view)
        paint_chosen(painter, board.cards, view, board.chosen)
        if pulses := self.pulses.progress():
            overlay.paint_pulses(painter, board, view, pulses)
        paint_marks(painter, board.order_marks, board.style, view)
        self.mouse.paint(painter, view)
        self.furniture.paint(painter, view)
        if self.hasFocus():
            paint_stand(painter, board, view)
            if self.keys.lead:
                paint_edge(painter, board, view)
        painter.end()

    def _draw_still(self, painter: QPainter, view: View, clip: QRectF) -> None:
        paint_still(painter, self.board.cards, view, clip, self.board.parts()[0])

    def closeEvent(self, event: QCloseEvent) -> None:
        """Let go of the document."""
        self.close_document()
        super().closeEvent(event)
