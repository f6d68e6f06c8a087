"""Editors of places inside the project: a folder or a file, typed or chosen."""

from pathlib import Path

from PySide6.QtCore import QDir
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QWidget

from studio.ui.dialogs import Wanted, file_dialog
from studio.ui.editors.editor import Editor


class PlaceEditor(Editor):
    """A path relative to the project, which it cannot leave."""

    def __init__(self, name: str, root: Path, parent: QWidget | None = None, *, is_folder: bool) -> None:
        super().__init__(parent)
        self._root, self._is_folder = root, is_folder
        self._kept = ""
        row = QWidget(self)
        line = self._line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        self.field = QLineEdit(row)
        choose = QPushButton(self.tr("Choose…"), row)
        choose.setAccessibleName(self.tr("Choose {name}").format(name=name))
        line.addWidget(self.field, 1)
        line.addWidget(choose)
        self._rows.addWidget(row)
        self.field.setAccessibleName(name)
        self.field.installEventFilter(self)
        self.setFocusProxy(self.field)
        self.field.textEdited.connect(self._read)
        choose.clicked.connect(self._choose)

    def add_button(self, button: QPushButton) -> None:
        """Put another button beside the field."""
        self._line.addWidget(button)

    def value(self) -> str:
        """The last path inside the project, with `/`, relative to it."""
        return self._kept

    def rejected(self) -> str | None:
        """The path, while it is outside the project."""
        return self.field.text() if self.field.text() != self._kept else None

    def show_rejected(self, text: str) -> None:
        """Show a path outside the project again."""
        self.field.setText(text)
        self._read(text)

    def show_value(self, value: object) -> None:
        """Show a path."""
        self._kept = "" if value is None else str(value)
        self.field.setText(self._kept)
        self.say("")

    def _read(self, text: str) -> None:
        leaves = Path(text).is_absolute() or ".." in Path(text).parts
        self.say(self.tr("This is outside the project.") if leaves else "")
        if not leaves:
            self._kept = text
            self._tell()

    def _choose(self) -> None:
        wanted = Wanted.FOLDER if self._is_folder else Wanted.ANY_FILE
        dialog = file_dialog(self, self.windowTitle(), self._root / self.field.text(), wanted)
        dialog.setFilter(QDir.Filter.AllEntries | QDir.Filter.NoDotAndDotDot)
        dialog.fileSelected.connect(self._take)
        dialog.open()

    def _take(self, chosen: str) -> None:
        path = Path(chosen).resolve()
        if not path.is_relative_to(self._root.resolve()):
            self.say(self.tr("Choose a location inside the project."))
            return
        self.visited.emit()
        self.say("")
        self._kept = path.relative_to(self._root.resolve()).as_posix()
        self.field.setText(self._kept)
        self._tell()
