"""What a row of the list of breakpoints shows, and how it is painted."""

from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from studio.app.documents.breakpoints import Breakpoint
from studio.flow.plain_text import quoted
from studio.ui.canvas.cards.break_marks import draw_breakpoint, draw_ring
from studio.ui.canvas.cards.words import break_words
from studio.ui.canvas.document import BreakpointMark
from studio.ui.canvas.style import Style
from studio.ui.look import Look
from studio.ui.viewmodels.words.breakpoint_words import count_words

Index = QModelIndex | QPersistentModelIndex
ROW = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class BreakRow:
    """A breakpoint or catch as it is listed."""

    flow: str
    """The called flow that it was set in, by name; empty for the flow's own."""
    breakpoint: Breakpoint
    is_on: bool
    title: str
    mark: BreakpointMark
    detail: str = ""
    fault: str = ""
    """What is wrong with it; said in the place of the detail."""
    hits: int = 0
    """How often it was met in the run that is shown."""
    is_ringed: bool = False
    """Whether that is held at it, or came by just now."""

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from other rows."""
        return self.flow, self.breakpoint.key

    @property
    def beneath(self) -> str:
        """What stands beneath the title."""
        return quoted(self.fault) or self.detail

    @property
    def words(self) -> str:
        """All of it, as it is read out."""
        met = "" if not self.hits else f"hit {self.hits} times" if self.hits > 1 else "hit once"
        return ", ".join(part for part in (self.title, break_words(self.mark), self.beneath, met) if part)


class BreakRowPainter(QStyledItemDelegate):
    """Paints a tick, the mark as on the canvas, title and detail, and the count at the right."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self._style = Style(look.theme)
        look.changed.connect(self._restyle)

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """Leave tick and background to the style; the words are painted here."""
        super().initStyleOption(option, index)
        option.text = ""  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Two lines where there is something beneath the title."""
        del option
        row, line = index.data(ROW), self._look.length("size.row")
        is_high = isinstance(row, BreakRow) and bool(row.beneath)
        return QSize(0, line + self._look.length("space.large") if is_high else line)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one row."""
        super().paint(painter, option, index)
        row, look = index.data(ROW), self._look
        if not isinstance(row, BreakRow):
            return
        rect: QRect = option.rect  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
        state: QStyle.StateFlag = option.state  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
        is_chosen = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line, small = look.length("size.row"), look.length("space.small")
        top = rect.top() + (2 if row.beneath else 0)
        left = rect.left() + look.length("size.control") + small
        painter.save()
        painter.translate(left, top + line / 2 - 1.5)
        draw_breakpoint(painter, row.mark, self._style)
        if row.is_ringed:
            draw_ring(painter, self._style)
        painter.restore()
        left += look.length("space.large")
        right = rect.right() - small
        count = count_words(row.hits)
        if count:
            painter.setFont(look.font("small"))
            painter.setPen(look.color("text.normal"))
            painter.drawText(QRect(left, top, right - left, line), _RIGHT, count)
            right -= painter.fontMetrics().horizontalAdvance(count) + small
        painter.setFont(look.font("body"))
        name = "text.strong" if is_chosen else "text.normal" if row.is_on else "text.muted"
        painter.setPen(look.color(name))
        _draw(painter, QRect(left, top, right - left, line), row.title)
        if row.beneath:
            painter.setFont(look.font("small"))
            painter.setPen(look.color("state.failed" if row.fault else "text.muted"))
            below = QRect(left, top + line - 5, rect.right() - small - left, look.length("space.large") + 2)
            _draw(painter, below, row.beneath)
        painter.restore()

    def _restyle(self) -> None:
        self._style = Style(self._look.theme)


_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight


def _draw(painter: QPainter, place: QRect, text: str) -> None:
    said = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, place.width())
    painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, said)
