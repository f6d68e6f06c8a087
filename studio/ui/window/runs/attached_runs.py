"""Runs that other processes execute: followed when they are shown, left again, listed as they come and go."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QFileSystemWatcher, QObject, QTimer, Signal
from PySide6.QtWidgets import QMenu

from studio.ids import RunId
from studio.store.summary import RunSummary
from studio.ui.slots import of_text

if TYPE_CHECKING:
    from studio.app.runs.live_run import LiveRun
    from studio.app.runs.live_runs import LiveRuns
    from studio.ui.window.workspace import Workspace

SETTLING = 300
"""Milliseconds after a change in the folder of runs before they are listed anew."""


class AttachedRuns(QObject):
    """Opens runs of one workspace: `follow` shows and debugs one that goes on, `show` one that is over."""

    def __init__(
        self,
        workspace: "Workspace",
        show: "Callable[[LiveRun | None], None]",
        follow: "Callable[[LiveRun], None]",
    ) -> None:
        super().__init__(workspace)
        self._work, self._show, self._follow = workspace, show, follow

    @property
    def is_attached(self) -> bool:
        """Whether the shown run is one of another process."""
        shown = self._work.shown.run
        return shown is not None and self.follows(shown.run)

    def follows(self, run: RunId) -> bool:
        """Whether a run of another process is followed."""
        return self._work.app.runs.elsewhere.is_followed(run)

    def open(self, run: RunId) -> None:
        """Show a run, and hold it where it goes on elsewhere; raises `StoreError`."""
        found = self._work.app.runs.show(self._work.session, run)
        (self._show if found.is_over else self._follow)(found)

    def add_to(
        self, menu: QMenu, run: RunSummary, show: Callable[[RunId], None], leave: Callable[[], None]
    ) -> None:
        """Offer to show a run, and what that means where it goes on elsewhere."""
        name: RunId = run.run

        def go() -> None:
            show(name)
            leave()

        is_known = any(one.run == name for one in self._work.app.runs.running)
        words = menu.tr("Show it") if run.status.is_final or is_known else menu.tr("Attach to it")
        menu.addAction(words, lambda: show(name))
        if self.follows(name):
            menu.addAction(menu.tr("Detach; it keeps running"), go)

    def leave(self) -> "LiveRun | None":
        """Leave the shown run, if it is one of another process, and give it; what was held in it goes on."""
        shown = self._work.shown.run
        if shown is None or not self.is_attached:
            return None
        self._work.app.runs.elsewhere.leave(shown.run)
        return shown


class RunsFolder(QObject):
    """Watches the folder in which a project keeps its runs."""

    changed = Signal()
    """A run of this or another process began or ended."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._folder: Path | None = None
        self._known: frozenset[str] = frozenset()
        self._watcher = QFileSystemWatcher(self)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(SETTLING)
        self._later.timeout.connect(self._tell)
        self._watcher.directoryChanged.connect(of_text(lambda _: self._later.start()))

    def watch(self, private: Path | None) -> None:
        """Watch the runs in the private folder of this project, instead of those of another one."""
        if private != self._folder:
            self._folder = private
            self._known = self._names()
        self._look()

    def _tell(self) -> None:
        self._look()
        names = self._names()
        if names != self._known:  # whoever reads a run that goes on touches its files as well
            self._known = names
            self.changed.emit()

    def _names(self) -> frozenset[str]:
        """The files of the runs: one more when a run begins, some fewer when it has ended."""
        folder = self._folder / "runs" if self._folder is not None else None
        try:
            return frozenset(one.name for one in folder.iterdir()) if folder is not None else frozenset()
        except OSError:
            return frozenset()

    def _look(self) -> None:
        """Watch the innermost folder that is there: that of the runs is made with the first of them."""
        private = self._folder
        wanted = None
        if private is not None:
            folders = (private / "runs", private, private.parent)
            wanted = next((str(one) for one in folders if one.is_dir()), None)
        watched = self._watcher.directories()
        if wanted is not None and wanted not in watched:
            self._watcher.addPath(wanted)
        others = [one for one in watched if one != wanted]
        if others:
            self._watcher.removePaths(others)


def runs_elsewhere(runs: Sequence[RunSummary], live: "LiveRuns") -> Mapping[RunId, str]:
    """Tell of each run that another process executes, in a word, whether this window is attached to it."""
    followed = {one.run for one in live.elsewhere.running}
    here = {one.run for one in live.running} - followed
    attached = QCoreApplication.translate("runs", "attached")
    another = QCoreApplication.translate("runs", "in another process")
    going = [one.run for one in runs if not one.status.is_final and one.run not in here]
    return {run: attached if run in followed else another for run in going}
