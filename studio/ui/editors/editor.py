"""What every editor of a value is to the form it stands in."""

from PySide6.QtCore import QEvent, QObject, Qt, Signal, SignalInstance
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLabel, QWidget

from studio.flow.plain_text import quoted
from studio.ui.layouts import column_layout

UNDO_KEYS = (QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo)


class Editor(QWidget):
    """Edits one plain JSON value. Subclasses put their widget in with `hold`, and tell with `_tell`."""

    edited = Signal(object)
    """A person changed the value; it fits, or it would not be told."""
    visited = Signal()
    """The keyboard came in: what is edited from now on is one undo step."""
    complained = Signal()
    """What `say` shows is another sentence, or none any more."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = column_layout(self, 0)
        self._message: QLabel | None = None
        self._told = ""
        self._is_setting = False

    def value(self) -> object:
        """The value as it stands in the editor."""
        raise NotImplementedError

    def set_value(self, value: object) -> None:
        """Show `value` without telling anyone; what is the same already keeps its cursor."""
        if self.value() == value:
            return
        self._is_setting = True
        try:
            self.show_value(value)
        finally:
            self._is_setting = False

    def show_value(self, value: object) -> None:
        """Put `value` into the widget; `set_value` keeps it from being told."""
        raise NotImplementedError

    def rejected(self) -> str | None:
        """The text that stands here and was not told because it does not fit; None where there is none."""
        return None

    def show_rejected(self, text: str) -> None:
        """Show such a text again, with what is wrong with it; only editors that reject have any."""

    def hold(self, widget: QWidget, name: str) -> None:
        """Take `widget` in as the one that has the keyboard; `name` is read to those who do not see it."""
        self._rows.addWidget(widget)
        widget.setAccessibleName(name)
        self.setFocusProxy(widget)
        widget.installEventFilter(self)

    def say(self, message: str) -> None:
        """Show in one sentence why the value does not fit; empty when it does."""
        if message != self.message:
            self._told = message
            self._show_message(message)
            self.complained.emit()

    def _show_message(self, message: str) -> None:
        if self._message is None:
            self._message = QLabel(self)
            self._message.setObjectName("problem")
            self._message.setProperty("type", "small")
            self._message.setProperty("tone", "failed")
            self._message.setWordWrap(True)
            self._rows.addWidget(self._message)
        self._message.setText(quoted(message))
        self._message.setVisible(bool(message))

    @property
    def message(self) -> str:
        """What `say` was last given."""
        return self._told

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Tell of visits, and leave undo to the flow's own history."""
        return leaves_undo(event, self.visited)

    def _tell(self) -> None:
        if not self._is_setting:
            self.edited.emit(self.value())


def lead_to(added: QWidget, following: QWidget) -> None:
    """Let Tab reach what was added last, and all within it, right before what follows it on the page."""
    inside: list[QWidget] = []
    one: QWidget | None = added
    while one is not None and (one is added or added.isAncestorOf(one)):
        inside.append(one)
        one = one.nextInFocusChain()
    before = following.previousInFocusChain()
    while before is not None and not _is_reached(before):  # its keyboard goes to what may stand further on
        before = before.previousInFocusChain()
    for widget in filter(_is_reached, inside):
        if before is not None:
            QWidget.setTabOrder(before, widget)
        before = widget


def _is_reached(widget: QWidget) -> bool:
    """Whether Tab stops at a widget itself."""
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.focusProxy() is None


def leaves_undo(event: QEvent, visited: SignalInstance) -> bool:
    """Tell `visited` when the keyboard comes in, and keep undo from the field; whether the event ends here.

    Qt's text fields ask to keep undo and redo for themselves; in a form they are the flow's.
    """
    if event.type() == QEvent.Type.FocusIn:
        visited.emit()
    if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
        return False
    if not any(event.matches(key) for key in UNDO_KEYS):
        return False
    event.ignore()
    return True


def mouse_focus(widget: QWidget) -> None:
    """Let the wheel scroll the form instead of changing the value under the pointer."""
    widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    widget.installEventFilter(_WheelPasser(widget))


class _WheelPasser(QWidget):
    def __init__(self, watched: QWidget) -> None:
        super().__init__(watched)
        self._watched = watched
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Wheel and not self._watched.hasFocus():
            event.ignore()
            return True
        return False
