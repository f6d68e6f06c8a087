"""The held steps of all runs of a flow, and what may be done to each."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QAction, QContextMenuEvent
from PySide6.QtWidgets import QMenu, QStackedWidget, QToolButton, QWidget

from studio.app.documents.session import Session
from studio.app.runs.debugger import Debugger, HeldStep
from studio.app.runs.live_run import LiveRun
from studio.flow.records import CallingLibrary
from studio.host.protocol import (
    CancelRun,
    DropStep,
    LetOthers,
    ReleaseStep,
    ResumeRun,
    RunAsked,
    SendStep,
    StepOn,
)
from studio.ids import RunId, StepId
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.widgets.empty import EmptyState
from studio.ui.panels.widgets.icon_button import icon_button
from studio.ui.panels.widgets.listing import Listing, ListRow
from studio.ui.panels.widgets.section import Section
from studio.ui.popup_menus import pop_up
from studio.ui.slots import of_flag, of_text
from studio.ui.viewmodels.run.shown_run import drawn_flow
from studio.ui.viewmodels.words import count_words
from studio.ui.viewmodels.words.held_words import held_title, why_held

ToStep = Callable[[RunId, StepId], RunAsked]
"""Makes what is asked to be done with a held step of a run."""

INTO: ToStep = partial(StepOn, how="into")
OUT: ToStep = partial(StepOn, how="out")


class HeldPart(QWidget):
    """Has a head with what is done most; everything is in the menu of a row."""

    chosen = Signal(str, str)
    """A held step is to be shown: its run, and its name."""
    asked = Signal(object)
    """What is to be done to a run, a `RunAsked`; it says to which run and step."""

    def __init__(
        self, look: Look, session: Session, debugger: Debugger, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._look, self._session, self._debugger = look, session, debugger
        self._shown: tuple[RunId, StepId] | None = None
        self.list = Listing(look, self.tr("Paused steps"), self)
        self.list.chosen.connect(of_text(self._choose))
        nothing = EmptyState(
            look,
            "hold",
            self.tr("Nothing is paused"),
            self.tr("Steps stopped by a breakpoint, Pause (F6) or Step (F10) appear here, from every run."),
            self,
        )
        self._stack = QStackedWidget(self)
        self._stack.addWidget(nothing)
        self._stack.addWidget(self.list)
        self.step_button = self._button("step", self.tr("Continue, and pause at the next step (F10)"), StepOn)
        self.into_button = self._button("step_into", self.tr("Step into it (F11)"), INTO)
        self.out_button = self._button("step_out", self.tr("Step out of it (Shift+F11)"), OUT)
        self.release_button = self._button(
            "play", self.tr("Continue this step only; others stay paused"), ReleaseStep
        )
        self.continue_button = self._button("continue", self.tr("Continue the whole run (F8)"), ResumeRun)
        self.more_button = icon_button(look, "more", self.tr("More actions"), self)
        self.more_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._more = QMenu(self)
        self._more.aboutToShow.connect(lambda: self._fill(self._more))
        self.more_button.setMenu(self._more)
        self._buttons = (
            self.step_button,
            self.into_button,
            self.out_button,
            self.release_button,
            self.continue_button,
            self.more_button,
        )
        rows = column_layout(self, 0)
        self.section = Section(look, self.tr("Paused"), self._stack, *self._buttons, parent=self)
        rows.addWidget(self.section)
        self.refresh(None, None)

    def refresh(self, run: RunId | None, step: StepId | None, library: CallingLibrary | None = None) -> None:
        """Show what is held now; `step` of `run` is the one that the window shows."""
        self._shown = (run, step) if run is not None and step is not None else None
        held, runs = self._debugger.held, self._debugger.runs
        is_many = len(runs) > 1 or any(self._debugger.is_detached(one) for one in runs)
        rows: list[ListRow] = []
        for one in runs:
            inside = [held_step for held_step in held if held_step.run is one]
            if is_many:
                rows.append(self._run_row(one, len(inside)))
            rows += [self._row(held_step, library, depth=int(is_many)) for held_step in inside]
        self.list.show_rows(rows)
        self._stack.setCurrentIndex(1 if rows else 0)
        for button in self._buttons:
            button.setVisible(bool(rows))
            button.setEnabled(bool(held) or button is self.more_button)
        self.section.set_title(
            self.tr("Paused ({count})").format(count=len(held)) if len(held) > 1 else self.tr("Paused")
        )

    @property
    def current(self) -> HeldStep | None:
        """What is acted on: the row of the keyboard, else the shown step, else the longest waiting."""
        held = self._debugger.held
        key = self.list.current_key()
        found = next((one for one in held if one.key == key), None)
        if found is None and self._shown is not None:
            found = next((one for one in held if (one.run.run, one.id) == self._shown), None)
        return found or next((one for one in held if one.run.run == key), None) or next(iter(held), None)

    @property
    def current_run(self) -> LiveRun | None:
        """The run that the keyboard stands on, or that of the held step."""
        key = self.list.current_key()
        named = next((run for run in self._debugger.runs if run.run == key), None)
        return named or (self.current.run if self.current is not None else None)

    def focus_list(self) -> None:
        """Put the keyboard into the list, on the step that is shown, where it is held."""
        shown = " ".join(self._shown or ())
        keys = [row.key for row in self.list.rows]
        if shown in keys:
            self.list.setCurrentRow(keys.index(shown))
        elif self.list.currentRow() < 0 and keys:
            self.list.setCurrentRow(0)
        self.list.setFocus()

    def ask(self, make: ToStep) -> None:
        """Have something done to the held step that is acted on."""
        held = self.current
        if held is not None:
            self.asked.emit(make(held.run.run, held.id))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer what can be done to the row."""
        is_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        current = (
            self.list.visualItemRect(self.list.currentItem()).center() if self.list.count() else QPoint()
        )
        menu = self.make_menu()
        if menu.isEmpty():
            return
        pop_up(menu, self.list.viewport().mapToGlobal(current) if is_key else event.globalPos())

    def make_menu(self) -> QMenu:
        """The menu of the row that the keyboard stands on."""
        menu = QMenu(self)
        self._fill(menu)
        return menu

    def offer(self, menu: QMenu, held: HeldStep) -> None:
        """Put into a menu what can be done with one held step, beside the buttons that stand there."""
        run, step = held.run.run, held.id
        is_before = held.step.held_phase == "before"
        self._add(menu, self.tr("Step into"), INTO(run, step))
        self._add(menu, self.tr("Step out"), OUT(run, step))
        self._add(menu, self.tr("Continue this step only"), ReleaseStep(run, step))
        menu.addSeparator()
        self._add(menu, self.tr("Drop it") if is_before else self.tr("Drop its output"), DropStep(run, step))
        cases = self._debugger.cases(step, run=held.run)
        if cases:
            inner = menu.addMenu(self.tr("Send to another case"))
            for port in cases:
                self._add(inner, port.label or str(port.name), SendStep(run, step, str(port.name)))

    def _fill(self, menu: QMenu) -> None:
        for inner in menu.findChildren(QMenu):
            inner.deleteLater()  # clearing leaves them behind
        menu.clear()
        held, run = self.current, self.current_run
        if held is not None and held.run is run:
            menu.addAction(self.tr("Show it"), partial(self.chosen.emit, held.run.run, held.id))
            menu.addSeparator()
            self._add(menu, self.tr("Step"), StepOn(held.run.run, held.id))
            self.offer(menu, held)
            menu.addSeparator()
        if run is not None:
            self._offer_run(menu, run)
        if run is not None and len(self._debugger.runs) > 1:
            menu.addSeparator()
            menu.addAction(self.tr("Continue all runs"), self._debugger.resume_all)
            menu.addAction(self.tr("Pause all runs"), self._debugger.hold_all)
            menu.addAction(self.tr("Stop all runs"), self._debugger.cancel_all)

    def _offer_run(self, menu: QMenu, run: LiveRun) -> None:
        on = self._add(menu, self.tr("Continue the run"), ResumeRun(run.run))
        on.setEnabled(bool(run.state.held_steps))
        lets = self._debugger.lets_others(run)
        others = self._add(menu, self.tr("Run other steps while one is paused"), LetOthers(run.run, not lets))
        others.setCheckable(True)
        others.setChecked(lets)
        if self._debugger.is_detached(run):
            menu.addAction(self.tr("Attach again"), partial(self._debugger.attach_again, run))
        else:
            menu.addAction(self.tr("Detach: let it run on by itself"), partial(self._debugger.detach, run))
        self._add(menu, self.tr("Stop the run"), CancelRun(run.run))

    def _add(self, menu: QMenu, words: str, asked: RunAsked) -> QAction:
        """Put into a menu what is asked to be done."""
        return menu.addAction(words, partial(self.asked.emit, asked))

    def _choose(self, key: str) -> None:
        run, _, step = key.partition(" ")
        self.chosen.emit(run, step)

    def _row(self, held: HeldStep, library: CallingLibrary | None, *, depth: int) -> ListRow:
        step = held.step
        if step.call:
            phase = self.tr("before the call") if step.held_phase == "before" else self.tr("after the answer")
        else:
            phase = self.tr("before it runs") if step.held_phase == "before" else self.tr("after it ran")
        why = f"{phase} · {why_held(step)}" if step.held_reason else phase
        why = why_held(step) if step.held_reason in {"error", "policy"} else why
        flow = drawn_flow(held.run, self._session.flow)
        title = held_title(flow, step, library)
        is_shown = (held.run.run, held.id) == self._shown
        return ListRow(
            held.key, title, why, "state.held", f"{title}\n{why}", is_current=is_shown, depth=depth
        )

    def _run_row(self, run: LiveRun, held: int) -> ListRow:
        if self._debugger.is_detached(run):
            said = self.tr("detached")
        elif held:
            said = self.tr("{count} paused").format(count=held)
        else:
            said = self.tr("none paused")
        title = self.tr("Run of {time}").format(time=count_words.moment(run.state.started))
        return ListRow(run.run, title, said, "state.held" if held else "state.running", run.state.flow_name)

    def _button(self, icon: str, words: str, make: ToStep) -> QToolButton:
        button = icon_button(self._look, icon, words, self)
        button.clicked.connect(of_flag(lambda _: self.ask(make)))
        return button
