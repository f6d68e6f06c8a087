"""Saving the canvas as a picture: asks for a file, and in which theme it shall be drawn."""

from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from studio.app.write_guard import refuse_loss
from studio.errors import StepwireError
from studio.ui.dialogs import Wanted, file_dialog
from studio.ui.slots import of_text
from studio.ui.theme.tokens import load_theme
from studio.ui.window.roles import HasFront, HasLook, Notifies

PICTURE_MATTER = "picture"
"""The key of notices about a picture that is saved."""


class Window(HasFront, HasLook, Notifies, Protocol):
    """What this asks of the window."""


class Pictures(QObject):
    """Draws the flow in front, with the run that is shown on it."""

    def __init__(self, window: Window, parent: QWidget) -> None:
        super().__init__(parent)
        self._window, self._parent = window, parent

    def kinds(self) -> dict[str, tuple[str, str]]:
        """What can be chosen: the dialog's filter, and the ending and theme that it stands for."""
        return {
            self.tr("SVG, dark (*.svg)"): (".svg", "dark"),
            self.tr("SVG, light (*.svg)"): (".svg", "light"),
            self.tr("PNG, dark (*.png)"): (".png", "dark"),
            self.tr("PNG, light (*.png)"): (".png", "light"),
        }

    def ask(self) -> None:
        """Ask where the picture shall be, and draw it there."""
        session = self._window.session
        if session is None:
            return
        place = session.path.with_suffix(".svg")
        dialog = file_dialog(self._parent, self.tr("Save picture"), place, Wanted.NEW_FILE)
        kinds = self.kinds()
        dialog.setNameFilters(list(kinds))
        theme = self._window.look.theme.name
        dialog.selectNameFilter(next((text for text, kind in kinds.items() if kind == (".svg", theme)), ""))
        dialog.setDefaultSuffix("svg")

        def settle(text: str) -> None:
            dialog.setDefaultSuffix(kinds.get(text, (".svg", ""))[0][1:])

        dialog.filterSelected.connect(of_text(settle))
        dialog.fileSelected.connect(
            of_text(lambda path: self.save(Path(path), *kinds[dialog.selectedNameFilter()]))
        )
        dialog.open()

    def save(self, file: Path, ending: str, theme: str) -> None:
        """Draw the flow in front in a theme; a file without an ending of a picture gets `ending`."""
        front = self._window.front
        if front is None:
            return
        if file.suffix.casefold() not in {".svg", ".png"}:
            file = file.with_name(file.name + ending)
        from studio.ui.canvas.drawing.picture import write_picture

        board, notices = front.work.canvas.board, self._window.notices
        try:
            refuse_loss(file, "picture")
            write_picture(board.document, load_theme(theme), file, board.cards.shown.states)
        except (OSError, StepwireError) as error:
            notices.say(str(error), key=PICTURE_MATTER)
            return
        notices.say(self.tr("Saved to `{path}`.").format(path=file), tone="done", key=PICTURE_MATTER)
