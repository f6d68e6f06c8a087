"""Which moment of its run a workspace shows: asked for in the timeline, by an action, or on the badge."""

from PySide6.QtCore import QObject, Signal

from studio.ui.window.runs.moment_badge import MomentBadge
from studio.ui.window.workspace import Workspace


class Playhead(QObject):
    """Moves the shown run through time, and says everywhere where it stands; the run goes on beneath."""

    moved = Signal()
    """Another moment is to be shown: frames are wanted."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._work = workspace
        self.badge = MomentBadge(workspace.look)
        self.badge.left.connect(self.leave)
        workspace.timeline.view.moment_asked.connect(self.go)
        workspace.timeline.view.moment_stepped.connect(self.step)

    @property
    def moment(self) -> float | None:
        """Seconds after the beginning of the run; None while it is shown as it is now."""
        return self._work.shown.moment

    def go(self, seconds: float | None) -> None:
        """Show the run as it was so long after it began, or (None) as it is now."""
        self._work.shown.show_moment(seconds)
        self.show()
        self.moved.emit()

    def leave(self) -> None:
        """Show the run as it is now."""
        self.go(None)

    def step(self, direction: int) -> None:
        """Go back (-1) or on (1) to the next moment at which anything happened."""
        self._work.shown.step_moment(direction)
        self.show()
        self.moved.emit()

    def frame(self) -> None:
        """Ask for more frames while entries are still read."""
        if self._work.shown.is_reading:
            self.moved.emit()

    def show(self) -> None:
        """Say which moment is shown, on the canvas and in the timeline."""
        shown, state = self._work.shown, self._work.shown.live_state
        self._work.timeline.view.show_moment(shown.moment)
        ended = (state.ended or state.updated or 0.0) if state is not None else 0.0
        lasted = ended - (state.started or ended) if state is not None else 0.0
        self.badge.show_moment(shown.moment, lasted, is_reading=shown.is_reading)
