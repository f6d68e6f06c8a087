"""How nodes come to the canvas: from the palette, at a loose end of a wire, or dragged from the library."""

from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QWidget

from studio.flow.records import Socket, Wire
from studio.ids import NodeId
from studio.ui.canvas.board import Board
from studio.ui.canvas.camera import Rect
from studio.ui.canvas.document import KIND_MIME
from studio.ui.canvas.hand.drops import offer_entering
from studio.ui.canvas.hand.palette import KindPalette
from studio.ui.canvas.hand.placement import (
    add_beside,
    add_kind,
    add_on_wire,
    add_part,
    fitting_kinds,
    kinds_for_wire,
    wire_middle,
)
from studio.ui.canvas.scene.geometry import HEADER, WIDTH
from studio.ui.canvas.style import Style

BESIDE = 24
"""Widget points from a card's corner to the palette that adds a node beside it."""


class Adding(QObject):
    """Adds what is chosen or dropped, selects it, and gives the keyboard back to the canvas."""

    added = Signal(str)
    """A node was added and shall be seen."""
    put = Signal(object)
    """The nodes of a ready part were added and shall be seen."""

    def __init__(self, canvas: QWidget, board: Board) -> None:
        super().__init__(canvas)
        self._canvas, self._board = canvas, board
        self.palette = KindPalette(board.document, board.style, canvas)
        self.palette.hide()
        self.palette.chosen.connect(self._add_chosen)
        canvas.setAcceptDrops(True)
        canvas.installEventFilter(self)

    def restyle(self, style: Style) -> None:
        """Wear another theme."""
        self.palette.restyle(style)

    def search(self, pos: QPoint | None = None) -> None:
        """Search for a node to add, at `pos` (widget points) or at the pointer."""
        at = pos if pos is not None else self.pointer()
        point = self._board.camera.to_scene(at.x(), at.y())
        self.palette.open_at(at, point if pos is not None else self._off_cards(point))

    def search_for_end(self, fixed: Socket, is_output: bool, at: tuple[float, float]) -> None:  # noqa: FBT001
        """Search among the kinds that fit a wire dropped at a scene point."""
        x, y = self._board.camera.to_widget(*at)
        fitting = fitting_kinds(self._board, fixed, is_output=is_output)
        self.palette.open_at(QPoint(round(x), round(y)), at, fitting, (fixed, is_output))

    def search_for_wire(self, wire: Wire) -> None:
        """Search among the kinds through which a wire could lead, at its middle."""
        middle = wire_middle(self._board, wire)
        x, y = self._board.camera.to_widget(*middle)
        fitting = kinds_for_wire(self._board, wire)
        self.palette.open_at(QPoint(round(x), round(y)), middle, fitting, wire)

    def search_beside(self, node: NodeId) -> None:
        """Search for a node that is to be joined with this one; what its output fits comes first."""
        rect = self._board.scene.rect(node)
        x, y = self._board.camera.to_widget(rect.right, rect.y)
        self.palette.open_at(QPoint(round(x) + BESIDE, round(y) + BESIDE), (rect.right, rect.y), end=node)

    def dismiss(self) -> None:
        """Close the search, if it is open."""
        if self.palette.isVisible():
            self.palette.dismiss()

    def pointer(self) -> QPoint:
        """Where the pointer is on the canvas; its middle while the pointer is elsewhere."""
        at = self._canvas.mapFromGlobal(self._canvas.cursor().pos())
        return at if self._canvas.rect().contains(at) else self._canvas.rect().center()

    def _off_cards(self, point: tuple[float, float]) -> tuple[float, float]:
        """Where a node can stand whose place no hand pointed out: there, unless it would hide another."""
        scene, (x, y) = self._board.scene, point
        box = Rect(x - WIDTH / 2, y - HEADER / 2, WIDTH, HEADER * 3)
        if all(scene.ids[row] in scene.areas for row in scene.rows_in(box)):
            return point
        left, top = self._board.free_point(x, y)
        return left + WIDTH / 2, top + HEADER / 2

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take kinds from the library, anywhere on the canvas."""
        if isinstance(event, QDropEvent) and event.mimeData().hasFormat(KIND_MIME):
            if not isinstance(event, QDragEnterEvent | QDragMoveEvent):
                self._drop(event.mimeData(), event.position())
            event.acceptProposedAction()
            return True
        return super().eventFilter(watched, event)

    def _drop(self, data: QMimeData, at: QPointF) -> None:
        """Add a node of the dropped kind, its title under the pointer; on a wire that fits, in the wire."""
        kind = bytes(data.data(KIND_MIME).data()).decode()
        wire = self._board.hit(at.x(), at.y()).wire
        fits = wire is not None and kind in kinds_for_wire(self._board, wire)
        self._add(kind, self._board.camera.to_scene(at.x(), at.y()), wire if fits else None)

    def _add_chosen(self, kind: str) -> None:
        self._add(kind, self.palette.scene_point, self.palette.end)

    def _add(
        self, kind: str, at: tuple[float, float], end: tuple[Socket, bool] | Wire | NodeId | None
    ) -> None:
        self._canvas.setFocus(Qt.FocusReason.OtherFocusReason)
        part = self._board.document.part(kind)
        if part is not None:
            nodes = add_part(self._board, part, at)
            self._board.select(nodes)
            self.put.emit(nodes)
            return
        if isinstance(end, Wire):
            node = add_on_wire(self._board, kind, end)
        elif isinstance(end, str):
            node = add_beside(self._board, kind, end)
        else:
            node = add_kind(self._board, kind, at, end)
        if node is None:
            return
        self._board.select([node])
        self.added.emit(node)
        if end is None and (offer := offer_entering(self._board, node)) is not None:
            self._board.offered_way.tell(offer)
