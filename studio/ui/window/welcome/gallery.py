"""The gallery in the window: shown from the welcome page and the menus; copies of its systems are opened."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QStackedWidget, QWidget

from studio.app.gallery.records import Exhibit
from studio.app.gallery.systems import Entry, all_entries
from studio.app.projects.copies import copy_project, move_project
from studio.errors import StepwireError
from studio.ui.dialogs import Wanted, file_dialog
from studio.ui.panels.gallery.page import GalleryPage
from studio.ui.panels.widgets.notice import Remedy
from studio.ui.slots import of_text
from studio.ui.window.project.documents import FILE_MATTER
from studio.ui.window.roles import HasApp, HasDocuments, HasFlows, HasLook, Notifies
from studio.ui.window.welcome.welcome import WelcomePage
from studio.workspace.project import Project


class Window(HasApp, HasFlows, HasDocuments, HasLook, Notifies, Protocol):
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
        self.page.copy_asked.connect(self.open_copy)
        self.page.reading_asked.connect(self._read)

    def show(self, mechanism: str = "") -> None:
        """Show the systems that have a mechanism; with none, all that can be opened."""
        has_flow = self._window.front is not None
        self.page.back.setText(self.tr("Back to the flow") if has_flow else self.tr("Welcome page"))
        self._window.pages.setCurrentWidget(self.page)
        self.page.show_mechanism(mechanism)

    def open_copy(self, exhibit: Exhibit) -> None:
        """Copy a system into the person's own folder, open the copy, and say where it is."""
        try:
            project = copy_project(exhibit.folder, self._window.app.settings.own_folder)
            self._window.app.trust.note_made_here(project.root)
        except StepwireError as error:
            elsewhere = Remedy(self.tr("Choose a folder…"), lambda: self._ask_where(exhibit))
            self._window.notices.say(str(error), elsewhere, key=FILE_MATTER)
        else:
            self._window.documents.open(project.root / (exhibit.record.flow or ""))
            self._say_where(self.tr("This is your own copy, in {path}."), project.root)

    def move(self, root: Path, into: Path) -> None:
        """Move a project that is open to another folder, which is that of further copies, too."""
        app = self._window.app
        sessions = [one for one in app.sessions if one.project.root == root]
        if any(one.is_modified or app.debugger(one).runs for one in sessions):
            said = self.tr("Save the changes and stop the run before the folder is moved.")
            self._window.notices.say(said, tone="held", key=FILE_MATTER)
            return
        names = [one.path.relative_to(root) for one in sessions]
        for one in sessions:
            self._window.drop(one)
        trouble = ""
        was_made_here = app.trust.is_made_here(Project.open(root))
        try:
            root = move_project(root, into).root
            if was_made_here:
                app.trust.note_made_here(root)
        except StepwireError as error:
            trouble = str(error)
        for name in names:
            self._window.documents.open(root / name)
        if trouble:
            self._window.notices.say(trouble, key=FILE_MATTER)
        else:
            app.settings.own_folder = into
            self._say_where(self.tr("The project is in {path} now. Further copies go there, too."), root)

    def _say_where(self, words: str, root: Path) -> None:
        remedies = [
            Remedy(self.tr("Show the folder"), lambda: _show_folder(root)),
            Remedy(self.tr("Move it…"), lambda: self._ask_move(root)),
        ]
        self._window.notices.say(words.format(path=_short(root)), remedies, tone="done", key=FILE_MATTER)

    def _entries(self) -> Sequence[Entry]:
        try:
            return all_entries()
        except StepwireError as error:
            self._window.notices.say(str(error), key=FILE_MATTER)
            return ()

    def _ask_where(self, exhibit: Exhibit) -> None:
        """Ask for another folder for copies, and open one there."""

        def copy(path: str) -> None:
            self._window.app.settings.own_folder = Path(path)
            self.open_copy(exhibit)

        said = self.tr("Folder for the copy of “{title}”").format(title=exhibit.record.title)
        self._ask_folder(said, self.tr("Copy here"), Path.home(), copy)

    def _ask_move(self, root: Path) -> None:
        said = self.tr("Move “{name}” to").format(name=root.name)
        self._ask_folder(said, self.tr("Move here"), root.parent, lambda path: self.move(root, Path(path)))

    def _ask_folder(self, title: str, accept: str, folder: Path, act: Callable[[str], None]) -> None:
        dialog = file_dialog(self._parent, title, folder, Wanted.FOLDER)
        dialog.setLabelText(QFileDialog.DialogLabel.Accept, accept)
        dialog.fileSelected.connect(of_text(act))
        dialog.open()

    def _read(self, exhibit: Exhibit) -> None:
        self._window.documents.preview_file(exhibit.folder / "README.md")

    def _leave(self) -> None:
        before = self._window.tabs if self._window.front is not None else self._window.welcome
        self._window.pages.setCurrentWidget(before)
        before.setFocus()


def _short(path: Path) -> str:
    """A path as people write it."""
    home = Path.home()
    return f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else str(path)


def _show_folder(folder: Path) -> None:
    """Show it in the file manager."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))
