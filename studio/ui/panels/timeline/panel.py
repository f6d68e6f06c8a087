"""The timeline of the shown run, with a hint where there is none."""

import time
from collections.abc import Iterable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QStackedLayout, QWidget

from studio.app.settings import Settings
from studio.flow.records import CallingLibrary, Flow
from studio.ids import StepId, own_step
from studio.trace.fold.cost_curve import Spending
from studio.trace.fold.state import RunState
from studio.trace.timeline.critical_path import CriticalPath, critical_path, wired
from studio.trace.timeline.lanes import Grouping
from studio.trace.timeline.totals import totals
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.timeline.hand import TimelineInHand
from studio.ui.panels.timeline.head import TimelineHead
from studio.ui.panels.widgets.empty import EmptyState
from studio.ui.viewmodels.run.lanes import Lanes
from studio.ui.viewmodels.words.step_words import describe_step, is_in_doubt

GROUPING = "timeline_lanes"
PATH = "timeline_path"
"""Settings in which it is kept how the timeline was left."""
PATH_EVERY = 1.0
"""Seconds at least between two searches for the critical path of a run that goes on."""
PATH_SHARE = 0.05
"""How much of the time may be spent on them."""
MANY = 4_000
"""Steps from which on the totals of a part are added up when the hand that chooses it rests."""
REST = 80
"""Milliseconds for which it rests then."""


class TimelinePanel(QWidget):
    """Shows when each step ran; a click shows that step everywhere."""

    def __init__(self, look: Look, parent: QWidget | None = None, settings: Settings | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._state: RunState | None = None
        self._flow = Flow()
        self._lending: Iterable[str] = ()
        self._library: CallingLibrary | None = None
        self._lanes = Lanes(self._flow)
        self._spending = Spending()
        self._is_read = False
        self._path: CriticalPath | None = None
        self._next_search = 0.0
        self._rest = QTimer(self, singleShot=True, interval=REST)
        self._rest.timeout.connect(self.add_up)
        self.view = TimelineInHand(look, self._describe, self)
        self.head = TimelineHead(look, self)
        self.head.show_choices(self._kept(GROUPING, Grouping.NODE), marks_path=bool(self._kept(PATH, "")))
        self.head.grouping_chosen.connect(self.group)
        self.head.path_turned.connect(self.mark_path)
        self.view.part_chosen.connect(self._show_part)
        self.empty = EmptyState(
            look,
            "timeline",
            self.tr("Nothing has run yet"),
            self.tr("Run the flow to see when each step started and how long it took."),
            self,
        )
        self._page = QWidget(self)
        rows = column_layout(self._page, 0, 0)
        rows.addWidget(self.head)
        rows.addWidget(self.view, 1)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self._page)

    def show_run(
        self,
        state: RunState | None,
        flow: Flow,
        lending_kinds: Iterable[str] = (),
        library: CallingLibrary | None = None,
        *,
        is_read: bool = False,
    ) -> None:
        """Show another run of `flow`; nodes of the kinds that only lend have no lane until they are used.

        While one is read, what has no end in it yet lasts until the last entry that there is.
        """
        self._is_read = is_read
        self._state, self._flow, self._library = state, flow, library
        self._lending = frozenset(lending_kinds)
        self._spending = Spending()
        self.view.choose_part(None)
        self.view.follow()
        self._begin()

    def group(self, grouping: Grouping) -> None:
        """Make lanes by node, agent or scope, and keep it so."""
        self._keep(GROUPING, grouping)
        self.head.show_choices(grouping, marks_path=self.head.marks_path)
        self._begin()

    def mark_path(self, marks: bool) -> None:  # noqa: FBT001  (a switch)
        """Mark the critical path, or do not, and keep it so."""
        self._keep(PATH, "yes" if marks else "")
        self.head.show_choices(self.head.grouping, marks_path=marks)
        self._path = None
        self.refresh()

    def touch(self, steps: Iterable[StepId], *, is_read: bool = False) -> None:
        """Read the named steps again; called once a frame at most."""
        self._is_read = is_read
        if self._state is not None:
            self._lanes.touch(self._state, steps)
            self._path = None if self._state.ended is not None else self._path
            self.refresh()

    def refresh(self) -> None:
        """Let what still lasts grow to the present moment."""
        state = self._state
        if state is None or state.started is None:
            self._stack.setCurrentWidget(self.empty)
            return
        self._stack.setCurrentWidget(self._page)
        self._spending.update(state.paid)
        waiting = {name for one in state.waiting for name in (own_step(one), StepId(one.partition("#")[0]))}
        if is_in_doubt(state):
            waiting |= {step.id for step in state.steps.values() if is_in_doubt(step)}
        ended = self._ended(state)
        idle = state.idle.until(ended if ended is not None else time.time())
        self.view.show_lanes(self._lanes, state.started, ended, waiting, self._spending, idle)
        self._show_path(state)
        if self.view.chosen is not None and not self._rest.isActive():
            self._show_part(self.view.chosen)

    def select(self, step: StepId | None) -> None:
        """Mark the step that is shown everywhere."""
        self.view.select(step)

    def add_up(self) -> None:
        """Tell the totals of the chosen part."""
        state, part = self._state, self.view.chosen
        if state is None or state.started is None or part is None:
            self.head.show_part(None, None)
            return
        ended = self._ended(state)
        now = ended if ended is not None else time.time()
        first, last = (state.started + one for one in part)
        self.head.show_part(part, totals(state, self._lanes.traced, self._spending, first, last, now))

    def _ended(self, state: RunState) -> float | None:
        """When the run ended, as far as it was read; None while it goes on."""
        return state.ended if state.ended is not None or not self._is_read else state.updated

    def _begin(self) -> None:
        self._lanes = Lanes(self._flow, self._lending, self._library, self.head.grouping)
        self._path = None
        if self._state is not None:
            self._lanes.touch(self._state, self._state.order)
        self.refresh()

    def _show_path(self, state: RunState) -> None:
        """Find the critical path; anew once it ended, and now and then while it goes on."""
        if not self.head.marks_path:
            self._path = None
            self.view.mark_path(None)
            self.head.show_path(None, 0.0)
            return
        now = time.time()
        if self._path is None or (state.ended is None and now > self._next_search):
            ended = self._ended(state)
            until = ended if ended is not None else now
            self._path = critical_path(state, wired(self._flow, self._library), until)
            self._next_search = now + max(PATH_EVERY, (time.time() - now) / PATH_SHARE)
            self.view.mark_path(self._path.steps)
            self.head.show_path(self._path, until - (state.started or until))

    def _show_part(self, part: tuple[float, float] | None) -> None:
        if part is not None and self._state is not None and len(self._state.order) > MANY:
            self._rest.start()
        else:
            self.add_up()

    def _kept(self, name: str, default: str) -> str:
        return self._settings.text(name, default) if self._settings is not None else default

    def _keep(self, name: str, value: str) -> None:
        if self._settings is not None:
            self._settings.set_text(name, value)

    def _describe(self, step: StepId) -> str:
        state = self._state
        found = state.steps.get(step) if state is not None else None
        if state is None or found is None:
            return ""
        return describe_step(self._flow, state, found, self._library)
