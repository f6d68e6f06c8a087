"""The keyboard on the canvas: Escape cancels, Space waits for a drag, everything else is a command."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QKeyCombination, QObject, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence

from studio.app.key_map import KeyMap
from studio.ui.canvas.commands.command import CANVAS, Command
from studio.ui.canvas.commands.desk import Desk
from studio.ui.canvas.hand.mouse import Mouse
from studio.ui.canvas.scene.keyboard import Stand

_LED = {
    *(Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason),
}
_PORTABLE = QKeySequence.SequenceFormat.PortableText


class Keys(QObject):
    """Hears the keys of one canvas."""

    def __init__(self, desk: Desk, mouse: Mouse, commands: Sequence[Command], keys: KeyMap) -> None:
        super().__init__(desk.canvas)
        self._desk, self._mouse, self._all, self._chosen = desk, mouse, commands, keys
        self._commands: dict[str, Command] = {}
        self._read_keys()
        self.end = keys.on_change(self._read_keys)
        self.lead = False
        """Whether keys led to the canvas, and no hand touched it since: it shows that it has the keyboard."""
        desk.canvas.installEventFilter(self)

    def _read_keys(self) -> None:
        """Know what each key means: what the person chose, else what commands bring along."""
        self._commands = {
            QKeySequence(key).toString(_PORTABLE): command
            for command in self._all
            for key in self._chosen.keys_of(f"{CANVAS}{command.id}", command.default_keys)
        }

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take the keys that mean something here; Tab too, which would leave the widget."""
        if not isinstance(event, QKeyEvent):
            if event.type() == QEvent.Type.FocusOut:
                self._mouse.hold_space(is_held=False)
            elif isinstance(event, QFocusEvent):
                self.lead = self.lead or event.reason() in _LED
            elif event.type() == QEvent.Type.MouseButtonPress:
                self.lead = False
            return super().eventFilter(watched, event)
        if event.type() == QEvent.Type.KeyPress:
            return self._press(event)
        if event.type() == QEvent.Type.KeyRelease:
            return self._release(event)
        return super().eventFilter(watched, event)

    def _press(self, event: QKeyEvent) -> bool:
        key = event.key()
        if key == Qt.Key.Key_Escape and (self._mouse.cancel() or self._unselect()):
            return True
        if self._mouse.gesture is not None:
            return False
        if key == Qt.Key.Key_Space and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            if not event.isAutoRepeat():
                self._mouse.hold_space(is_held=True)
            return True
        return self.do(event)

    def do(self, event: QKeyEvent) -> bool:
        """Do what a key means as a command; tells whether it means one."""
        keys = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        pressed = QKeySequence(QKeyCombination(keys, Qt.Key(event.key()))).toString(_PORTABLE)
        command = self._commands.get(pressed)
        if command is None:
            return False
        if command.can(self._desk):
            command.act(self._desk)
        return True

    def _release(self, event: QKeyEvent) -> bool:
        """Space alone opens the palette; Space with a drag was panning."""
        if event.key() != Qt.Key.Key_Space or event.isAutoRepeat():
            return False
        if self._mouse.hold_space(is_held=False):
            self._desk.adding.search()
        return True

    def _unselect(self) -> bool:
        """Go from a wire to its port, from there to the node, and then select nothing."""
        board = self._desk.board
        stand = board.keyboard.at(board.scene)
        if stand is not None and stand.port is not None and board.keyboard.has_gone:
            board.keyboard.go_and_select(Stand(stand.node) if stand.wire is None else stand.off_wire)
            return True
        if self._desk.board.document.selection.now.is_empty:
            return False
        self._desk.board.select()
        return True
