"""A list of what may stand where somebody types, beneath the cursor: it helps, and is never in the way."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from studio.sdk.expressions import Completion
from studio.ui.look import Look

Offer = Callable[[str, int], Sequence[Completion]]
"""What may stand in a text before a column, which counts from 1."""

MOST_ROWS = 9
WIDEST = 520
"""Points that the list takes at most."""

_TAKES = {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab}
_WALKS = {
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_PageDown: MOST_ROWS,
    Qt.Key.Key_PageUp: -MOST_ROWS,
}


class Completing(QObject):
    """Completes in one field: as one types, and at once with Ctrl+Space."""

    def __init__(self, look: Look, field: QPlainTextEdit, offer: Offer) -> None:
        super().__init__(field)
        self._field, self.offer = field, offer
        self.list = _Offered(look, field)
        self.list.itemClicked.connect(self._take)
        field.installEventFilter(self)

    @property
    def is_open(self) -> bool:
        """Whether something is offered: Enter, Tab and Escape belong to the list then."""
        return self.list.isVisible()

    def follow(self) -> None:
        """Offer what goes on with the word that was begun; nothing where none was."""
        self._show(asked=False)

    def close_list(self) -> None:
        """Offer nothing any more."""
        self.list.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take the keys that walk in the list while it is there."""
        if event.type() in {QEvent.Type.FocusOut, QEvent.Type.Hide}:
            self.close_list()
        if not isinstance(event, QKeyEvent):
            return super().eventFilter(watched, event)
        key = Qt.Key(event.key())
        is_asked = key == Qt.Key.Key_Space and event.modifiers() == Qt.KeyboardModifier.ControlModifier
        is_ours = is_asked or (self.is_open and (key in _TAKES or key in _WALKS or key == Qt.Key.Key_Escape))
        if is_ours and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        if is_ours and event.type() == QEvent.Type.KeyPress:
            self._press(key, asked=is_asked)
            return True
        if (
            self.is_open
            and event.type() == QEvent.Type.KeyPress
            and key in {Qt.Key.Key_Left, Qt.Key.Key_Right}
        ):
            self.close_list()
        return super().eventFilter(watched, event)

    def _press(self, key: Qt.Key, *, asked: bool) -> None:
        if asked:
            self._show(asked=True)
        elif key in _WALKS:
            row = self.list.currentRow() + _WALKS[key]
            self.list.setCurrentRow(max(0, min(row, self.list.count() - 1)))
        elif key in _TAKES:
            self._take(self.list.currentItem())
        else:
            self.close_list()

    def _show(self, *, asked: bool) -> None:
        text, place = self._field.toPlainText(), self._field.textCursor().position()
        before = text.encode("utf-16-le")[: 2 * place].decode("utf-16-le")
        offered = [one for one in self.offer(text, len(before) + 1) if asked or one.start <= len(before)]
        if not offered:
            self.close_list()
            return
        field, word = self._field, self._field.textCursor()
        word.setPosition(len(text[: offered[0].start - 1].encode("utf-16-le")) // 2)
        bottom = field.viewport().mapTo(field.window(), field.cursorRect(word).bottomLeft())
        self.list.show_offered(offered, bottom)

    def _take(self, item: QListWidgetItem | None) -> None:
        self.close_list()
        chosen = item.data(Qt.ItemDataRole.UserRole) if item is not None else None
        if not isinstance(chosen, Completion):
            return
        cursor = self._field.textCursor()
        start = len(self._field.toPlainText()[: chosen.start - 1].encode("utf-16-le")) // 2
        end = cursor.position()
        cursor.setPosition(start)
        cursor.setPosition(end, cursor.MoveMode.KeepAnchor)
        cursor.insertText(chosen.text)
        self._field.setTextCursor(cursor)
        self.close_list()


class _Offered(QListWidget):
    """Lies over all else in the window, and leaves the keyboard where it is."""

    def __init__(self, look: Look, field: QWidget) -> None:
        super().__init__(field)
        self._look, self._field = look, field
        self.hide()
        field.destroyed.connect(self.deleteLater)
        self.setProperty("card", True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegate(_WordAndHelp(look, self))
        self.setAccessibleName(self.tr("Suggestions"))

    def show_offered(self, offered: Sequence[Completion], bottom: QPoint) -> None:
        """List these beneath a point of the window, or above its line, the first one chosen."""
        self.clear()
        for one in offered:
            item = QListWidgetItem(one.text, self)
            item.setData(Qt.ItemDataRole.UserRole, one)
            item.setData(
                Qt.ItemDataRole.AccessibleTextRole, f"{one.text}, {one.help}" if one.help else one.text
            )
        self.setCurrentRow(0)
        row = self._look.length("size.row")
        frame = 2 * self.frameWidth() + 2
        window = self._field.window()
        if self.parentWidget() is not window:
            self.setParent(window)
        width = min(max(_wanted(self._look, one) for one in offered) + frame, WIDEST, window.width())
        below, above = window.height() - bottom.y(), bottom.y() - row
        room = max(below, above) if below < row * len(offered) + frame else below
        rows = max(1, min(len(offered), MOST_ROWS, (room - frame) // row))
        height = row * rows + frame
        place = QRect(bottom.x(), bottom.y() if height <= below else above - height, width, height)
        place.moveRight(min(place.right(), window.width() - 1))
        self.setGeometry(place)
        self.show()
        self.raise_()


class _WordAndHelp(QStyledItemDelegate):
    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        del option, index
        return QSize(0, self._look.length("size.row"))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        look, one = self._look, index.data(Qt.ItemDataRole.UserRole)
        rect: QRect = option.rect  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
        state: QStyle.StateFlag = option.state  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, look.color("surface.selection"))
        inner = rect.adjusted(look.length("space.small"), 0, -look.length("space.small"), 0)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(look.font("label", mono=True))
        painter.setPen(look.color("text.strong"))
        painter.drawText(inner, middle | Qt.AlignmentFlag.AlignLeft, one.text)
        left = painter.fontMetrics().horizontalAdvance(one.text) + look.length("space.large")
        painter.setFont(look.font("small"))
        painter.setPen(look.color("text.muted"))
        about = inner.adjusted(left, 0, 0, 0)
        said = painter.fontMetrics().elidedText(one.help, Qt.TextElideMode.ElideRight, about.width())
        painter.drawText(about, middle | Qt.AlignmentFlag.AlignLeft, said)


def _wanted(look: Look, one: Completion) -> int:
    """How wide a row likes to be."""
    word = QFontMetrics(look.font("label", mono=True)).horizontalAdvance(one.text)
    about = QFontMetrics(look.font("small")).horizontalAdvance(one.help)
    gaps = 2 * look.length("space.small") + (look.length("space.large") if one.help else 0)
    return word + about + gaps + look.length("space.normal")
