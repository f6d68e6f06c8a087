"""Dialogs of Qt as this window shows them: questions with one button to press, files and folders as lists."""

from enum import Enum
from pathlib import Path

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFileDialog, QMessageBox, QPushButton, QWidget

from studio.ui.theme.apply import mark


class Wanted(Enum):
    """What a person is asked for."""

    FILE = "an existing file"
    FILES = "existing files"
    NEW_FILE = "a file to write"
    ANY_FILE = "a file, be it there or not"
    FOLDER = "a folder"


_MODES = {
    Wanted.FILE: QFileDialog.FileMode.ExistingFile,
    Wanted.FILES: QFileDialog.FileMode.ExistingFiles,
    Wanted.NEW_FILE: QFileDialog.FileMode.AnyFile,
    Wanted.ANY_FILE: QFileDialog.FileMode.AnyFile,
    Wanted.FOLDER: QFileDialog.FileMode.Directory,
}


def file_dialog(parent: QWidget, title: str, place: Path, wanted: Wanted) -> QFileDialog:
    """Ask for a file or a folder, beginning at `place`; a name there that is no folder is suggested.

    Where the desktop has no dialog of its own, Qt's shows a list: its columns are too narrow for names. It is
    not opened, and goes when it has been closed.
    """
    dialog = QFileDialog(parent, title, str(place))
    dialog.setFileMode(_MODES[wanted])
    dialog.setViewMode(QFileDialog.ViewMode.List)
    if wanted is Wanted.FOLDER:
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    if wanted is Wanted.NEW_FILE:
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.finished.connect(dialog.deleteLater)
    return dialog


class Question(QMessageBox):
    """A question, what is to be known for the answer, and buttons; the default one stands out."""

    def __init__(self, parent: QWidget, title: str, text: str, more: str) -> None:
        super().__init__(parent)
        self.setIcon(QMessageBox.Icon.NoIcon)  # Qt's own are of another age than the rest of the window
        self.setWindowTitle(title)
        self.setText(text)
        self.setInformativeText(more)

    def showEvent(self, event: QShowEvent) -> None:
        """The button that Enter presses looks like it."""
        default = next((one for one in self.findChildren(QPushButton) if one.isDefault()), None)
        if default is not None:
            mark(default, primary=True)
        super().showEvent(event)
