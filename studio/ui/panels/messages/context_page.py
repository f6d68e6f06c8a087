"""What filled the request of a chat: a bar for each part, and what was left out before it was sent."""

from typing import cast

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QComboBox,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QSplitter,
    QStackedLayout,
    QStyle,
    QStyleOptionViewItem,
    QWidget,
)

from studio.ids import StepId
from studio.trace.conversations.context_use import chats_of, context_of, shown_chat
from studio.trace.fold.state import RunState
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.widgets.empty import EmptyState
from studio.ui.panels.widgets.two_lines import Index, TwoLines
from studio.ui.slots import of_number
from studio.ui.viewmodels.messages.context_words import PartRow, left_out, rows_of, total_line

FAINT = 70
"""How much of a bar's colour is seen, of 255: words stand over it."""


class ContextPage(QWidget):
    """Shows one chat; `chat_chosen` tells of another chat of the same step."""

    chat_chosen = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chats: list[StepId] = []
        self._key: object = None
        self.empty = EmptyState(look, "messages", "", "", self)
        page = QWidget(self)
        self.chooser = QComboBox(page)
        self.chooser.setAccessibleName(self.tr("Chat"))
        self.chooser.activated.connect(of_number(lambda at: self.chat_chosen.emit(self._chats[at])))
        self.total = text_label("", page, "label", wraps=True, is_selectable=True)
        self.left_out = text_label("", page, "small", "muted", wraps=True, is_plain=True)
        self.list = QListWidget(page)
        self.list.setItemDelegate(_Bars(look, self.list))
        self.list.setAccessibleName(self.tr("Parts of the request"))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.currentRowChanged.connect(self._read)
        self.text = QPlainTextEdit(page)
        self.text.setReadOnly(True)
        self.text.setMinimumHeight(look.length("size.row"))
        self.text.setAccessibleName(self.tr("Selected part of the request"))
        split = QSplitter(Qt.Orientation.Vertical, page)
        split.addWidget(self.list)
        split.addWidget(self.text)
        split.setChildrenCollapsible(False)
        wide = look.length("space.wide")
        split.setSizes([wide * 8, wide * 3])
        split.setStretchFactor(0, 2)
        split.setStretchFactor(1, 1)
        normal = look.length("space.normal")
        rows = column_layout(page, normal, look.length("space.small"))
        rows.addWidget(self.chooser)
        rows.addWidget(self.total)
        rows.addWidget(split, 1)
        rows.addWidget(self.left_out)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(page)
        self.setFocusProxy(self.list)
        look.changed.connect(self.list.viewport().update)
        self._say_nothing()

    def show_step(self, state: RunState | None, step: StepId | None) -> None:
        """Show what filled the request of a chat, or of the last chat of a step."""
        chat = shown_chat(state, step) if state is not None and step is not None else None
        if state is None or chat is None:
            self._say_nothing()
            return
        key = (id(state), chat.id, id(chat.request), id(chat.answered), len(state.steps))
        if key == self._key:
            return  # a stream changes nothing of what was asked
        use = context_of(state, chat)
        chats = [one.id for one in chats_of(state, chat.id)]
        self._stack.setCurrentIndex(1)
        if chats != self._chats:
            self._chats = chats
            self.chooser.clear()
            said = self.tr("Chat {number} of {count}")
            self.chooser.addItems(
                [said.format(number=at, count=len(chats)) for at in range(1, len(chats) + 1)]
            )
        self.chooser.setVisible(len(chats) > 1)
        self.chooser.setCurrentIndex(chats.index(chat.id) if chat.id in chats else -1)
        self.total.setText(total_line(use))
        lines = left_out(use)
        self.left_out.setText("\n".join(lines))
        self.left_out.setVisible(bool(lines))
        self._key = key
        self._fill(rows_of(use))

    def _fill(self, rows: list[PartRow]) -> None:
        self.list.clear()
        for row in rows:
            item = QListWidgetItem(self.list)
            item.setData(Qt.ItemDataRole.UserRole, row)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{row.title}, {row.amount}, {row.about}")
            item.setToolTip(f"{row.title} · {row.amount}")
        if rows:  # what takes most room is what one wants to read
            self.list.setCurrentRow(max(range(len(rows)), key=lambda at: rows[at].share))

    def _read(self, at: int) -> None:
        item = self.list.item(at) if at >= 0 else None
        row = cast("PartRow | None", item.data(Qt.ItemDataRole.UserRole)) if item is not None else None  # pyright: ignore[reportUnnecessaryComparison]
        self.text.setPlainText(row.text if row is not None else "")

    def _say_nothing(self) -> None:
        self._key = None
        self._stack.setCurrentIndex(0)
        self.empty.say(
            self.tr("No request"),
            self.tr("Select a step that calls a model to see what its request contains."),
        )


class _Bars(TwoLines):
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        look = self._look
        row = cast("PartRow", index.data(Qt.ItemDataRole.UserRole))
        rect: QRect = option.rect  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
        state: QStyle.StateFlag = option.state  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        room = rect.adjusted(0, 1, 0, -1)
        radius = look.length("radius.bar")
        if state & QStyle.StateFlag.State_Selected:
            painter.setBrush(look.color("surface.selection"))
            painter.drawRoundedRect(room, radius, radius)
        color = look.color(row.color)
        color.setAlpha(FAINT)
        painter.setBrush(color)
        painter.drawRoundedRect(
            QRect(room.left(), room.top(), max(3, round(room.width() * row.share)), room.height()),
            radius,
            radius,
        )
        small, line = look.length("space.small"), look.length("size.row")
        inner = QRect(rect.left() + small, rect.top() + 1, rect.width() - 2 * small, line)
        painter.setFont(look.font("body"))
        painter.setPen(look.color("text.normal"))
        amount = painter.fontMetrics().horizontalAdvance(row.amount)
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, row.amount)
        title = inner.adjusted(0, 0, -amount - small, 0)
        self._line(painter, title, row.title)
        painter.setFont(look.font("small"))
        painter.setPen(look.color("text.muted"))
        self._line(
            painter,
            QRect(inner.left(), inner.top() + line - 5, inner.width(), look.length("space.large") + 2),
            row.about,
        )
        painter.restore()

    @staticmethod
    def _line(painter: QPainter, place: QRect, text: str) -> None:
        elided = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, elided)
