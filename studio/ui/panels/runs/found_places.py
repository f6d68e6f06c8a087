"""Where words were found in runs: the run and step, and the words as they stand there."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QStyleOptionViewItem,
    QWidget,
)

from studio.ids import RunId
from studio.store.indexes.search import Hit
from studio.ui.look import Look
from studio.ui.panels.widgets.row_ground import paint_ground
from studio.ui.panels.widgets.two_lines import Index, TwoLines

BEFORE = 14
"""Characters that stand before the first word that was found."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of an excerpt; what was looked for is marked."""

    text: str
    is_mark: bool


def pieces_of(hit: Hit) -> list[Piece]:
    """The excerpt from shortly before the first word that was found."""
    first = hit.marks[0][0] if hit.marks else 0
    at = max(first - BEFORE, 0)
    pieces = [Piece("…", False)] if at else []
    for start, end in hit.marks:
        if start > at:
            pieces.append(Piece(hit.text[at:start], is_mark=False))
        pieces.append(Piece(hit.text[start:end], is_mark=True))
        at = end
    if at < len(hit.text):
        pieces.append(Piece(hit.text[at:], is_mark=False))
    return pieces


def words_of(hit: Hit) -> str:
    """The first word that was found, as it stands there."""
    return next((hit.text[start:end] for start, end in hit.marks), "")


class FoundPlaces(QListWidget):
    """Lists hits; `opened` tells the run, the step and the word of the one that was clicked or entered."""

    opened = Signal(str, str, str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hits: Sequence[Hit] = ()
        self.setItemDelegate(_Excerpts(look, self))
        self.setAccessibleName(self.tr("Search results"))
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.itemClicked.connect(self._open)
        self.itemActivated.connect(self._open)
        look.changed.connect(self.viewport().update)

    @property
    def hits(self) -> Sequence[Hit]:
        """What is listed."""
        return self._hits

    def show_hits(self, hits: Sequence[Hit], titles: Mapping[RunId, str]) -> None:
        """List these places; `titles` says what their runs are called."""
        self._hits = tuple(hits)
        self.clear()
        for hit in hits:
            title = " · ".join(one for one in (titles.get(hit.run, hit.run), hit.step) if one)
            item = QListWidgetItem(self)
            item.setData(Qt.ItemDataRole.UserRole, hit)
            item.setData(Qt.ItemDataRole.DisplayRole, title)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{title}: {hit.text}")
            item.setToolTip(hit.text)
        if hits:
            self.setCurrentRow(0)

    def enter(self, opens: bool) -> None:  # noqa: FBT001  (told by a signal)
        """Take the keyboard, and open the place that stands first where that is wanted."""
        item = self.currentItem()
        if self.isHidden() or item is None:  # pyright: ignore[reportUnnecessaryComparison]
            return
        self.setFocus()
        if opens:
            self._open(item)

    def _open(self, item: QListWidgetItem) -> None:
        hit = cast("Hit", item.data(Qt.ItemDataRole.UserRole))
        self.opened.emit(hit.run, hit.step, words_of(hit))


class _Excerpts(TwoLines):
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        look = self._look
        painter.save()
        rect, _ = paint_ground(painter, look, option)
        small, line = look.length("space.small"), look.length("size.row")
        room = QRect(rect.left() + small, rect.top(), rect.width() - 2 * small, line - 2)
        painter.setFont(look.font("small"))
        painter.setPen(look.color("text.muted"))
        title = painter.fontMetrics().elidedText(
            str(index.data(Qt.ItemDataRole.DisplayRole)), Qt.TextElideMode.ElideMiddle, room.width()
        )
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, title)
        room.translate(0, line - look.length("space.tight") - 2)
        painter.setClipRect(room)
        hit = cast("Hit", index.data(Qt.ItemDataRole.UserRole))
        left = room.left()
        for piece, wide in self._measured(hit):
            painter.setFont(look.font("body", strong=piece.is_mark))
            painter.setPen(look.color("text.strong" if piece.is_mark else "text.normal"))
            text, rest = piece.text, room.right() - left
            if wide > rest:
                text = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, rest)
            place = QRect(left, room.top(), wide, room.height())
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
            if piece.is_mark:
                painter.drawLine(left, room.bottom() - 4, left + wide, room.bottom() - 4)
            left += wide
            if left > room.right():
                break
        painter.restore()

    def _measured(self, hit: Hit) -> Iterator[tuple[Piece, int]]:
        for piece in pieces_of(hit):
            metrics = QFontMetrics(self._look.font("body", strong=piece.is_mark))
            yield piece, metrics.horizontalAdvance(piece.text)
