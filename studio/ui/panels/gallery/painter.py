"""A card of the gallery as it is painted: its picture, its name, and what it shows."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPainterPath
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from studio.app.gallery.systems import Standing
from studio.ui.look import Look
from studio.ui.panels.gallery.model import card_at
from studio.ui.panels.gallery.pictures import Pictures
from studio.ui.viewmodels.help.gallery_cards import Among, GalleryCard, among_title

Index = QModelIndex | QPersistentModelIndex
WIDE, HIGH = 11, 5
"""The smallest picture, in wide gaps."""


class CardPainter(QStyledItemDelegate):
    """Paints cards; those that came into sight ask for their pictures."""

    def __init__(self, look: Look, pictures: Pictures, parent: QWidget) -> None:
        super().__init__(parent)
        self._look, self._pictures = look, pictures
        self.picture_size = QSize()
        """How large a picture is, in points."""
        self.fit(0)

    @property
    def smallest(self) -> int:
        """How wide a card is at least, with the gap to the next."""
        return self._look.length("space.wide") * WIDE + self._look.length("space.large")

    def fit(self, width: int) -> None:
        """Make cards as large as fills a width with as many as there is room for."""
        cell = max(width // max(width // self.smallest, 1), self.smallest)
        wide = cell - self._look.length("space.large")
        self.picture_size = QSize(wide, wide * HIGH // WIDE)

    @property
    def card_size(self) -> QSize:
        """How large a card is, with the gap to the next."""
        gap, words = self._look.length("space.large"), self._look.length("size.row") * 2
        return self.picture_size + QSize(gap, gap + words + self._look.length("space.tight"))

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """All are of one size."""
        return self.card_size

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a card."""
        look, card = self._look, card_at(index)
        place: QRect = option.rect  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
        state: QStyle.StateFlag = option.state  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
        gap = look.length("space.large")
        rect = QRectF(place.adjusted(0, 0, -gap, -gap))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        outline = QPainterPath()
        radius = look.length("radius.node")
        outline.addRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        is_chosen = bool(state & QStyle.StateFlag.State_Selected)
        is_pointed_at = bool(state & QStyle.StateFlag.State_MouseOver)
        ground = "surface.hover" if is_pointed_at else "surface.raised" if card.is_built else "surface.window"
        painter.fillPath(outline, look.color("surface.selection" if is_chosen else ground))
        upper = QRectF(rect.topLeft(), self.picture_size.toSizeF())
        painter.setClipPath(outline)
        if card.is_built:
            self._paint_picture(painter, card, upper)
        else:
            self._paint_reason(painter, card, upper)
        painter.setClipping(False)
        self._paint_words(painter, card, upper)
        is_focused = is_chosen or state & QStyle.StateFlag.State_HasFocus
        painter.setPen(look.color("accent.focus" if is_focused else "surface.edge"))
        painter.drawPath(outline)
        painter.restore()

    def _paint_picture(self, painter: QPainter, card: GalleryCard, upper: QRectF) -> None:
        exhibit = card.entry.exhibit
        painter.fillRect(upper, self._look.color("surface.canvas"))
        if exhibit is None:
            return
        device = painter.device()
        picture = self._pictures.of(exhibit.place, self.picture_size, device.devicePixelRatioF())
        if picture is not None:
            painter.drawPixmap(upper.toRect(), picture)  # one of another size is there for a moment

    def _paint_reason(self, painter: QPainter, card: GalleryCard, upper: QRectF) -> None:
        """In the place of a picture, why there is none."""
        normal = self._look.length("space.normal")
        painter.setFont(self._look.font("label"))
        painter.setPen(self._look.color("text.muted"))
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(upper.adjusted(normal, normal, -normal, -normal), int(flags), card.line)

    def _paint_words(self, painter: QPainter, card: GalleryCard, upper: QRectF) -> None:
        look = self._look
        normal, row = look.length("space.normal"), look.length("size.row")
        width = round(upper.width()) - 2 * normal
        first = QRect(
            round(upper.left()) + normal, round(upper.bottom()) + look.length("space.hair"), width, row
        )
        right = 0
        if card.entry.standing == Standing.PARTLY:
            right = self._paint_mark(painter, first, among_title(Among.PARTLY)) + look.length("space.small")
        painter.setFont(look.font("body", strong=True))
        painter.setPen(look.color("text.strong" if card.is_built else "text.normal"))
        self._line(painter, first.adjusted(0, 0, -right, 0), card.title)
        painter.setFont(look.font("label"))
        painter.setPen(look.color("text.muted"))
        second = card.line if card.is_built else f"{card.entry.system.id} · {card.entry.system.kind}"
        self._line(painter, first.translated(0, row - look.length("space.tight")), second)

    def _paint_mark(self, painter: QPainter, place: QRect, words: str) -> int:
        """Say at the right of a line that a system works partly; gives the width that this takes."""
        painter.setFont(self._look.font("small", strong=True))
        painter.setPen(self._look.color("text.normal"))
        painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words)
        return painter.fontMetrics().horizontalAdvance(words)

    def _line(self, painter: QPainter, place: QRect, text: str) -> None:
        elided = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, elided)
