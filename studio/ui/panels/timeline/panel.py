"""The timeline of the shown run, with a hint where there is none."""

from collections.abc import Iterable

from PySide6.QtWidgets import QStackedLayout, QWidget

from studio.flow.records import CallingLibrary, Flow
from studio.ids import StepId, own_step
from studio.trace.state import RunState
from studio.ui.look import Look
from studio.ui.panels.empty import EmptyState
from studio.ui.panels.timeline.view import TimelineView
from studio.ui.viewmodels.lanes import Lanes
from studio.ui.viewmodels.step_words import describe_step


class TimelinePanel(QWidget):
    """Shows when each step ran; a click shows that step everywhere."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state: RunState | None = None
        self._flow = Flow()
        self._library: CallingLibrary | None = None
        self._lanes = Lanes(self._flow)
        self.view = TimelineView(look, self._describe, self)
        self.empty = EmptyState(
            look,
            "timeline",
            self.tr("Nothing has run yet"),
            self.tr("Run the flow to see when each step began, and how long it took."),
            self,
        )
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.view)

    def show_run(
        self,
        state: RunState | None,
        flow: Flow,
        lending_kinds: Iterable[str] = (),
        library: CallingLibrary | None = None,
    ) -> None:
        """Show another run of `flow`; nodes of the kinds that only lend have no lane until they are used."""
        self._state, self._flow, self._library = state, flow, library
        self._lanes = Lanes(flow, lending_kinds, library)
        if state is not None:
            self._lanes.touch(state, state.order)
        self.view.follow()
        self.refresh()

    def touch(self, steps: Iterable[StepId]) -> None:
        """Read the named steps again; called once a frame at most."""
        if self._state is not None:
            self._lanes.touch(self._state, steps)
            self.refresh()

    def refresh(self) -> None:
        """Let what still lasts grow to the present moment."""
        state = self._state
        if state is None or state.started is None:
            self._stack.setCurrentWidget(self.empty)
            return
        self._stack.setCurrentWidget(self.view)
        waiting = {name for one in state.waiting for name in (own_step(one), StepId(one.partition("#")[0]))}
        self.view.show_lanes(self._lanes, state.started, state.ended, waiting)

    def select(self, step: StepId | None) -> None:
        """Mark the step that is shown everywhere."""
        self.view.select(step)

    def _describe(self, step: StepId) -> str:
        found = self._state.steps.get(step) if self._state is not None else None
        return describe_step(self._flow, found, self._library) if found is not None else ""
