"""How a row of the outline is drawn: a mark, its title, and muted what else is to be known."""

from PySide6.QtCore import QObject, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from studio.ui.canvas.board import Board
from studio.ui.canvas.cards.card import STATE_COLORS
from studio.ui.canvas.cards.marks import Sign
from studio.ui.canvas.scene.geometry import type_name
from studio.ui.look import Look
from studio.ui.panels.outline.model import DETAIL, ROW, Index
from studio.ui.panels.widgets.mark import draw_mark
from studio.ui.viewmodels.flow.outline import Row


class RowPainter(QStyledItemDelegate):
    """Draws rows at one height; what a run says of a node has the colour of its state as a dot."""

    def __init__(self, look: Look, board: Board, parent: QObject) -> None:
        super().__init__(parent)
        self._look, self._board = look, board

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """One row."""
        del option, index
        return QSize(60, self._look.length("size.row"))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw ground, mark, title and detail."""
        row = index.data(ROW)
        if not isinstance(row, Row):
            return
        look = self._look
        rect: QRect = option.rect  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
        state: QStyle.StateFlag = option.state  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
        is_chosen = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        bar = look.length("radius.bar")
        if is_chosen or state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, look.color("surface.selection" if is_chosen else "surface.hover"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(look.color("accent.action"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 1.5, -0.5, -1.5), bar, bar)
        left = rect.left() + look.length("space.tight")
        side = look.length("size.icon")
        self._mark(painter, QRectF(left, rect.top(), side, rect.height()), row)
        left += side + look.length("space.tight")
        self._words(painter, QRect(left, rect.top(), rect.right() - left, rect.height()), index, row)
        painter.restore()

    def _mark(self, painter: QPainter, place: QRectF, row: Row) -> None:
        look = self._look
        if row.kind == "node" and row.node in self._board.flow.nodes and row.node is not None:
            kind = self._board.flow.nodes[row.node].kind
            draw_mark(painter, place, look, kind)
        elif row.kind == "port" and row.spot is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.color(f"port.{type_name(row.spot.type)}"))
            dot = look.length("size.dot")
            painter.drawEllipse(place.center(), dot / 2, dot / 2)
        elif row.kind == "wire":
            painter.setPen(look.color("text.muted"))
            painter.drawLine(
                place.center().toPoint(), place.topLeft().toPoint() + place.center().toPoint() / 4
            )

    def _words(self, painter: QPainter, place: QRect, index: Index, row: Row) -> None:
        look, small = self._look, self._look.length("space.small")
        shown = self._board.cards.shown
        if row.kind == "node" and row.node is not None:
            status = shown.state(row.node).status
            dot = look.length("size.dot")
            marks = [STATE_COLORS[status]] if status in STATE_COLORS else []
            marks += ["state.failed"] if shown.found.sign(row.node) is Sign.ERROR else []
            painter.setPen(Qt.PenStyle.NoPen)
            for mark in marks:
                painter.setBrush(look.color(mark))
                painter.drawEllipse(place.right() - dot - 2, place.center().y() - dot // 2 + 1, dot, dot)
                place.setRight(place.right() - dot - small)
        is_heading = row.kind == "ports"
        painter.setFont(look.font("label" if is_heading else "body"))
        painter.setPen(look.color("text.muted" if is_heading else "text.normal"))
        title = str(index.data(Qt.ItemDataRole.DisplayRole)).replace("\n", " ")
        used = self._line(painter, place, title) + small
        if used < place.width() - 3 * small:
            painter.setFont(look.font("small"))
            painter.setPen(look.color("text.muted"))
            self._line(painter, place.adjusted(used, 0, 0, 0), str(index.data(DETAIL) or ""))

    def _line(self, painter: QPainter, place: QRect, text: str) -> int:
        metrics = painter.fontMetrics()
        elided = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(place.width(), 0))
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, elided)
        return metrics.horizontalAdvance(elided)
