"""How a kind of node stands in a list of kinds."""

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from studio.ui.canvas.document import KindLook
from studio.ui.canvas.style import Role, Style
from studio.ui.theme.kind_glyphs import draw_kind

ROW = 30
"""The height of a row."""
LOOK = Qt.ItemDataRole.UserRole + 1
"""The role of an item that has its kind's look."""


class KindRow(QStyledItemDelegate):
    """A kind: its glyph, its title, and the category's name at the right."""

    def __init__(self, style: Style, parent: QObject) -> None:
        super().__init__(parent)
        self._style = style

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """One row of the palette."""
        del option, index
        return QSize(0, ROW)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw one kind."""
        look = index.data(LOOK)
        if not isinstance(look, KindLook):
            return
        style = self._style
        place = QRectF(option.rect)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownArgumentType]
        is_current = bool(option.state & QStyle.StateFlag.State_Selected)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        if is_current:
            painter.setBrush(style.color("surface.selection"))
            painter.drawRoundedRect(place.adjusted(0, 1, 0, -1), 5, 5)
        middle = place.center().y()
        glyph = QRectF(place.left() + 8, middle - 8, 16, 16)
        draw_kind(painter, look.kind, glyph, style.color(style.category(look.category)))
        self._text(painter, place.adjusted(30, 0, -110, 0), look.title, Role.BODY, style.color("text.strong"))
        self._text(
            painter,
            place.adjusted(0, 0, -10, 0),
            look.group or look.category,
            Role.SMALL,
            style.color("text.muted"),
            right=True,
        )
        painter.restore()

    def _text(
        self, painter: QPainter, place: QRectF, text: str, role: Role, color: QColor, *, right: bool = False
    ) -> None:
        painter.setFont(self._style.fonts[role])
        painter.setPen(color)
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        painter.drawText(
            place, side | Qt.AlignmentFlag.AlignVCenter, self._style.elided(text, role, place.width())
        )
