"""The debugger: breakpoints, held steps of all runs and what may be done to them, scopes and values."""

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from studio.app.documents.session import Session
from studio.app.runs.debugger import Debugger
from studio.flow.records import CallingLibrary
from studio.ids import StepId
from studio.trace.fold.state import RunState
from studio.trace.fold.steps import StepState, StepStatus
from studio.ui.buttons import push_button
from studio.ui.layouts import column_layout, row_layout
from studio.ui.look import Look
from studio.ui.panels.debugger.breakpoint_part import BreakpointPart
from studio.ui.panels.debugger.columns import Columns, Part
from studio.ui.panels.debugger.held_part import HeldPart
from studio.ui.panels.debugger.pins import PinList
from studio.ui.panels.debugger.scope_tree import ScopeTree
from studio.ui.panels.debugger.value_part import ValuePart
from studio.ui.panels.widgets.empty import EmptyState
from studio.ui.panels.widgets.section import Section
from studio.ui.slots import of_any
from studio.ui.viewmodels.run.scope_values import known_in_scopes

NARROWEST = 4
"""How wide, in wide gaps, the panel is at least."""


class DebuggerPanel(QWidget):
    """Shows a session's debugger; held steps are chosen here and everywhere at once."""

    node_chosen = Signal(str)
    step_chosen = Signal(str)
    held_chosen = Signal(str, str)
    """A held step is to be shown: its run, and its name (empty: the run alone)."""
    asked = Signal(object)
    """What `HeldPart.asked` tells."""
    origin_asked = Signal(str, str, str)
    """A step, the side of its work, and the port whose value it is."""

    def __init__(
        self, look: Look, session: Session, debugger: Debugger, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._look, self._session, self._debugger = look, session, debugger
        self._key: object = None
        self._many = 0
        self._now: tuple[RunState | None, StepId | None, CallingLibrary | None] = (None, None, None)
        # What stands in a page is made there: to move it would style it once more.
        self._breaks_page, self._held_page = QWidget(self), QWidget(self)
        self._scopes_page, self._value_page = QWidget(self), QWidget(self)
        self.breakpoints = BreakpointPart(look, session, debugger, self._breaks_page)
        self.breakpoints.chosen.connect(self.node_chosen)
        self.held = HeldPart(look, session, debugger, self._held_page)
        self.held.chosen.connect(self.held_chosen)
        self.held.asked.connect(self.asked)
        self._scopes_stack = QStackedWidget(self._scopes_page)
        self.scopes = ScopeTree(look, self._scopes_stack)
        self.scopes.step_chosen.connect(self.step_chosen)
        self.scopes.origin_asked.connect(self.origin_asked)
        self.scopes.opened.connect(self._open_value)
        self.values = ValuePart(look, self.scopes, self._value_page)
        no_scopes = EmptyState(
            look,
            "branch_open",
            self.tr("No scopes"),
            self.tr("Run the flow: the values of each round, item and called flow appear here."),
            self._scopes_stack,
        )
        self._scopes_stack.addWidget(no_scopes)
        self._scopes_stack.addWidget(self.scopes)
        scopes = Section(look, self.tr("Scopes"), self._scopes_stack, parent=self._scopes_page)
        self._fill(self._breaks_page, self.breakpoints, self._make_pins(self._breaks_page))
        self._fill(self._held_page, self.held)
        self._fill(self._scopes_page, scopes)
        self._fill(self._value_page, self.values)
        parts = (
            Part(self.tr("Breakpoints"), self._breaks_page, self.breakpoints.section, 5),
            Part(self.tr("Paused"), self._held_page, self.held.section, 5),
            Part(self.tr("Scopes"), self._scopes_page, scopes, 7),
            Part(self.tr("Value"), self._value_page, self.values.section, 6),
        )
        self.columns = Columns(look, parts, self)
        rows = row_layout(self, 0)
        rows.addWidget(self.columns)
        self._ends = (
            self.breakpoints.close_session,
            session.pins.on_change(self._show_pins),
            debugger.on_change(self._renew),
        )
        self.rename()
        self.show_step(None, None)

    def close_session(self) -> None:
        """Stop listening; the panel is not used afterwards."""
        for end in self._ends:
            end()

    def minimumSizeHint(self) -> QSize:
        """A narrow place has one column."""
        wide = self._look.length("space.wide")
        return QSize(wide * NARROWEST, wide * NARROWEST)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Make as many columns as there is room for."""
        super().resizeEvent(event)
        self.columns.arrange(self.width(), self.height())

    def rename(self) -> None:
        """Read the titles of nodes again."""
        self.breakpoints.refresh()
        self._show_pins()
        self._key = None

    def go_to_breakpoints(self) -> None:
        """Put the keyboard into the list of breakpoints."""
        self.bring_up_breakpoints()
        self.breakpoints.focus_list()

    def bring_up_breakpoints(self) -> None:
        """Have the breakpoints in front of what is held."""
        self.columns.bring_up(self._breaks_page)

    def go_to_held(self) -> None:
        """Put the keyboard into the list of held steps."""
        self.columns.bring_up(self._held_page)
        self.held.focus_list()

    def go_to_scopes(self) -> None:
        """Put the keyboard into the values of the scopes."""
        self.columns.bring_up(self._scopes_page)
        self.scopes.setFocus()

    def show_step(
        self, state: RunState | None, step: StepId | None, library: CallingLibrary | None = None
    ) -> None:
        """Show the steps that are held now, and the scopes and values of the shown one.

        `library` gives the titles of flows that the run calls.
        """
        self.show_held(state, step, library)
        self.show_scopes()

    def show_held(
        self, state: RunState | None, step: StepId | None, library: CallingLibrary | None = None
    ) -> None:
        """Show the steps that are held now; `show_scopes` shows what is known at the shown one."""
        self._now = state, step, library
        self._refresh_held()

    def show_scopes(self) -> None:
        """Show the scopes and values of the step that was named last, or of the first one that is held."""
        state, step, library = self._now
        found = state.steps.get(step) if state is not None and step is not None else None
        if found is None and state is not None:
            found = next((one.step for one in self._debugger.held if one.run.state is state), None)
        self._show_scopes(state, found, library)

    def _show_scopes(
        self, state: RunState | None, step: StepState | None, library: CallingLibrary | None
    ) -> None:
        if state is None:
            key: object = None
        else:
            # While much happens, what others give is read again when the step, or its run, stands still.
            rests = state.status.is_final or (step is not None and step.status is StepStatus.HELD)
            own = (step.id, step.status, id(step.inputs), id(step.outputs)) if step is not None else None
            known = dict(state.variables.known)
            key = (id(state), own, known, state.entries_count if rests else 0)
        if key == self._key and key is not None:
            return
        self._key = key
        scopes = known_in_scopes(self._session.flow, state, step, library) if state is not None else []
        self._scopes_stack.setCurrentIndex(1 if scopes else 0)
        self.scopes.show_scopes(scopes)
        self.values.show_picked(self.scopes.current)

    def _renew(self) -> None:
        """Other runs are debugged, or one otherwise."""
        self._refresh_held()

    def _refresh_held(self) -> None:
        """What is held anew comes before the breakpoints, where one of both is seen."""
        state, step, library = self._now
        before = self._many
        self._many = len(self._debugger.held)
        self.held.refresh(state.run if state is not None else None, step, library)
        if self._many > before and not self.columns.is_behind(self._breaks_page):
            self.columns.bring_up(self._held_page)

    def _open_value(self) -> None:
        """Bring the value up where its part is behind; else the step that it stands at is shown."""
        if self.columns.is_behind(self._value_page):
            self.columns.bring_up(self._value_page)
        else:
            self.scopes.show_current()

    def _fill(self, page: QWidget, *parts: QWidget) -> None:
        rows = column_layout(page, self._look.length("space.small"))
        for part in parts:
            rows.addWidget(part, 1)

    def _make_pins(self, parent: QWidget) -> QWidget:
        """Make what stands beneath the breakpoints where there are pins."""
        self.pins = PinList(self._session, parent)
        self.pins.chosen.connect(self.node_chosen)
        self.unpin = push_button(
            self.tr("Unpin all"),
            parent,
            of_any(self._session.pins.clear),
            tip=self.tr("Run every node again"),
        )
        self._pinned = Section(self._look, self.tr("Pinned"), self.pins, self.unpin, parent=parent)
        return self._pinned

    def _show_pins(self) -> None:
        self.pins.refresh()
        self._pinned.setVisible(bool(self.pins.count()))
