"""Runs read whole from the store, for what needs more than the one that is shown."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject

from studio.app.runs.live_run import LiveRun
from studio.ids import RunId
from studio.trace.fold.state import RunState
from studio.ui.window.workspace import Workspace

Then = Callable[[Sequence[RunState]], None]


class RunReader(QObject):
    """Reads runs of a workspace's project; the last that was asked for counts."""

    def __init__(self, workspace: Workspace, parent: QObject) -> None:
        super().__init__(parent)
        self._work = workspace
        self._reading: dict[RunId, LiveRun] = {}
        self._whole: set[RunId] = set()
        self._wanted: tuple[Sequence[RunId], Then] | None = None
        self._ends: list[Callable[[], None]] = []

    def close(self) -> None:
        """Stop listening."""
        self._wanted = None
        for end in self._ends:
            end()
        self._ends.clear()

    def read(self, runs: Sequence[RunId], then: Then) -> None:
        """Give these runs as soon as all are read; raises `StoreError` for one that cannot be read."""
        self.close()
        self._reading = {
            run: self._work.app.runs.open_old(self._work.session.project.private, run)
            for run in runs
            if self._known(run) is None
        }
        self._wanted, self._whole = (runs, then), set()
        self._ends = [run.on_change(lambda run=run: self._note(run)) for run in self._reading.values()]
        self._tell()

    def _note(self, run: LiveRun) -> None:
        """All of it has come."""
        self._whole.add(run.run)
        self._tell()

    def _known(self, run: RunId) -> RunState | None:
        """A run that the window has already: the shown one, or one that goes on."""
        shown = self._work.shown.run
        if shown is not None and shown.run == run and shown.state.started is not None:
            return shown.state
        live = next((one for one in self._work.app.runs.running if one.run == run), None)
        return live.state if live is not None and live.state.started is not None else None

    def _read_state(self, run: RunId) -> RunState | None:
        read = self._reading.get(run)
        if read is None:
            return self._known(run)
        return read.state if run in self._whole else None

    def _tell(self) -> None:
        if self._wanted is None:
            return
        runs, then = self._wanted
        states = [state for state in map(self._read_state, runs) if state is not None]
        if len(states) == len(runs):
            self.close()
            then(states)
