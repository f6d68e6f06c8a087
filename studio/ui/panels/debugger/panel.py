"""The debugger: breakpoints, held steps with what may be done to them, their scopes and values."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from studio.app.debugger import Debugger
from studio.app.session import Session
from studio.flow.records import CallingLibrary
from studio.ids import StepId
from studio.trace.events import Shown
from studio.trace.state import RunState
from studio.trace.steps import StepState
from studio.ui.look import Look
from studio.ui.panels.debugger.breakpoint_part import BreakpointPart
from studio.ui.panels.debugger.pins import PinList
from studio.ui.panels.empty import EmptyState
from studio.ui.panels.listing import Listing, ListRow
from studio.ui.panels.section import Section
from studio.ui.panels.value_card import clear_cards, value_cards
from studio.ui.viewmodels import wording
from studio.ui.viewmodels.held_words import held_title
from studio.ui.viewmodels.scopes import scopes_of
from studio.ui.viewmodels.step_words import step_tone

SHARES = (4, 7, 6, 7)
"""How wide breakpoints, held steps, scopes and values are, in proportion."""


class DebuggerPanel(QWidget):
    """Shows a session's debugger; held steps are chosen here and everywhere at once."""

    node_chosen = Signal(str)
    step_chosen = Signal(str)
    stepped = Signal(str)
    continued = Signal(str)

    def __init__(
        self, look: Look, session: Session, debugger: Debugger, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._look, self._session, self._debugger = look, session, debugger
        self._key: object = None
        self._library: CallingLibrary | None = None
        self._cards: list[QWidget] = []
        self.breakpoints = BreakpointPart(look, session, debugger, self)
        self.breakpoints.chosen.connect(self.node_chosen)
        self.held = Listing(look, self.tr("Held steps"), self)
        self.held.chosen.connect(self.step_chosen)
        nothing_held = EmptyState(
            look, "hold", self.tr("Nothing is held"), self.tr("A held step waits here for you."), self
        )
        self._middle = _stacked(self, nothing_held, self.held)
        self.step_button = self._button(self.tr("Step"), self.tr("Go on, and hold at the next step (F10)"))
        self.continue_button = self._button(self.tr("Continue"), self.tr("Go on until a breakpoint (F8)"))
        self.step_button.clicked.connect(lambda: self._act(self.stepped))
        self.continue_button.clicked.connect(lambda: self._act(self.continued))
        self.scopes = Listing(look, self.tr("Scopes"), self)
        self.scopes.chosen.connect(self._choose_scope)
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._page = QWidget(area)
        self._values = QVBoxLayout(self._page)
        self._values.setContentsMargins(0, 0, look.length("space.small"), look.length("space.small"))
        self._values.setSpacing(look.length("space.small"))
        self._values.addStretch(1)
        area.setWidget(self._page)
        splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self._values_section = Section(look, self.tr("Values"), area, parent=self)
        sections = (
            self._with_pins(self.breakpoints),
            Section(
                look, self.tr("Held steps"), self._middle, self.step_button, self.continue_button, parent=self
            ),
            Section(look, self.tr("Scopes"), self.scopes, parent=self),
            self._values_section,
        )
        for section in sections:
            section.setContentsMargins(*(look.length("space.small"),) * 4)
            splitter.addWidget(section)
        for index, share in enumerate(SHARES):
            splitter.setStretchFactor(index, share)
        splitter.setSizes([look.length("space.wide") * share for share in SHARES])
        splitter.setChildrenCollapsible(False)
        rows = QHBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.addWidget(_sideways(splitter, self))
        self._ends = (self.breakpoints.close_session, session.pins.on_change(self._show_pins))
        self.rename()
        self.show_step(None, None)

    def close_session(self) -> None:
        """Stop listening; the panel is not used afterwards."""
        for end in self._ends:
            end()

    def rename(self) -> None:
        """Read the titles of nodes again."""
        self.breakpoints.refresh()
        self._show_pins()

    def show_step(
        self, state: RunState | None, step: StepId | None, library: CallingLibrary | None = None
    ) -> None:
        """Show the steps that are held now, and the scopes and values of the shown one.

        `library` gives the titles of flows that the run calls.
        """
        self._library = library
        held = self._debugger.held_in(self._debugger.run)
        self.held.show_rows([self._held_row(one, step) for one in held])
        self._middle.setCurrentIndex(1 if held else 0)
        for button in (self.step_button, self.continue_button):
            button.setEnabled(bool(held))
            button.setVisible(bool(held))
        found = state.steps.get(step) if state is not None and step is not None else None
        if found is None and held:
            found = held[0]
        self._show_scopes(state, found)
        self._show_values(found, state)

    def _held_row(self, step: StepState, shown: StepId | None) -> ListRow:
        flow = self._session.flow
        if step.call:
            phase = self.tr("before the call") if step.held_phase == "before" else self.tr("after the answer")
        else:
            phase = self.tr("before it reads") if step.held_phase == "before" else self.tr("after it gave")
        why = f"{phase} · {step.held_reason}" if step.held_reason else phase
        return ListRow(
            step.id, held_title(flow, step, self._library), why, "state.held", is_current=step.id == shown
        )

    def _show_scopes(self, state: RunState | None, step: StepState | None) -> None:
        if state is None or step is None:
            self.scopes.show_rows([])
            return
        rows = [
            ListRow(
                one.step,
                one.title,
                one.detail,
                f"state.{step_tone(one.status)}" if one.status else "state.running",
                is_current=one.step == step.id,
            )
            for one in scopes_of(self._session.flow, state, step, self._library)
        ]
        self.scopes.show_rows(rows)

    def _show_values(self, step: StepState | None, state: RunState | None) -> None:
        known = dict(state.variables.known) if state is not None else {}
        key = (id(step), id(step.inputs), id(step.outputs)) if step is not None else None
        if (key, known) == self._key:
            return
        self._key = key, known
        clear_cards(self._cards)
        variables = [(self.tr("variable {name}").format(name=name), shown) for name, shown in known.items()]
        if step is None:
            self._values_section.set_title(self.tr("Variables of the run") if known else self.tr("Values"))
            self._add_cards(variables)
            return
        self._values_section.set_title(wording.step_title(self._session.flow, step.id, self._library))
        self._add_cards([*step.inputs.items(), *step.outputs.items(), *variables])

    def _add_cards(self, values: Sequence[tuple[str, Shown]]) -> None:
        for card in value_cards(self._look, values, self._page):
            self._cards.append(card)
            self._values.insertWidget(self._values.count() - 1, card)

    def _with_pins(self, left: QWidget) -> QWidget:
        """Have the pins beneath the breakpoints, where there are any."""
        self.pins = PinList(self._session, self)
        self.pins.chosen.connect(self.node_chosen)
        self.unpin = self._button(self.tr("Unpin all"), self.tr("Let every node be executed again"))
        self.unpin.clicked.connect(self._session.pins.clear)
        self._pinned = Section(self._look, self.tr("Pinned"), self.pins, self.unpin, parent=self)
        both = QWidget(self)
        rows = QVBoxLayout(both)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.addWidget(left, 1)
        rows.addWidget(self._pinned, 1)
        return both

    def _show_pins(self) -> None:
        self.pins.refresh()
        self._pinned.setVisible(bool(self.pins.count()))

    def _choose_scope(self, step: str) -> None:
        if step:
            self.step_chosen.emit(step)

    def _act(self, signal: object) -> None:
        held = self._debugger.held_in(self._debugger.run)
        chosen = self.held.current_key()
        step = chosen if any(one.id == chosen for one in held) else held[0].id if held else ""
        if step:
            signal.emit(step)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]

    def _button(self, words: str, tip: str) -> QPushButton:
        button = QPushButton(words, self)
        button.setToolTip(tip)
        return button


def _sideways(wide: QWidget, parent: QWidget) -> QScrollArea:
    """Let what is wider than half of a small screen be scrolled there, and fill what is larger."""
    area = QScrollArea(parent)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(wide)
    return area


def _stacked(parent: QWidget, *pages: QWidget) -> QStackedWidget:
    stack = QStackedWidget(parent)
    for page in pages:
        stack.addWidget(page)
    return stack
