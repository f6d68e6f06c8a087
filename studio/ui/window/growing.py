"""What grows in the shown run, brought to the tree, and from there to everything else."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer

from studio.app.selection import Selected
from studio.ids import StepId
from studio.trace.growth import Grown, Growth
from studio.ui.slots import of_text
from studio.ui.viewmodels.growth_rows import rows_in_words
from studio.ui.viewmodels.shown_run import Batch
from studio.ui.window.workspace import Workspace

SOON = 100
"""Milliseconds after something grew before it is shown."""


class Growing(QObject):
    """Follows the run of one open flow, at whichever moment it is shown."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._work = workspace
        self._panel = workspace.growth
        self._growth = Growth()
        self._is_leading = False
        self.rows: Sequence[Grown] = ()
        self._soon = QTimer(self, singleShot=True, interval=SOON)
        self._soon.timeout.connect(self.show)
        self._panel.chosen.connect(of_text(self.go))
        self._panel.came_up.connect(self._fill)
        self._ends = (
            workspace.shown.on_batch(self._hear),
            workspace.session.selection.on_change(self._select),
        )

    def close(self) -> None:
        """Stop listening."""
        self._soon.stop()
        for end in self._ends:
            end()

    def go(self, key: str) -> None:
        """Show everywhere what a row is about: its step, its bar in the timeline, what was said."""
        row = next((one for one in self.rows if one.key == key), None)
        if row is None:
            return
        self._is_leading = True
        self._work.show_step(row.place)
        self._is_leading = False

    def show(self) -> None:
        """Show what has grown by the moment that is shown."""
        state = self._work.shown.state
        self.rows = self._growth.rows(state) if state is not None else ()
        self._fill()

    def _hear(self, batch: Batch) -> None:
        shown = self._work.shown
        live = shown.live_state
        if batch.is_fresh:
            self._growth = Growth()
        steps = live.order if live is not None and batch.is_fresh else batch.steps
        is_other = live is not None and self._growth.update(live, steps)
        if batch.is_fresh:
            self.show()
        elif (is_other or batch.is_moved) and not batch.is_behind and not self._soon.isActive():
            self._soon.start()

    def _fill(self) -> None:
        work, state = self._work, self._work.shown.state
        if not self._panel.isVisible():
            return
        library = work.shown.library(work.session.registry)
        run = work.shown.run
        flow = run.flow if run is not None and run.flow.nodes else work.session.flow
        rows = rows_in_words(self.rows, state, flow, library) if state is not None else ()
        self._panel.show_rows(rows)
        self._select(work.session.selection.now)

    def _select(self, selected: Selected) -> None:
        """Stand on the row of the step that is shown everywhere."""
        if self._is_leading or selected.step is None or not self._panel.isVisible():
            return
        row = self.row_of(selected.step)
        if row is not None:
            self._panel.choose(row.key)

    def row_of(self, step: StepId) -> Grown | None:
        """The innermost row that a step works on, or happens in."""
        state = self._work.shown.state
        found = state.steps.get(step) if state is not None else None
        if state is None or found is None:
            return None
        by_step = {work: row for row in self.rows for work in (row.works or ())}
        return next((by_step[one.id] for one in (found, *state.ancestors(found)) if one.id in by_step), None)
