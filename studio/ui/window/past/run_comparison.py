"""Two runs compared in the canvas's place: read, shown side by side, and followed as runs are shown."""

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QObject

from studio.errors import StoreError
from studio.ids import NodeId, RunId, StepId, seen_from_outside, step_parts
from studio.store.reader import RunStore
from studio.trace.differences.comparison import Compared, compare_runs
from studio.trace.fold.state import RunState
from studio.ui.slots import of_text
from studio.ui.viewmodels.run.shown_run import Batch
from studio.ui.window.background import Aside
from studio.ui.window.past.run_reader import RunReader
from studio.ui.window.workspace import Workspace


class RunComparison(QObject):
    """Feeds the comparison of one workspace; `show_run` shows a run in the window."""

    def __init__(self, workspace: Workspace, show_run: Callable[[RunId], None]) -> None:
        super().__init__(workspace)
        self._work, self._panel = workspace, workspace.comparison
        self._reader = RunReader(workspace, self)
        self._aside = Aside(self)
        self.pair: tuple[RunId, ...] = ()
        """The two runs that are compared, or are being read for it; none where nothing is."""
        self._number = 0
        self._going: frozenset[RunId] = frozenset()
        """What of the two was still under way when they were compared."""
        self._end = workspace.shown.on_batch(self._follow)
        self._panel.step_chosen.connect(of_text(lambda step: workspace.show_step(StepId(step))))
        self._panel.run_asked.connect(of_text(lambda run: show_run(RunId(run))))
        self._panel.compared.connect(self._follow)
        self._panel.pair_asked.connect(self.compare_with_before)

    def close(self) -> None:
        """Stop listening."""
        self._reader.close()
        self._end()

    def compare(self, first: RunId, second: RunId) -> None:
        """Show two runs side by side, as soon as both are read; says so where one cannot be."""
        self._work.raise_asked.emit("comparison")
        self._read((first, second))

    def come_back(self, runs: Sequence[RunId]) -> bool:
        """Read two runs again that were compared in the last window; tells whether they are still there."""
        try:
            self._reader.read(runs, self._show)
        except StoreError:
            return False
        self.pair = tuple(runs)
        return True

    def _read(self, runs: Sequence[RunId]) -> None:
        try:
            self._reader.read(runs, self._show)
            self.pair = tuple(runs)
        except StoreError as error:
            self._work.told.emit(error.message)

    def before(self) -> RunId | None:
        """The run that the shown one goes back to, else the one of the same flow before it."""
        shown = self._work.shown.run
        if shown is None or shown.state.started is None:
            return None
        if shown.state.forked_from is not None and shown.state.forked_from.run:
            return RunId(shown.state.forked_from.run)
        store = RunStore(self._work.session.project.private)
        earlier = [
            one
            for one in store.runs()
            if one.flow_name == shown.state.flow_name and (one.started or 0.0) < shown.state.started
        ]
        return max(earlier, key=lambda one: one.started or 0.0).run if earlier else None

    def with_shown(self, run: RunId) -> tuple[RunId, RunId] | None:
        """A run and the shown one, the earlier first; None where that is the same, or one cannot be read."""
        shown = self._work.shown.run
        if shown is None or shown.run == run or shown.state.started is None:
            return None
        store = RunStore(self._work.session.project.private)
        try:
            is_earlier = (store.summary(run).started or 0.0) < shown.state.started
        except StoreError:
            return None
        return (run, shown.run) if is_earlier else (shown.run, run)

    @property
    def can_compare(self) -> bool:
        """Whether a run is shown that another one can have come before."""
        return self._work.shown.run is not None and self._work.shown.run.state.started is not None

    @property
    def is_on(self) -> bool:
        """Whether two runs are compared."""
        return self._panel.runs is not None

    def go(self, way: int) -> None:
        """Show the next step that differs (1), or the one before (-1)."""
        self._work.raise_asked.emit("comparison")
        self._panel.go(way)

    def compare_with_before(self) -> None:
        """Compare the shown run with the one before it; says so where there is none."""
        shown, before = self._work.shown.run, self.before()
        if shown is None or before is None:
            self._work.told.emit(self.tr("Show a run that has an earlier run to compare with."))
            return
        self.compare(before, shown.run)

    def _show(self, runs: Sequence[RunState]) -> None:
        """Compare them on a thread of its own, unless one goes on: that would change meanwhile."""
        first, second = runs
        library = self._work.shown.library(self._work.session.registry)
        self._number += 1
        number = self._number
        self._going = frozenset(one.run for one in runs if not one.status.is_final)

        def show(found: Compared | Exception) -> None:
            if number == self._number and isinstance(found, Compared):
                self._panel.compare(found, self._work.session.flow, library)

        if first.status.is_final and second.status.is_final:
            self._aside.begin(lambda: compare_runs(first, second, library.called_name), show)
        else:
            show(compare_runs(first, second, library.called_name))

    def _follow(self, batch: Batch | None = None) -> None:
        """Note which run is shown, for steps are chosen in that one; mark what it did otherwise."""
        if batch is None and not self.is_on:
            self.pair = ()
        if batch is None or batch.is_fresh:
            shown = self._work.shown.run
            run = shown.run if shown is not None else None
            self._panel.show_run(run)
            self._mark(self._panel.differing_in(run))
        self._compare_when_over()

    def _compare_when_over(self) -> None:
        """Compare once more as soon as the shown run, which went on when it was compared, has ended."""
        shown, pair = self._work.shown.run, self._panel.runs
        if pair is None or shown is None or shown.run not in self._going or not shown.status.is_final:
            return
        self._going -= {shown.run}
        self._read([one.run for one in pair])

    def _mark(self, steps: Mapping[StepId, bool]) -> None:
        """Mark bars, and nodes with them: what a called flow did is marked on the node that calls it."""
        nodes: dict[NodeId, bool] = {}
        for step, is_first in steps.items():
            node = step_parts(seen_from_outside(step))[1]
            nodes[node] = is_first or nodes.get(node, False)
        self._work.canvas.mark_differing(nodes)
        self._work.timeline.view.mark_differing(steps)
