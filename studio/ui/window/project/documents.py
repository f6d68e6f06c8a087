"""Opening, saving and closing flows, with the questions that these ask."""

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMessageBox, QWidget

from studio.app.documents.session import ChangedOnDiskError, Session
from studio.app.projects.copies import make_project
from studio.app.projects.images import ProjectImages
from studio.errors import StepwireError
from studio.flow.plain_text import quoted
from studio.store.bundle import SUFFIX, is_bundle
from studio.ui.dialogs import Question, Wanted, file_dialog
from studio.ui.panels.widgets.notice import Remedy
from studio.ui.panels.widgets.picture import Picture, picture_of
from studio.ui.slots import of_text
from studio.ui.window.roles import HasApp, HasFlows, HasLook, Notifies
from studio.ui.window.tabs.flow_tabs import FlowTabs
from studio.ui.window.tabs.tab_side import Document
from studio.workspace.project import FILE

FILE_MATTER = "file"
LARGEST_SHOWN = 400_000
"""Characters of a project file that are shown."""


class CreatesFlows(Protocol):
    """Makes flows."""

    def create(self, path: Path) -> None:
        """Make an empty flow and open it. Raises `StepwireError`."""
        ...


class OpensBundles(Protocol):
    """Opens the runs that others saved."""

    def open(self, path: Path) -> None:
        """Open a bundle to be read, and show its run."""
        ...


class Window(HasApp, HasFlows, HasLook, Notifies, Protocol):
    """What this asks of the window."""

    @property
    def flow_files(self) -> CreatesFlows:
        """Makes flows."""
        ...

    @property
    def run_bundles(self) -> OpensBundles:
        """Opens the runs of others."""
        ...

    @property
    def tabs(self) -> FlowTabs:
        """The open documents."""
        ...


class Documents(QObject):
    """Acts for the window on the flow in front; every dialog is opened, none is waited for."""

    def __init__(self, window: Window, parent: QWidget) -> None:
        super().__init__(parent)
        self._window, self._parent = window, parent

    def new(self) -> None:
        """Open an empty flow at once: in the project in front, else in a new project of the person's own."""
        session = self._window.session
        if session is None:
            self._new_project(self.tr("New project"))
        else:
            self._try(lambda: self._window.flow_files.create(_next_free(session.project.root)))

    def new_project(self) -> None:
        """Ask how a project shall be called, make it in the person's own folder, and open its empty flow."""
        dialog = QInputDialog(self._parent)
        dialog.setWindowTitle(self.tr("New project"))
        folder = self._window.app.settings.own_folder
        dialog.setLabelText(self.tr("Name of the project; its folder is made in {path}.").format(path=folder))
        dialog.setTextValue(self.tr("New project"))
        dialog.textValueSelected.connect(of_text(self._new_project))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _new_project(self, name: str) -> None:
        def make() -> None:
            project = make_project(self._window.app.settings.own_folder, name)
            self._window.app.trust.note_made_here(project.root)
            self._show(self._window.app.open(project.root))
            said = self.tr("The project is in {path}.").format(path=project.root)
            self._window.notices.say(said, tone="done", key=FILE_MATTER)

        self._try(make)

    def open_flow(self) -> None:
        """Ask for a flow file, and open it."""
        dialog = self._dialog(self.tr("Open flow"))
        dialog.fileSelected.connect(of_text(lambda path: self.open(Path(path))))
        dialog.open()

    def open_project(self) -> None:
        """Ask for a project folder, and open its main flow."""
        dialog = file_dialog(self._parent, self.tr("Open project"), self._folder(), Wanted.FOLDER)
        dialog.fileSelected.connect(of_text(lambda path: self.open(Path(path))))
        dialog.open()

    def open(self, path: Path) -> None:
        """Open a flow, a project, or the bundle of a run; what is wrong with it becomes a notice."""
        if path.suffix == SUFFIX or is_bundle(path):
            self._window.run_bundles.open(path)
            return
        self._try(lambda: self._show(self._window.app.open(path)))

    def save(self) -> None:
        """Save the flow in front."""
        session = self._window.session
        if session is not None:
            self.save_session(session)

    def save_session(self, session: Session, then: Callable[[], None] | None = None) -> None:
        """Save a flow, and go on with `then` where that worked."""
        try:
            session.save()
        except ChangedOnDiskError as error:
            self._ask_whose(session, error)
            return
        except StepwireError as error:
            self._window.notices.say(str(error), Remedy(self.tr("Save as…"), self.save_as), key=FILE_MATTER)
            return
        self._window.notices.settle(FILE_MATTER)
        if then is not None:
            then()

    def save_as(self) -> None:
        """Ask for another file, and save there."""
        session = self._window.session
        if session is None:
            return
        dialog = self._dialog(self.tr("Save flow as"), save=True)
        dialog.selectFile(session.path.name)
        dialog.fileSelected.connect(of_text(lambda path: self._try(lambda: self._save_as(session, path))))
        dialog.open()

    def _save_as(self, session: Session, path: str) -> None:
        app = self._window.app
        was_made_here = app.trust.is_made_here(session.project)
        session.save_as(_named(path))
        if was_made_here:  # elsewhere it is what it was
            app.note_made_here(session)

    def close_current(self) -> None:
        """Close the flow in front; asks first where changes were not saved and would not come back."""
        session = self._window.session
        if session is None:
            return

        def close() -> None:
            session.discard()
            self._window.drop(session)

        if session.is_modified and session.keeps_edits:
            name, path = session.title, session.path
            self._window.drop(session)
            said = self.tr("“{name}” is closed. Its unsaved edits are kept.").format(name=name)
            again = Remedy(self.tr("Reopen"), lambda: self.open(path))
            self._window.notices.say(said, again, tone="skipped", key=FILE_MATTER)
        elif session.is_modified:
            self.ask_unsaved([session], close)
        else:
            close()

    def ask_running(self, sessions: list[Session], then: Callable[[], None]) -> None:
        """Ask whether runs that go on shall be stopped; `then` is done if a person says so."""
        names = ", ".join(f"“{session.title}”" for session in sessions)
        box = Question(
            self._parent,
            self.tr("A run is in progress"),
            self.tr("Stop the run of {names} and close?").format(names=names),
            self.tr("Finished steps are kept, and the run can be resumed later."),
        )
        stop = box.addButton(self.tr("Stop and close"), QMessageBox.ButtonRole.AcceptRole)
        box.setDefaultButton(stop)
        box.addButton(QMessageBox.StandardButton.Cancel)

        def act(_result: int) -> None:
            if box.clickedButton() is stop:
                then()

        box.finished.connect(act)
        box.open()

    def ask_unsaved(self, sessions: list[Session], then: Callable[[], None]) -> None:
        """Ask what shall become of changes that are not saved; `then` is done unless a person says no."""
        names = ", ".join(f"“{session.title}”" for session in sessions)
        box = Question(
            self._parent,
            self.tr("Unsaved changes"),
            self.tr("Save the changes to {names}?").format(names=names),
            self.tr(
                "If you don't save, the file stays as it is, and undo brings the changes back "
                "when you open it again."
            ),
        )
        buttons = QMessageBox.StandardButton
        box.setStandardButtons(buttons.Save | buttons.Discard | buttons.Cancel)
        box.setDefaultButton(buttons.Save)

        def act(_result: int) -> None:
            clicked = box.clickedButton()
            chosen = box.standardButton(clicked) if clicked in box.buttons() else buttons.Cancel
            if chosen == buttons.Discard:
                then()
            elif chosen == buttons.Save:
                self._save_all(sessions, then)

        box.finished.connect(act)
        box.open()

    def turn_script(self) -> None:
        """Show the flow as a Python script in the canvas's place; from there, go back to the canvas."""
        front, tabs = self._window.front, self._window.tabs
        if front is None:
            return
        if tabs.shown == Document(front, "script"):
            tabs.close_document(front, "script")
        else:
            tabs.show_document(front, "script")

    def show_script_beside(self) -> None:
        """Show the flow in front and its script beside one another."""
        if self._window.front is not None:
            self._window.tabs.show_beside(self._window.front, "script")

    def show_script(self) -> None:
        """Show the script, or why there is none."""
        if self._window.front is not None:
            self._window.tabs.show_document(self._window.front, "script")

    def preview_file(self, path: Path) -> None:
        """Show a file of the project: a picture, or a text to read; a page is rendered, and loads nothing."""
        from studio.ui.window.project.file_preview import Preview, language_of

        picture = self._picture(path)
        if picture is not None:
            Preview(self._window.look, path.name, str(path), "", "text", self._parent, picture).open()
            return
        try:
            with path.open(encoding="utf-8") as file:
                text = file.read(LARGEST_SHOWN)
        except (OSError, UnicodeDecodeError):
            self._window.notices.say(
                self.tr("`{name}` is not text that can be shown.").format(name=path.name), key=FILE_MATTER
            )
            return
        Preview(self._window.look, path.name, str(path), text, language_of(path), self._parent).open()

    def _picture(self, path: Path) -> Picture | None:
        """The picture of the project in front that lies there."""
        session = self._window.session
        root = session.project.root.resolve() if session is not None else None
        if session is None or root is None or not path.resolve().is_relative_to(root):
            return None
        name = path.resolve().relative_to(root).as_posix()
        return picture_of(path.name, ProjectImages(session.project).named(name))

    def _save_all(self, sessions: list[Session], then: Callable[[], None]) -> None:
        if not sessions:
            then()
            return
        self.save_session(sessions[0], lambda: self._save_all(sessions[1:], then))

    def _ask_whose(self, session: Session, error: ChangedOnDiskError) -> None:
        title = self.tr("Changed on disk")
        box = Question(self._parent, title, quoted(error.message), quoted(error.hint))
        mine = box.addButton(self.tr("Overwrite"), QMessageBox.ButtonRole.DestructiveRole)
        theirs = box.addButton(self.tr("Load from disk"), QMessageBox.ButtonRole.ActionRole)
        other = box.addButton(self.tr("Save as…"), QMessageBox.ButtonRole.ActionRole)
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))

        def act(_result: int) -> None:
            chosen = box.clickedButton()
            if chosen is mine:
                self._try(lambda: session.save(over=True))
            elif chosen is theirs:
                self._try(session.reload)
            elif chosen is other:
                self.save_as()

        box.finished.connect(act)
        box.open()

    def _show(self, session: Session) -> None:
        self._window.show_session(session)

    def _dialog(self, title: str, *, save: bool = False) -> QFileDialog:
        dialog = file_dialog(self._parent, title, self._folder(), Wanted.NEW_FILE if save else Wanted.FILE)
        flows, runs = self.tr("Flows (*.json)"), self.tr("Flows and runs (*.json *{suffix})")
        dialog.setNameFilter(flows if save else runs.format(suffix=SUFFIX))
        dialog.setDefaultSuffix("json")
        return dialog

    def _folder(self) -> Path:
        session = self._window.session
        return session.project.root if session is not None else Path.home()

    def _try(self, act: Callable[[], None]) -> None:
        try:
            act()
        except StepwireError as error:
            self._window.notices.say(str(error), key=FILE_MATTER)


def _next_free(folder: Path) -> Path:
    """Where a new flow of a project may stand."""
    names = ("new_flow.json" if number == 1 else f"new_flow_{number}.json" for number in count(1))
    return next(place for name in names if not (place := folder / name).exists())


def _named(path: str) -> Path:
    found = Path(path)
    return found if found.suffix and found.name != FILE else found.with_suffix(".json")
