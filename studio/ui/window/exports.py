"""Saving a flow as a script or a package: asks where, writes on its own thread, and tells how it went."""

import shlex
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from studio.app.session import Session
from studio.errors import PlaceError
from studio.ui.dialogs import Wanted, file_dialog
from studio.ui.panels.notice import NoticeBar, Remedy
from studio.ui.slots import of_text
from studio.ui.window.aside import Aside
from studio.ui.window.roles import HasDocuments, HasFront, Notifies

EXPORT_MATTER = "export"
"""The key of notices about a script that is saved."""


class Window(HasFront, HasDocuments, Notifies, Protocol):
    """What this asks of the window."""


class Exports(QObject):
    """Saves the flow in front as it is when the place for it is chosen."""

    def __init__(self, window: Window, parent: QWidget) -> None:
        super().__init__(parent)
        self._window, self._parent = window, parent
        self._aside = Aside(self)

    def save_script(self) -> None:
        """Ask where the script of the flow in front shall be, and save it there."""
        session = self._window.session
        if session is None:
            return
        place = session.path.with_suffix(".py")
        dialog = file_dialog(self._parent, self.tr("Save script"), place, Wanted.NEW_FILE)
        dialog.setDefaultSuffix("py")
        dialog.fileSelected.connect(of_text(lambda path: self._write_script(session, Path(path))))
        dialog.open()

    def save_package(self) -> None:
        """Ask where the flow in front shall become a package, in a folder of its name, and save it there."""
        session = self._window.session
        if session is None:
            return
        title = self.tr("Export as Python package: choose its folder")
        dialog = file_dialog(self._parent, title, session.project.root, Wanted.FOLDER)
        from studio.app.package_files import folder_of

        name = folder_of(session.flow)
        dialog.fileSelected.connect(of_text(lambda path: self._write_package(session, Path(path, name))))
        dialog.open()

    def _write_script(self, session: Session, path: Path) -> None:
        from studio.app.exporting import export_flow  # with all that writes Python
        from studio.app.script_files import libraries_of, save_script

        flow, known, project, name = session.flow, session.registry, session.project, session.path.name
        self._begin(
            path,
            lambda: save_script(
                path,
                export_flow(flow, registry=known, name=name, project=project),
                libraries=libraries_of(project),
            ),
            self.save_script,
        )

    def _write_package(self, session: Session, folder: Path) -> None:
        from studio.app.exporting import export_package
        from studio.app.package_files import package_name, save_package

        flow, known, project, name = session.flow, session.registry, session.project, session.path.name

        def write() -> None:
            wanted = package_name(folder)
            save_package(folder, export_package(flow, wanted, registry=known, name=name, project=project))

        self._begin(folder, write, self.save_package)

    def _begin(self, path: Path, write: Callable[[], object], ask: Callable[[], None]) -> None:
        """Write on a thread; where the place will not do, `ask` for another."""
        said = self.tr("Writing `{path}`…").format(path=path)
        notices = self._window.notices
        notices.say(said, tone="skipped", key=EXPORT_MATTER, lasts=True)

        def work() -> Path:
            write()
            return path

        self._aside.begin(work, partial(self._tell, notices, ask))

    def _how_to_run(self, saved: Path) -> Remedy:
        place = shlex.quote(str(saved))
        command = (
            f"uv run --project {place} {shlex.quote(saved.name)}" if saved.is_dir() else f"uv run {place}"
        )
        return Remedy(
            self.tr("Copy the command that runs it"), lambda: QGuiApplication.clipboard().setText(command)
        )

    def _tell(self, notices: NoticeBar, ask: Callable[[], None], found: Path | Exception) -> None:
        if not isValid(notices):  # its flow was closed meanwhile
            return
        if isinstance(found, Path):
            said = self.tr("Saved to `{path}`.").format(path=found)
            notices.say(said, self._how_to_run(found), tone="done", key=EXPORT_MATTER)
            return
        remedy = Remedy(self.tr("Show the script"), self._window.documents.show_script)
        if isinstance(found, PlaceError):
            remedy = Remedy(self.tr("Choose another place…"), ask)
        notices.say(str(found), remedy, key=EXPORT_MATTER)
