"""The fields in which a command gets another key."""

from PySide6.QtCore import QEvent, QKeyCombination, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QWidget

from studio.app.commands import Commands
from studio.ui.buttons import push_button
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.slots import of_text

_PORTABLE = QKeySequence.SequenceFormat.PortableText
_LEAVING = {Qt.Key.Key_Tab, Qt.Key.Key_Backtab}
_HELD = {Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_AltGr, Qt.Key.Key_Meta}


class KeyField(QLineEdit):
    """Tells the next key that is pressed; Escape and Tab leave it, since people need these to get away."""

    pressed = Signal(str)
    """A key, in Qt's portable notation."""
    left = Signal()

    def event(self, event: QEvent) -> bool:
        """Take keys that would do something elsewhere in the window."""
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Tell the key, unless it leads away or is only held for another."""
        key, held = Qt.Key(event.key()), event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if key == Qt.Key.Key_Escape and held == Qt.KeyboardModifier.NoModifier:
            self.left.emit()
        elif key in _LEAVING:
            event.ignore()
        elif key not in _HELD:
            self.pressed.emit(QKeySequence(QKeyCombination(held, key)).toString(_PORTABLE))


class KeyChoice(QWidget):
    """Changes the first key of one command; a key that another command has is taken only when told so."""

    left = Signal()
    """The keyboard is to go back to the list."""

    def __init__(self, look: Look, commands: Commands, parent: QWidget) -> None:
        super().__init__(parent)
        self._commands = commands
        self.command = ""
        self._wanted = ""
        self._title = QLabel(self)
        self.edit = KeyField(self)
        self.edit.setPlaceholderText(self.tr("Press a key"))
        self.edit.setReadOnly(True)
        self.edit.pressed.connect(of_text(self._take))
        self.edit.left.connect(self.left)
        self.none = push_button(self.tr("No key"), self, lambda: self._commands.choose_keys(self.command, ()))
        self.own = push_button(
            self.tr("Default key"), self, lambda: self._commands.restore_keys(self.command)
        )
        self.all = push_button(self.tr("Reset all keys"), self, self._restore_all)
        self.said = text_label("", self, wraps=True)
        self.take = push_button(self.tr("Use it here"), self, self._choose)
        small = look.length("space.small")
        fields, telling = QHBoxLayout(), QHBoxLayout()
        for row in (fields, telling):
            row.setSpacing(small)
        fields.addWidget(self._title, 1)
        for widget in (self.edit, self.none, self.own, self.all):
            fields.addWidget(widget)
        telling.addWidget(self.said, 1)
        telling.addWidget(self.take)
        rows = column_layout(self, (0, small, 0, 0))
        rows.addLayout(fields)
        rows.addLayout(telling)
        self.show_command("")

    def show_command(self, command: str) -> None:
        """Offer to change the keys of a command; with an empty id, of none."""
        self.command, self._wanted = command, ""
        offer = next((one for one in self._commands if one.id == command), None)
        self._title.setText(
            offer.title if offer is not None else self.tr("Select a command to change its key.")
        )
        self.edit.setAccessibleName(self.tr("Key of “{title}”").format(title=self._title.text()))
        self.edit.setText(native(offer.shortcut) if offer is not None else "")
        self.edit.setEnabled(offer is not None)
        self.none.setEnabled(offer is not None and bool(offer.keys))
        self.own.setEnabled(self._commands.keys.is_chosen(command))
        self.all.setEnabled(any(self._commands.keys.is_chosen(one.id) for one in self._commands))
        self._say("")

    def _take(self, key: str) -> None:
        """Give the command the key, or say whose key it is."""
        self._wanted = key
        other = self._commands.with_key(key)
        if other is not None and other.id != self.command:
            words = self.tr("{key} is already the key of “{title}”, which would lose it.")
            self._say(words.format(key=native(key), title=other.title))
            return
        self._choose()

    def _choose(self) -> None:
        """Put the wanted key in the place of the first one; further ones stay."""
        further = self._commands[self.command].keys[1:]
        self._commands.choose_keys(self.command, (self._wanted, *further))

    def _restore_all(self) -> None:
        self._commands.restore_keys()

    def _say(self, words: str) -> None:
        self.said.setText(words)
        for widget in (self.said, self.take):
            widget.setVisible(bool(words))


def native(key: str) -> str:
    """A key as this system writes it."""
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
