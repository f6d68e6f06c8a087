"""Opening a run at one of its steps: what was found, or what a value was taken from."""

from collections.abc import Callable

from PySide6.QtCore import QObject

from studio.ids import RunId, StepId
from studio.ui.viewmodels.run.shown_run import Batch
from studio.ui.window.workspace import Workspace


class RunPlaces(QObject):
    """Shows a run, and as soon as it is read a step of it, everywhere."""

    def __init__(
        self, workspace: Workspace, show_run: Callable[[RunId], None], show_end: Callable[[], None]
    ) -> None:
        """Act in a workspace; `show_end` shows the run as it is now, whichever moment of it is shown."""
        super().__init__(workspace)
        self._show_end = show_end
        self._work = workspace
        self._show_run = show_run
        self._wanted: tuple[RunId, StepId, str] | None = None
        self._end = workspace.shown.on_batch(self._arrive)
        workspace.origin.run_asked.connect(self.open_at)

    def close(self) -> None:
        """Stop listening."""
        self._end()

    def open_at(self, run: str, step: str, word: str = "") -> None:
        """Show a run at a step, and the message of it that has a word; without a step, the run."""
        shown, state = self._work.shown.run, self._work.shown.state
        self._wanted = (RunId(run), StepId(step), word) if step else None
        if shown is None or shown.run != run:
            self._show_run(RunId(run))
            return
        if step and state is not None and step not in state.steps:
            self._show_end()  # at the moment that is shown there was no such step
        self._arrive()

    def _arrive(self, _batch: Batch | None = None) -> None:
        wanted, shown, state = self._wanted, self._work.shown.run, self._work.shown.state
        if wanted is None or shown is None or state is None or shown.run != wanted[0]:
            return
        if wanted[1] in state.steps:
            self._wanted = None
            self._work.show_step(wanted[1])
            if wanted[2] and self._work.messages.seek(wanted[2]):
                self._work.raise_asked.emit("messages")
