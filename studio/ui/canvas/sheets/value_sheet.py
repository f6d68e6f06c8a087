"""Typing a value at an unwired port, on the canvas: a small editor that fits the port's type."""

from typing import cast

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QWidget

from studio.flow.edits import REMOVE
from studio.flow.plain_text import quoted
from studio.flow.records import Json
from studio.ui.buttons import push_button
from studio.ui.canvas.scene.geometry import Spot
from studio.ui.canvas.sheets.sheet import Sheet
from studio.ui.editors.make import literal_editor
from studio.ui.editors.prose import GrowingText
from studio.ui.labels import text_label
from studio.ui.look import Look

LEAST_WIDTH = 260
_KEEPS = {Qt.Key.Key_Return, Qt.Key.Key_Enter}
_GOES_ON = {Qt.Key.Key_Tab: 1, Qt.Key.Key_Backtab: -1}


class ValueSheet(Sheet):
    """Enter keeps what was typed, Escape does not; Tab keeps it and goes on to the next port."""

    typed = Signal(object)
    """The value to keep, `REMOVE` for none; told once, and only if something is to change."""
    went_on = Signal(int)
    """The next port (1) or the one before (-1) is wanted."""

    def __init__(
        self, look: Look, spot: Spot, label: str, before: Json, place: QRectF, canvas: QWidget, *, had: bool
    ) -> None:
        super().__init__(look, place, canvas)
        editor = literal_editor(spot.type, label, look, self)
        assert editor is not None  # noqa: S101 - asked only for types that can be typed
        self.editor = editor
        self._had, self._is_flag, self._is_touched = had, spot.type.base == "flag", False
        self.setAccessibleName(self.tr("Value of {0}").format(label))
        caption = text_label(f"{label} · {spot.type}", self, "label", "muted")
        caption.setToolTip(quoted(spot.help))
        self.rows.addWidget(caption)
        for field in self.findChildren(GrowingText):
            field.lines(1, 9)
        self.rows.addWidget(editor)
        self.rows.addLayout(self._foot())
        if had:
            editor.set_value(before)
        editor.edited.connect(self._touch)
        for widget in (editor, *editor.findChildren(QWidget)):
            widget.installEventFilter(self)
        self.setMinimumWidth(max(LEAST_WIDTH, round(place.width())))

    def focus_first(self) -> None:
        """Put the cursor into the editor, behind what stands there."""
        self.editor.setFocus(Qt.FocusReason.TabFocusReason)
        for field in self.findChildren(GrowingText):
            field.moveCursor(QTextCursor.MoveOperation.End)

    def keep(self) -> bool:
        """Tell what was typed, and close; False, with the reason in the sheet, where it does not fit."""
        if self.editor.message:
            self.focus_first()
            return False
        self._tell()
        self.dismiss()
        return True

    def leave(self) -> None:
        """What was typed is kept, if it fits; what does not fit is dropped."""
        if self._is_touched and not self.editor.message:
            self._tell()
        super().leave()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take the keys that end typing; Shift+Enter is a line break in the text."""
        if isinstance(event, QKeyEvent) and self._ends(watched, event):
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self._end(event)
                return True
        return super().eventFilter(watched, event)

    def _ends(self, watched: QObject, event: QKeyEvent) -> bool:
        if event.key() in _GOES_ON:
            return True
        if event.key() not in _KEEPS:
            return False
        is_break = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        return not (is_break and isinstance(watched, QPlainTextEdit))

    def _end(self, event: QKeyEvent) -> None:
        if event.key() in _GOES_ON:
            if self.keep():
                self.went_on.emit(_GOES_ON[Qt.Key(event.key())])
        else:
            self._is_touched = self._is_touched or self._is_flag
            self.keep()

    def _foot(self) -> QHBoxLayout:
        foot = QHBoxLayout()
        hint = text_label(self.tr("Enter saves, Esc cancels"), self, "small", "muted")
        foot.addWidget(hint, 1)
        if self._had:
            none = push_button(self.tr("No value"), self, self._take_away, tip=self.tr("Remove the value"))
            none.installEventFilter(self)
            foot.addWidget(none)
            self.none_button = none
        return foot

    def _touch(self) -> None:
        self._is_touched = True

    def _tell(self) -> None:
        if not self._is_touched:
            return
        self._is_touched = False
        value = self.editor.value()
        is_empty = value is None or value in ("", [])
        if not is_empty:
            self.typed.emit(cast("Json", value))
        elif self._had:
            self.typed.emit(REMOVE)

    def _take_away(self) -> None:
        self._is_touched = False
        self.typed.emit(REMOVE)
        self.dismiss()
