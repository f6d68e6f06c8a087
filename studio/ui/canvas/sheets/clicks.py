"""What a click on a small thing does: a value typed at a port, a problem with its remedies, a breakpoint."""

from collections.abc import Callable
from functools import partial
from typing import Literal

from PySide6.QtCore import QEvent, QObject, QRectF
from PySide6.QtWidgets import QWidget

from studio.flow import edits
from studio.flow.change import Change
from studio.flow.checks.problem import Problem
from studio.flow.records import Json, Socket, Wire
from studio.ids import NodeId, PortName
from studio.ui.canvas.board import Board
from studio.ui.canvas.cards.details import Marked, Typed, can_type, typing_place, wire_mark
from studio.ui.canvas.hits import Hit, Target
from studio.ui.canvas.scene.geometry import HEADER, Spot
from studio.ui.canvas.sheets.problem_sheet import ProblemSheet
from studio.ui.canvas.sheets.sheet import Sheet
from studio.ui.canvas.sheets.value_sheet import ValueSheet
from studio.ui.look import Look
from studio.ui.theme.tokens import Theme


class Asking(QObject):
    """Opens one sheet at a time over a canvas."""

    def __init__(self, canvas: QWidget, board: Board, theme: Theme) -> None:
        super().__init__(canvas)
        self._canvas, self._board = canvas, board
        self._look = Look(theme, self)
        self.hint: Callable[[Problem], str] = lambda _: ""
        """Says what mends a problem by hand."""
        self.sheet: Sheet | None = None
        self.endings = [
            board.clicked.subscribe(self._take_click),
            board.typing_asked.subscribe(self.type_at),
            board.remedies_asked.subscribe(self.show_remedies),
            board.document.history.on_change(self._heard),
        ]
        canvas.installEventFilter(self)

    def restyle(self, theme: Theme) -> None:
        """Wear another theme from the next sheet on."""
        self._look.use(theme)

    def type_at(self, node: NodeId, port: PortName | None = None) -> None:
        """Let a value be typed at an unwired port, or at the first that takes one; says why it cannot be."""
        spots = self.typable(node)
        spot = next((one for one in spots if port in (None, one.port)), None)
        if spot is None:
            self._board.refused.tell(self._reason(node, port))
            return
        record = self._board.flow.nodes[node]
        sheet = ValueSheet(
            self._look,
            spot,
            spot.label or str(spot.port).replace("_", " "),
            record.inputs.get(spot.port),
            self._place_of(node, spot),
            self._canvas,
            had=spot.port in record.inputs,
        )
        sheet.typed.connect(partial(self._put, node, spot.port))
        sheet.went_on.connect(partial(self._go_on, node, spot.port))
        self.open(sheet)

    def show_remedies(self, at: NodeId | Wire) -> None:
        """Show what is wrong with a node or wire."""
        cards, found = self._board.cards, self._board.cards.shown.found
        if isinstance(at, Wire):
            place = wire_mark(cards, at)
            if place is not None and at in found.wires:
                self._show_problems(Marked(found.wires[at], place))
        elif at in found.nodes and at in cards.scene.row:
            rect = cards.scene.rect(at)
            self._show_problems(Marked(found.nodes[at], QRectF(rect.x, rect.y, rect.width, HEADER)))

    def typable(self, node: NodeId) -> list[Spot]:
        """The unwired inputs that a value can be typed at, from above."""
        scene = self._board.scene
        if node not in scene.row:
            return []
        wired = scene.wired[node][0]
        spots = [one for one in scene.spots(node) if not one.is_output and can_type(one.type)]
        return sorted((one for one in spots if one.port not in wired), key=lambda one: one.y)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the sheet go along with the paper, and go when the canvas is pressed."""
        if self.sheet is not None and event.type() == QEvent.Type.Paint:
            self.sheet.follow(self._board.camera)
        elif self.sheet is not None and event.type() == QEvent.Type.MouseButtonPress:
            self.sheet.leave()
        return super().eventFilter(watched, event)

    def _take_click(self, hit: Hit) -> None:
        if isinstance(hit.detail, Marked):
            self._show_problems(hit.detail)
        elif isinstance(hit.detail, Typed) and hit.node is not None:
            self.type_at(hit.node, hit.detail.spot.port)
        elif hit.target is Target.PORT and (socket := hit.socket) is not None:
            self._take_port(socket, hit)

    def _take_port(self, socket: Socket, hit: Hit) -> None:
        """A click on a port that could have a value asks for it; others get a breakpoint, or lose theirs."""
        has_breakpoint = str(socket) in self._board.cards.shown.breakpoints
        if hit.spot in self.typable(socket.node) and not has_breakpoint:
            self.type_at(socket.node, socket.port)
        elif hit.spot is not None and self._board.carries_values(socket.node, hit.spot):
            self._board.break_asked.tell(str(socket))

    def _show_problems(self, marked: Marked) -> None:
        if not marked.problems:
            return
        sheet = ProblemSheet(
            self._look, self._board.flow, marked.problems, self.hint, marked.place, self._canvas
        )
        sheet.mended.connect(self._mend)
        self.open(sheet)

    def open(self, sheet: Sheet) -> None:
        """Open a sheet in the place of the one that is there."""
        if self.sheet is not None:
            self.sheet.dismiss()
        self.sheet = sheet
        sheet.closed.connect(lambda: self._closed(sheet))
        sheet.open_sheet(self._board.camera)

    def _closed(self, sheet: Sheet) -> None:
        if self.sheet is sheet:
            self.sheet = None

    def _mend(self, change: Change) -> None:
        self._board.document.history.do(change)

    def _heard(self, _change: Change) -> None:
        """An edit made elsewhere may have taken away what the sheet is about."""
        if self.sheet is not None and not self._canvas.hasFocus():
            self.sheet.dismiss()

    def _put(self, node: NodeId, port: PortName, value: Json | Literal[edits.Remove.REMOVE]) -> None:
        self._board.do(lambda: edits.set_input(self._board.flow, node, port, value))

    def _go_on(self, node: NodeId, port: PortName, way: int) -> None:
        ports = [spot.port for spot in self.typable(node)]
        if port in ports and 0 <= ports.index(port) + way < len(ports):
            self.type_at(node, ports[ports.index(port) + way])

    def _place_of(self, node: NodeId, spot: Spot) -> QRectF:
        """The name and value where they are written, else a row beside the port."""
        board = self._board
        rect = board.scene.rect(node)
        place = typing_place(board.cards, node, spot) if board.scene.area_of(node) is None else None
        beside = QRectF(spot.x, spot.y - 9, 1, 18)
        return (place or beside).translated(rect.x, rect.y)

    def _reason(self, node: NodeId, port: PortName | None) -> str:
        scene = self._board.scene
        spot = scene.spot(node, port, is_output=False) if port is not None and node in scene.row else None
        if spot is None:
            return self.tr("This node has no free input to type a value into.")
        if spot.port in scene.wired[node][0]:
            return self.tr("A wire provides this value. Remove the wire to type one.")
        return self.tr("Values of type {0} cannot be typed; wire the port instead.").format(spot.type)
