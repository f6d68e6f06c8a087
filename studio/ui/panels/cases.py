"""The cases of the project: what steps are expected to give, and how it went when they ran last."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QStackedLayout, QWidget

from studio.app.experiments.case_runs import CaseRuns
from studio.experiments.cases.case_files import Case
from studio.ui.buttons import push_button
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.widgets.button_rows import Wrapping
from studio.ui.panels.widgets.empty import EmptyState
from studio.ui.panels.widgets.listing import Listing, ListRow
from studio.ui.slots import of_text


class CasesPanel(QWidget):
    """Lists cases; what is asked of them is told, and done elsewhere."""

    run_asked = Signal(object)
    """Run these cases."""
    remove_asked = Signal(object)
    """Remove this case."""
    case_chosen = Signal(object)
    """Show this case: its node, and the run in which it was tried last."""
    stop_asked = Signal()

    def __init__(self, look: Look, runs: CaseRuns, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._runs = runs
        self._cases: dict[str, Case] = {}
        hint = self.tr("Select a step, then choose Run → Evaluate → Turn the shown step into a case.")
        self.empty = EmptyState(look, "check", self.tr("No cases yet"), hint, self)
        page = QWidget(self)
        self.list = _CaseList(look, self.tr("Cases"), page)
        self.list.chosen.connect(of_text(lambda key: self.case_chosen.emit(self._cases[key])))
        self.list.removed.connect(self._remove)
        self.run_all = push_button(self.tr("Run all"), self, tip=self.tr("Run every case, one after another"))
        self.run_all.clicked.connect(lambda: self.run_asked.emit(list(self._cases.values())))
        self.run_one = push_button(self.tr("Run this"), self, tip=self.tr("Run the selected case"))
        self.run_one.clicked.connect(lambda: self.run_asked.emit(self._current()))
        self.stop = push_button(self.tr("Stop"), self, tip=self.tr("Stop the running case and run no more"))
        self.stop.clicked.connect(self.stop_asked)
        self.remove = push_button(self.tr("Remove"), self, tip=self.tr("Remove the selected case (Delete)"))
        self.remove.clicked.connect(self._remove)
        buttons = Wrapping(spacing=look.length("space.small"))
        for one in (self.run_all, self.run_one, self.stop, self.remove):
            buttons.addWidget(one)
        small = look.length("space.small")
        rows = column_layout(page, small)
        rows.addLayout(buttons)
        rows.addWidget(self.list, 1)
        self.list.currentRowChanged.connect(self._follow)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(page)
        self._end = runs.on_change(self.refresh)

    def close_cases(self) -> None:
        """Stop listening; the panel is not used afterwards."""
        self._end()

    def show_cases(self, cases: Sequence[Case]) -> None:
        """List these cases."""
        self._cases = {f"{one.flow}\n{one.name}": one for one in cases}
        self.refresh()

    def refresh(self) -> None:
        """Say anew how the cases went."""
        self._stack.setCurrentIndex(1 if self._cases else 0)
        self.list.show_rows([self._row(key, case) for key, case in self._cases.items()])
        self._follow()

    def _row(self, key: str, case: Case) -> ListRow:
        verdict = self._runs.verdict(case)
        if self._runs.is_running(case):
            said, color = self.tr("runs…"), "state.running"
        elif verdict is None:
            said, color = self.tr("not run yet"), "state.skipped"
        elif verdict.is_passed:
            said, color = "; ".join((self.tr("as expected"), *verdict.remarks)), "state.done"
        else:
            said, color = "; ".join((*verdict.reasons, *verdict.remarks)), "state.failed"
        if case.made_up:
            said = self.tr("{said}; with made-up answers").format(said=said)
        place = f"{case.flow}: {case.node}"
        return ListRow(key, case.name, f"{said}   ·   {place}", color, f"{place}\n{said}")

    def _current(self) -> list[Case]:
        case = self._cases.get(self.list.current_key())
        return [] if case is None else [case]

    def _remove(self) -> None:
        for case in self._current():
            self.remove_asked.emit(case)

    def _follow(self) -> None:
        has = bool(self._current())
        self.run_one.setEnabled(has)
        self.remove.setEnabled(has)
        self.stop.setEnabled(self._runs.is_busy)


class _CaseList(Listing):
    removed = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Delete removes."""
        if event.key() in {Qt.Key.Key_Delete, Qt.Key.Key_Backspace}:
            self.removed.emit()
            return
        super().keyPressEvent(event)
