"""The left part of the debugger: what a flow is held at and for, and what is done to that."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QContextMenuEvent, QShowEvent
from PySide6.QtWidgets import QMenu, QStackedWidget, QWidget

from studio.app.documents.breakpoints import Breakpoint, Breakpoints, Row, place_parts
from studio.app.documents.session import Session
from studio.app.runs.debugger import Debugger
from studio.runtime.gates.breakpoints import On
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.debugger.breakpoint_list import Reading
from studio.ui.panels.debugger.breakpoint_page import BreakpointPage
from studio.ui.panels.debugger.breakpoint_rows import BreakRow
from studio.ui.panels.debugger.breakpoints import BreakpointList
from studio.ui.panels.widgets.empty import EmptyState
from studio.ui.panels.widgets.icon_button import icon_button
from studio.ui.panels.widgets.section import Section
from studio.ui.popup_menus import pop_up
from studio.ui.slots import of_flag
from studio.ui.viewmodels.words.breakpoint_advice import Advice
from studio.ui.viewmodels.words.breakpoint_words import what_happens

CATCHES: tuple[On, ...] = ("error", "tool", "policy", "budget", "text")


class BreakpointPart(QWidget):
    """Has a head of its own; `chosen` tells the node of this flow to show, `called` one of another flow."""

    chosen = Signal(str)
    called = Signal(str, str)

    def __init__(
        self, look: Look, session: Session, debugger: Debugger, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._look, self._session = look, session
        self._own = debugger.breakpoints
        self.breakpoints_of: Callable[[str], Breakpoints] = debugger.breakpoints.of_flow
        """Gives the breakpoints of another flow of the project."""
        self._reading = Reading(session, self._own)
        self._known: list[Row] = []
        """What there was when it was last looked."""
        self._removed: list[Row] = []
        """What was removed last, by whichever hand."""
        self.list = BreakpointList(look, self)
        self.list.chosen.connect(self._choose)
        self.list.switched.connect(self._switch)
        self.list.edit_asked.connect(self.edit)
        self.list.remove_asked.connect(self.remove)
        self.page = BreakpointPage(look, self)
        self.page.left.connect(self._return)
        self.page.remove_asked.connect(
            lambda: self._owner(self.page.key[0]).set(self.page.key[1], state=None)
        )
        self._stack = QStackedWidget(self)
        for page in (self._empty_state(), self.list, self.page):
            self._stack.addWidget(page)
        self.add_button = icon_button(look, "add", self.tr("Pause on an event"), self)
        self.catches = QMenu(self)
        self.catches.aboutToShow.connect(self._fill_catches)
        self.add_button.clicked.connect(self.ask_for_catch)
        self.edit_button = icon_button(
            look,
            "edit",
            self.tr("Edit the selected breakpoint (F2)"),
            self,
            lambda: self._with_current(self.edit),
        )
        self.all_button = icon_button(
            look, "breakpoint_off", self.tr("Disable or enable all"), self, self.switch_all
        )
        self.remove_button = icon_button(
            look,
            "remove",
            self.tr("Remove the selected breakpoint (Delete)"),
            self,
            lambda: self._with_current(self.remove),
        )
        rows = column_layout(self, 0)
        beside = (self.add_button, self.edit_button, self.all_button, self.remove_button)
        self.section = Section(look, self.tr("Breakpoints"), self._stack, *beside, parent=self)
        rows.addWidget(self.section)
        self.list.currentItemChanged.connect(self._show_buttons)
        self._end = self._own.on_change(self.refresh)
        self.refresh()

    def close_session(self) -> None:
        """Stop listening; the part is not used afterwards."""
        self._end()

    def refresh(self) -> None:
        """Read breakpoints and the titles of nodes again."""
        self._note_removed()
        rows = self._reading.rows()
        self.list.show_rows(rows)
        if self.page.is_shown:
            key = self.page.key
            if key not in [row.key for row in rows]:
                self.page.drop()
                return
        else:
            self._stack.setCurrentIndex(1 if rows else 0)
        self.bring_back.setVisible(bool(self._removed))
        self._show_buttons()

    def show_hits(self, hits: Mapping[str, int], ringed: frozenset[str] = frozenset()) -> None:
        """Say how often each was met in the run that is shown, and which hold it or were met just now."""
        if self._reading.count(hits, ringed):
            self.list.show_rows([self._reading.counted(row) for row in self.list.rows])

    def focus_list(self) -> None:
        """Put the keyboard into the list; where it is empty, to what fills it."""
        if self.page.is_shown:
            self.page.focus_first()
        elif self.list.count():
            self.list.setCurrentRow(max(self.list.currentRow(), 0))
            self.list.setFocus()
        else:
            self.add_button.setFocus()

    def ask_for_catch(self) -> None:
        """Offer what a run can be held for."""
        self._fill_catches()
        self.catches.popup(self.add_button.mapToGlobal(self.add_button.rect().bottomLeft()))

    def edit(self, row: BreakRow) -> None:
        """Show the fields of one."""
        flow = self._session.called_flows()[row.flow] if row.flow else self._session.flow
        advice = Advice(row.breakpoint, flow, self._session.registry)
        owner = self._owner(row.flow)

        def keep(one: Breakpoint, before: str) -> None:
            owner.put(one, is_on=owner.state(before) is not False, instead_of=before)

        self.page.open(row, advice, keep)
        self._stack.setCurrentIndex(2)
        self._show_buttons()
        self.page.focus_first()

    def edit_key(self, key: str, called: str = "") -> None:
        """Show the fields of one of this flow, or of one that it calls, by its key."""
        self.refresh()
        row = next((one for one in self.list.rows if one.key == (called, key)), None)
        if row is not None:
            self.list.stand_on(row.key)
            self.edit(row)

    def remove(self, row: BreakRow) -> None:
        """Remove one."""
        self._owner(row.flow).set(row.breakpoint.key, state=None)

    def catch(self, on: On, *, is_on: bool = True) -> None:
        """Hold when something of this kind happens anywhere in the run, or no longer."""
        one = Breakpoint(on=on)
        known = self._own.get(one.key)
        if known is None and is_on:
            self._own.put(one)
        elif known is not None:
            self._own.set(one.key, state=is_on or (None if known == one else False))
        if on == "text" and is_on:
            self.edit_key(one.key)

    def switch_all(self) -> None:
        """Switch all of this flow off; where all are off, on."""
        self._own.switch_all(is_on=not any(row.is_on for row in self._own.rows))

    def clear(self) -> None:
        """Remove all of this flow; the empty place offers to bring them back."""
        self._own.clear()
        self.refresh()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer what can be done to the row, and to all."""
        at = self.list.visualItemRect(self.list.currentItem()).center() if self.list.current else QPoint()
        is_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        menu = self.make_menu()
        pop_up(menu, self.list.viewport().mapToGlobal(at) if is_key else event.globalPos())

    def make_menu(self) -> QMenu:
        """The menu of the row that the keyboard stands on, and of all."""
        menu, row = QMenu(self), self.list.current
        if row is not None and self._stack.currentIndex() == 1:
            if row.breakpoint.place:
                menu.addAction(self.tr("Go to it")).triggered.connect(lambda: self._choose(row))
            menu.addAction(self.tr("Edit…")).triggered.connect(lambda: self.edit(row))
            switch = menu.addAction(self.tr("Enabled"))
            switch.setCheckable(True)
            switch.setChecked(row.is_on)
            switch.toggled.connect(of_flag(lambda is_on: self._switch(row, is_on)))
            menu.addAction(self.tr("Remove")).triggered.connect(lambda: self.remove(row))
            menu.addSeparator()
        self._fill_catches()
        menu.addMenu(self.catches)
        self.catches.setTitle(self.tr("Pause on"))
        menu.addSeparator()
        some_on = any(one.is_on for one in self._own.rows)
        all_words = self.tr("Disable all") if some_on else self.tr("Enable all")
        for words, act, has_some in (
            (all_words, self.switch_all, self._own.rows),
            (self.tr("Remove all"), self.clear, self._own.rows),
            (self.tr("Restore removed breakpoints"), self._bring_back, self._removed),
        ):
            action = menu.addAction(words)
            action.triggered.connect(act)
            action.setEnabled(bool(has_some))
        return menu

    def showEvent(self, event: QShowEvent) -> None:
        """Breakpoints of called flows are also set where those are open."""
        super().showEvent(event)
        self.refresh()

    def _owner(self, flow: str) -> Breakpoints:
        return self.breakpoints_of(flow) if flow else self._own

    def _choose(self, row: object) -> None:
        if not isinstance(row, BreakRow) or not row.breakpoint.place:
            return
        node = place_parts(row.breakpoint.place)[0]
        if row.flow:
            self.called.emit(row.flow, node)
        else:
            self.chosen.emit(node)

    def _switch(self, row: BreakRow, is_on: bool) -> None:  # noqa: FBT001  # a slot
        self._owner(row.flow).set(row.breakpoint.key, state=is_on)

    def _return(self) -> None:
        """Show the list again; what was to look for a text and has none goes."""
        nothing = Breakpoint(on="text").key
        if self._own.get(nothing) == Breakpoint(on="text"):
            self._own.set(nothing, state=None)
        self.refresh()
        if self.list.isVisible():
            self.list.stand_on(self.page.key)
            self.list.setFocus()

    def _with_current(self, act: Callable[[BreakRow], None]) -> None:
        if (row := self.list.current) is not None:
            act(row)

    def _fill_catches(self) -> None:
        self.catches.clear()
        for on in CATCHES:
            action = self.catches.addAction(what_happens(on))
            action.setCheckable(on != "text")
            action.setChecked(on != "text" and self._own.state(Breakpoint(on=on).key) is True)
            action.triggered.connect(
                of_flag(lambda is_on, on=on: self.catch(on, is_on=is_on or on == "text"))
            )

    def _show_buttons(self) -> None:
        self.section.show_head(is_shown=not self.page.is_shown)
        is_list = self._stack.currentIndex() == 1
        has_row = is_list and self.list.current is not None
        self.edit_button.setEnabled(has_row)
        self.remove_button.setEnabled(has_row)
        self.all_button.setEnabled(bool(self._own.rows))

    def _empty_state(self) -> EmptyState:
        empty = EmptyState(
            self._look,
            "breakpoint",
            self.tr("No breakpoints"),
            self.tr(
                "Select a node and press F9 to pause the run before it, click a port, or pause on an event."
            ),
            self,
        )
        self.bring_back = empty.offer(self.tr("Restore removed breakpoints"), self._bring_back)
        return empty

    def _note_removed(self) -> None:
        """Note what is gone; not what became another one, nor what went, and comes back, with its node."""
        before, self._known = self._known, self._own.rows
        keys = {row.key for row in self._known}
        gone = [row for row in before if row.key not in keys]
        nodes = self._session.flow.nodes
        is_kept = all(
            not row.breakpoint.place or place_parts(row.breakpoint.place)[0] in nodes for row in gone
        )
        if gone and is_kept and keys <= {row.key for row in before}:
            self._removed = gone

    def _bring_back(self) -> None:
        removed, self._removed = self._removed, []
        for row in removed:
            self._own.put(row.breakpoint, is_on=row.is_on)
        self.refresh()
