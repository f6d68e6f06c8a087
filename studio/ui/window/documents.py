"""Opening, saving and closing flows, with the questions that these ask."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from studio.app.images import SUFFIXES
from studio.app.project import FILE
from studio.app.session import ChangedOnDiskError, Session
from studio.errors import StepwireError
from studio.llm.images import LARGEST
from studio.store.bundle import SUFFIX, is_bundle
from studio.ui.panels.notice import Remedy
from studio.ui.panels.picture import Picture, picture_of
from studio.ui.slots import of_text
from studio.ui.window.docks import Docks
from studio.ui.window.roles import HasApp, HasFlows, HasLook, Notifies

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
    def docks(self) -> Docks:
        """The places around the canvas."""
        ...


class Documents(QObject):
    """Acts for the window on the flow in front; every dialog is opened, none is waited for."""

    def __init__(self, window: Window, parent: QWidget) -> None:
        super().__init__(parent)
        self._window, self._parent = window, parent

    def new(self) -> None:
        """Ask where an empty flow shall be, and open it."""
        dialog = self._dialog(self.tr("New flow"), save=True)
        dialog.fileSelected.connect(of_text(self._create))
        dialog.open()

    def _create(self, path: str) -> None:
        self._try(lambda: self._window.flow_files.create(_named(path)))

    def open_flow(self) -> None:
        """Ask for a flow file, and open it."""
        dialog = self._dialog(self.tr("Open flow"))
        dialog.fileSelected.connect(of_text(lambda path: self.open(Path(path))))
        dialog.open()

    def open_project(self) -> None:
        """Ask for a project folder, and open its main flow."""
        dialog = QFileDialog(self._parent, self.tr("Open project"), str(self._folder()))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
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
        dialog.fileSelected.connect(of_text(lambda path: self._try(lambda: session.save_as(_named(path)))))
        dialog.open()

    def close_current(self) -> None:
        """Close the flow in front; asks first where changes were not saved and would not come back."""
        session = self._window.session
        if session is None:
            return

        def close() -> None:
            session.discard()
            self._window.drop(session)

        if session.is_modified and session.keeps_edits:
            name, path = session.flow.name or session.path.stem, session.path
            self._window.drop(session)
            said = self.tr("“{name}” was closed. Its unsaved edits are kept.").format(name=name)
            again = Remedy(self.tr("Open it again"), lambda: self.open(path))
            self._window.notices.say(said, again, tone="skipped", key=FILE_MATTER)
        elif session.is_modified:
            self.ask_unsaved([session], close)
        else:
            close()

    def ask_running(self, sessions: list[Session], then: Callable[[], None]) -> None:
        """Ask whether runs that go on shall be stopped; `then` is done if a person says so."""
        names = ", ".join(f"“{session.flow.name or session.path.stem}”" for session in sessions)
        box = QMessageBox(self._parent)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle(self.tr("A run goes on"))
        box.setText(self.tr("Stop the run of {names} and close?").format(names=names))
        box.setInformativeText(self.tr("What it finished is kept, and it can be gone on with later."))
        stop = box.addButton(self.tr("Stop and close"), QMessageBox.ButtonRole.AcceptRole)
        box.addButton(QMessageBox.StandardButton.Cancel)

        def act(_result: int) -> None:
            if box.clickedButton() is stop:
                then()

        box.finished.connect(act)
        box.open()

    def ask_unsaved(self, sessions: list[Session], then: Callable[[], None]) -> None:
        """Ask what shall become of changes that are not saved; `then` is done unless a person says no."""
        names = ", ".join(f"“{session.flow.name or session.path.stem}”" for session in sessions)
        box = QMessageBox(self._parent)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle(self.tr("Unsaved changes"))
        box.setText(self.tr("Save the changes to {names}?").format(names=names))
        box.setInformativeText(
            self.tr("Otherwise the file stays as it is. Undo brings them back when it is opened again.")
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
        """Show the flow as a Python script beside the canvas; from there, take it away again."""
        front = self._window.front
        if front is not None:
            is_shown = self._window.docks.turn_script()
            (front.work.script if is_shown else front.work.canvas).setFocus()

    def show_script(self) -> None:
        """Show the script beside the canvas, or why there is none."""
        self._window.docks["script"].bring_up()

    def preview_file(self, path: Path) -> None:
        """Show a file of the project: a picture, or a text to read; a page is rendered, and loads nothing."""
        from studio.ui.window.preview import Preview, language_of

        picture = self._picture(path)
        if picture is not None:
            Preview(self._window.look, path.name, str(path), "", "text", self._parent, picture).open()
            return
        try:
            with path.open(encoding="utf-8") as file:
                text = file.read(LARGEST_SHOWN)
        except (OSError, UnicodeDecodeError):
            self._window.notices.say(
                self.tr("`{name}` is not a text that can be shown.").format(name=path.name), key=FILE_MATTER
            )
            return
        Preview(self._window.look, path.name, str(path), text, language_of(path), self._parent).open()

    def _picture(self, path: Path) -> Picture | None:
        if path.suffix.casefold() not in SUFFIXES:
            return None
        try:
            return picture_of(path.name, path.read_bytes()) if path.stat().st_size <= LARGEST else None
        except OSError:
            return None

    def _save_all(self, sessions: list[Session], then: Callable[[], None]) -> None:
        if not sessions:
            then()
            return
        self.save_session(sessions[0], lambda: self._save_all(sessions[1:], then))

    def _ask_whose(self, session: Session, error: ChangedOnDiskError) -> None:
        box = QMessageBox(self._parent)
        box.setIcon(QMessageBox.Icon.Warning)
        box.setWindowTitle(self.tr("Changed on disk"))
        box.setText(error.message)
        box.setInformativeText(error.hint)
        mine = box.addButton(self.tr("Save over it"), QMessageBox.ButtonRole.DestructiveRole)
        theirs = box.addButton(self.tr("Take what is on disk"), QMessageBox.ButtonRole.ActionRole)
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
        dialog = QFileDialog(self._parent, title, str(self._folder()))
        flows, runs = self.tr("Flows (*.json)"), self.tr("Flows and runs (*.json *{suffix})")
        dialog.setNameFilter(flows if save else runs.format(suffix=SUFFIX))
        dialog.setDefaultSuffix("json")
        if save:
            dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        else:
            dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        return dialog

    def _folder(self) -> Path:
        session = self._window.session
        return session.project.root if session is not None else Path.home()

    def _try(self, act: Callable[[], None]) -> None:
        try:
            act()
        except StepwireError as error:
            self._window.notices.say(str(error), key=FILE_MATTER)


def _named(path: str) -> Path:
    found = Path(path)
    return found if found.suffix and found.name != FILE else found.with_suffix(".json")
