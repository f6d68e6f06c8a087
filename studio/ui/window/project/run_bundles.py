"""Runs in files for other people: the shown run saved as one, and one from elsewhere opened to be read."""

from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QMimeData, QObject
from PySide6.QtWidgets import QWidget

from studio.app.documents.session import Session
from studio.app.runs.bundles import hidden_here, open_bundle, save_bundle, suggested_name
from studio.errors import StepwireError
from studio.ids import RunId
from studio.store.bundle import SUFFIX
from studio.store.reader import RunStore
from studio.trace import figures
from studio.ui.dialogs import Wanted, file_dialog
from studio.ui.panels.runs.panel import RunsPanel
from studio.ui.slots import of_text
from studio.ui.window.background import Aside
from studio.ui.window.roles import HasApp, HasDocuments, HasFront, Notifies, ShowsRuns

BUNDLE_MATTER = "bundle"
"""The key of notices about bundles."""


class Window(HasApp, HasFront, HasDocuments, Notifies, ShowsRuns, Protocol):
    """What this asks of the window."""

    @property
    def runs(self) -> RunsPanel:
        """The list of runs."""
        ...


class RunBundles(QObject):
    """Saves and opens bundles for one window."""

    def __init__(self, window: Window, parent: QWidget) -> None:
        super().__init__(parent)
        self._window, self._parent = window, parent
        self._aside = Aside(self)

    def can_save_shown(self) -> bool:
        """Whether a run is shown that is over."""
        front = self._window.front
        return front is not None and front.controls.earlier.shown is not None

    def save_shown(self) -> None:
        """Ask where the shown run shall be saved, and save it there."""
        front = self._window.front
        if front is not None and (run := front.controls.earlier.shown) is not None:
            self.save(run)

    def save(self, run: RunId) -> None:
        """Ask where a run of the project in front shall be saved, and save it there."""
        session = self._window.session
        if session is None:
            return
        listed = self._window.runs.summary(run)
        name = suggested_name(listed.flow_name if listed is not None else session.flow.name, run)
        place = session.project.root.parent / name
        dialog = file_dialog(self._parent, self.tr("Save the run"), place, Wanted.NEW_FILE)
        dialog.setNameFilter(self.tr("Runs (*{suffix})").format(suffix=SUFFIX))
        dialog.setDefaultSuffix(SUFFIX.removeprefix("."))
        dialog.fileSelected.connect(of_text(lambda path: self.write(session, run, Path(path))))
        dialog.open()

    def write(self, session: Session, run: RunId, path: Path) -> None:
        """Save a run of a project to a file; how it went becomes a notice."""
        from studio.past.replays import OldRun

        environ, registry = self._window.app.environ, session.registry
        store = RunStore(session.project.private)

        def work() -> int:
            old = OldRun.read_whole(store, run)
            secrets = hidden_here(session.project, (old.flow, *old.flows.values()), registry, environ)
            return save_bundle(store, run, path, secrets=secrets)

        def tell(found: int | Exception) -> None:
            if isinstance(found, Exception):
                self._say_why(found, path)
                return
            said = self.tr("Saved to `{path}` ({size}). It contains no keys and no paths of this machine.")
            self._say(said.format(path=path, size=figures.size(found)), tone="done")

        self._say(self.tr("Writing `{path}`…").format(path=path), tone="skipped")
        self._aside.begin(work, tell)

    def open(self, path: Path) -> None:
        """Open a bundle to be read, and show its run."""

        def tell(found: tuple[Path, RunId] | Exception) -> None:
            if isinstance(found, Exception):
                self._say_why(found, path)
                return
            folder, run = found
            self._window.notices.settle(BUNDLE_MATTER)
            self._window.documents.open(folder)
            self._window.app.settings.remember(path)
            self._window.list_runs()
            self._window.acts.with_controls(lambda controls: controls.show_old(run))

        self._say(self.tr("`{name}` is open.").format(name=path.name), tone="skipped")
        self._aside.begin(lambda: open_bundle(path), tell)

    def _say(self, words: str, *, tone: str) -> None:
        self._window.notices.say(words, tone=tone, key=BUNDLE_MATTER, lasts=tone == "skipped")

    def _say_why(self, error: Exception, path: Path) -> None:
        said = str(error)
        if not isinstance(error, StepwireError):
            said = self.tr("`{name}` could not be read or written: {why}").format(name=path.name, why=said)
        self._say(said, tone="failed")


def dropped_bundle(data: QMimeData) -> Path | None:
    """Give the bundle that is dragged, if it is one."""
    paths = [Path(one.toLocalFile()) for one in data.urls() if one.isLocalFile()]
    return paths[0] if len(paths) == 1 and paths[0].suffix == SUFFIX else None
