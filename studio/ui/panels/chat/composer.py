"""Where a message is written: text, what is sent along, and the button that sends it or stops the run."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMimeData, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent
from PySide6.QtWidgets import QLabel, QPushButton, QToolButton, QWidget

from studio.ui.dialogs import Wanted, file_dialog
from studio.ui.editors.prose import GrowingText
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout, row_layout
from studio.ui.look import Look
from studio.ui.panels.widgets.icon_button import icon_button
from studio.ui.removal import empty
from studio.ui.theme.apply import mark

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class MessageText(GrowingText):
    """A message being written: Enter sends it, Shift+Enter begins a line; files are passed on."""

    sent = Signal()
    left = Signal()
    """Escape."""
    back_asked = Signal()
    """Up, where nothing is written: the message before is to be edited."""
    files_dropped = Signal(object)
    picture_pasted = Signal(bytes)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Send, leave, or write."""
        is_bare = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if event.key() in _ENTER and is_bare:
            self.sent.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif event.key() == Qt.Key.Key_Up and not self.toPlainText():
            self.back_asked.emit()
        else:
            super().keyPressEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Whether it takes what is pasted or dropped."""
        return is_attachable(source) or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Write pasted text; pass on files and pictures."""
        if not self.pass_on(source):
            super().insertFromMimeData(source)

    def pass_on(self, source: QMimeData) -> bool:
        """Tell of files or a picture in what is pasted or dropped; gives whether there were any."""
        files = local_files(source)
        if files:
            self.files_dropped.emit(files)
        elif source.hasImage() and not source.hasText():
            self.picture_pasted.emit(_png(source.imageData()))
        else:
            return False
        return True


class Composer(QWidget):
    """The foot of a chat."""

    sent = Signal()
    stop_asked = Signal()
    back_asked = Signal()
    files_added = Signal(object)
    """A list of `Path`."""
    picture_pasted = Signal(bytes)
    file_removed = Signal(str)

    def __init__(self, look: Look, root: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look, self._root = look, root
        self._is_running = False
        self._why_not = ""
        small, tight = look.length("space.small"), look.length("space.tight")
        rows = column_layout(self, 0, tight)
        self._chips = QWidget(self)
        self._chip_rows = column_layout(self._chips, 0, tight)
        self._chips.hide()
        self.removers: list[QToolButton] = []
        rows.addWidget(self._chips)
        self.text = MessageText(look, self, least=1, most=10)
        self.text.setAccessibleName(self.tr("Message"))
        self.text.setPlaceholderText(self.tr("Write a message"))
        self.text.setToolTip(self.tr("Enter sends it, Shift+Enter begins a new line"))
        rows.addWidget(self.text)
        foot = row_layout(spacing=small)
        self.attach = icon_button(look, "attach", self.tr("Attach"), self)
        foot.addWidget(self.attach)
        self.hint = text_label("", self, "label", "muted", wraps=True, is_plain=True)
        foot.addWidget(self.hint, 1)
        self.send = QPushButton(self)
        foot.addWidget(self.send)
        rows.addLayout(foot)
        self.text.sent.connect(self._send)
        self.text.back_asked.connect(self.back_asked)
        self.text.files_dropped.connect(self.files_added)
        self.text.picture_pasted.connect(self.picture_pasted)
        self.text.textChanged.connect(self._follow)
        self.attach.clicked.connect(self._choose)
        self.send.clicked.connect(self._press)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFocusProxy(self.text)
        look.changed.connect(self._follow)
        self._follow()

    @property
    def message(self) -> str:
        """What is written."""
        return self.text.toPlainText().strip()

    def clear(self) -> None:
        """Begin an empty message."""
        self.text.clear()

    def show_running(self, *, is_running: bool, is_stopping: bool = False) -> None:
        """Offer to stop the run while one goes on; a second time ends one that does not stop."""
        self._is_running = is_running
        words = self.tr("Stop") if not is_stopping else self.tr("Stop at once")
        self.send.setText(words if is_running else self.tr("Send"))
        self._follow()

    def show_why_not(self, reason: str) -> None:
        """Say why nothing can be sent; empty where it can."""
        self._why_not = reason
        self.hint.setText(reason)
        mark(self.hint, tone="held" if reason else "muted")
        self._follow()

    def show_attachable(self, words: str, *, is_possible: bool) -> None:
        """Say what can be sent along."""
        self.attach.setEnabled(is_possible)
        self.attach.setToolTip(words)
        self.attach.setAccessibleName(words)

    def show_files(self, paths: Sequence[str]) -> None:
        """List what is sent along, each with a button that leaves it out."""
        empty(self._chip_rows)
        self.removers = []
        for path in paths:
            self._chip_rows.addWidget(self._chip(path))
        self._chips.setVisible(bool(paths))

    def _chip(self, path: str) -> QWidget:
        chip = QWidget(self._chips)
        row = row_layout(chip, 0, self._look.length("space.small"))
        side = self._look.length("size.icon")
        picture = QLabel(chip)
        picture.setPixmap(self._look.icon("file", "text.muted").pixmap(side, side))
        name = QLabel(Path(path).name, chip)
        name.setToolTip(path)
        name.setTextFormat(Qt.TextFormat.PlainText)
        words = self.tr("Leave {file} out").format(file=Path(path).name)
        remove = icon_button(self._look, "close", words, chip, lambda: self.file_removed.emit(path))
        self.removers.append(remove)
        row.addWidget(picture)
        row.addWidget(name)
        row.addWidget(remove)
        row.addStretch(1)
        return chip

    def _press(self) -> None:
        if self._is_running:
            self.stop_asked.emit()
        else:
            self._send()

    def _send(self) -> None:
        if self.message and not self._is_running and not self._why_not:
            self.sent.emit()

    def _follow(self) -> None:
        """Let the button be what can be done now."""
        if not self._is_running:
            self.send.setText(self.tr("Send"))
        self.send.setEnabled(self._is_running or (bool(self.message) and not self._why_not))
        mark(self.send, primary=not self._is_running)

    def _choose(self) -> None:
        dialog = file_dialog(self, self.tr("Attach"), self._root, Wanted.FILES)
        dialog.filesSelected.connect(self._take)
        dialog.open()

    def _take(self, chosen: Sequence[str]) -> None:
        self.files_added.emit([Path(one) for one in chosen])


def local_files(source: QMimeData) -> list[Path]:
    """The files of this machine in what is pasted or dropped."""
    return [Path(one.toLocalFile()) for one in source.urls() if one.isLocalFile()]


def is_attachable(source: QMimeData) -> bool:
    """Whether something is pasted or dropped that may be sent along."""
    return bool(local_files(source)) or (source.hasImage() and not source.hasText())


def _png(picture: object) -> bytes:
    """A picture of the clipboard as a file would have it; nothing where it is none."""
    if not isinstance(picture, QImage):
        return b""
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    picture.save(buffer, "PNG")  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType, reportCallIssue]
    return bytes(data.data())
