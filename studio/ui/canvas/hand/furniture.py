"""What lies over the flow and does not move with it: the minimap, the hint on an empty canvas, the tip."""

from PySide6.QtCore import QObject, QPointF, QRectF, QTimer
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from studio.ui.canvas.board import Board
from studio.ui.canvas.drawing import minimap, overlay
from studio.ui.canvas.hand import step_arrows
from studio.ui.canvas.hand.viewport import Looking
from studio.ui.canvas.sheets.offer_sheet import OfferSheet
from studio.ui.canvas.sight import View, widget_rect

TIP_LASTS = 3500
"""Milliseconds for which a refusal is read."""


class Furniture(QObject):
    """Draws it, and leads to where the minimap was pressed."""

    def __init__(self, canvas: QWidget, board: Board, looking: Looking) -> None:
        super().__init__(canvas)
        self._canvas, self._board, self._looking = canvas, board, looking
        self.offer = OfferSheet(canvas, board)
        self._blocks = minimap.Blocks()
        self._tip, self._pointed = "", QPointF()
        self._tip_ends = QTimer(self, singleShot=True, interval=TIP_LASTS)
        self._tip_ends.timeout.connect(self.hide_tip)

    def say(self, sentence: str) -> None:
        """Say something at the pointer for a while."""
        self._tip = sentence
        self._tip_ends.start()
        self._canvas.update()

    def follow(self, at: QPointF, sentence: str) -> None:
        """Say something at a widget point as long as the hand is there; nothing takes it away."""
        self._pointed, self._tip = at, sentence

    def hide_tip(self) -> None:
        """Say nothing any more."""
        self._tip = ""
        self._canvas.update()

    def paint(self, painter: QPainter, view: View) -> None:
        """Draw minimap or hint, and the tip above everything."""
        board, whole = self._board, QRectF(self._canvas.rect())
        if not board.scene.ids:
            head = self.tr("Press Tab to add a node")
            line = self.tr("or drag one from the library; double-click works too")
            overlay.paint_hint(painter, board.style, whole, head, line)
        elif (corner := self.minimap()) is not None:
            minimap.paint_minimap(painter, board.cards, view, corner, self._blocks)
        if self._tip:
            overlay.paint_tip(painter, board.style, self._pointed, self._tip, whole)

    def minimap(self) -> QRectF | None:
        """Where the minimap is; none where everything is seen anyway."""
        corner = minimap.minimap_rect(self._canvas.width(), self._canvas.height())
        extent = self._board.scene.extent(None)
        if corner is None or extent is None:
            return None
        ghosts = self._board.cards.ghosts.extent()
        whole = extent if ghosts is None else extent.united(ghosts)
        is_seen = QRectF(self._canvas.rect()).contains(widget_rect(whole, self._looking.view()))
        return None if is_seen else corner

    def take_press(self, at: QPointF) -> bool:
        """Look at the place that was pressed in the minimap, or show the step that an arrow asks for."""
        if step_arrows.take_press(self._board, at):
            return True
        corner = self.minimap()
        if corner is None or not corner.contains(at):
            return False
        point = minimap.minimap_point(self._board.cards, corner, at)
        if point is not None:
            self._looking.centre(*point)
        return True
