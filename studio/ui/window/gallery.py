"""The gallery in the window: shown from the welcome page and the menus; copies of its systems are opened."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QStackedWidget, QWidget

from studio.app.copies import copy_project
from studio.app.gallery import Exhibit
from studio.app.systems import Entry, all_entries
from studio.errors import StepwireError
from studio.ui.panels.gallery.page import GalleryPage
from studio.ui.slots import of_text
from studio.ui.window.documents import FILE_MATTER
from studio.ui.window.roles import HasApp, HasDocuments, HasFront, HasLook, Notifies
from studio.ui.window.welcome import WelcomePage


class Window(HasApp, HasFront, HasDocuments, HasLook, Notifies, Protocol):
    """What this asks of the window."""

    @property
    def pages(self) -> QStackedWidget:
        """What stands in the middle: the welcome page, the flows, the gallery."""
        ...

    @property
    def welcome(self) -> WelcomePage:
        """The welcome page."""
        ...

    @property
    def tabs(self) -> QWidget:
        """The open flows."""
        ...


class Gallery(QObject):
    """Joins the page of the gallery to the window."""

    def __init__(self, window: Window, parent: QWidget) -> None:
        super().__init__(parent)
        self._window, self._parent = window, parent
        self.page = GalleryPage(window.look, window.app.registry, self._entries, parent)
        window.pages.addWidget(self.page)
        window.welcome.gallery_asked.connect(of_text(self.show))
        self.page.left.connect(self._leave)
        self.page.copy_asked.connect(self._ask_where)
        self.page.reading_asked.connect(self._read)

    def show(self, mechanism: str = "") -> None:
        """Show the systems that have a mechanism; with none, all that can be opened."""
        has_flow = self._window.front is not None
        self.page.back.setText(self.tr("Back to the flow") if has_flow else self.tr("Welcome page"))
        self._window.pages.setCurrentWidget(self.page)
        self.page.show_mechanism(mechanism)

    def open_copy(self, exhibit: Exhibit, into: Path) -> None:
        """Copy a system into a folder, and open the copy; what is wrong becomes a notice."""
        try:
            project = copy_project(exhibit.folder, into)
        except StepwireError as error:
            self._window.notices.say(str(error), key=FILE_MATTER)
        else:
            self._window.documents.open(project.root)

    def _entries(self) -> Sequence[Entry]:
        try:
            return all_entries()
        except StepwireError as error:
            self._window.notices.say(str(error), key=FILE_MATTER)
            return ()

    def _ask_where(self, exhibit: Exhibit) -> None:
        said = self.tr("Folder for a copy of “{title}”").format(title=exhibit.record.title)
        dialog = QFileDialog(self._parent, said, str(self._folder()))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setLabelText(QFileDialog.DialogLabel.Accept, self.tr("Copy here"))
        dialog.fileSelected.connect(of_text(lambda path: self.open_copy(exhibit, Path(path))))
        dialog.open()

    def _folder(self) -> Path:
        session = self._window.session
        return session.project.root.parent if session is not None else Path.home()

    def _read(self, exhibit: Exhibit) -> None:
        self._window.documents.preview_file(exhibit.folder / "README.md")

    def _leave(self) -> None:
        before = self._window.tabs if self._window.front is not None else self._window.welcome
        self._window.pages.setCurrentWidget(before)
        before.setFocus()
