"""The Experiments page: the project's experiments, and one with its verdict, charts, table and details."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QMenu,
    QSplitter,
    QStackedWidget,
    QWidget,
)

from studio.app.experiments.desk import ExperimentDesk
from studio.app.experiments.experiment_list import ListedExperiment
from studio.app.experiments.label_queue import agreement_words
from studio.errors import StoreError
from studio.experiments.charts import score_histograms
from studio.experiments.trial_pages import ShownTrial, TrialPages, Wanted
from studio.ui.buttons import push_button
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.experiments.label_view import LabellingView
from studio.ui.panels.experiments.list_rows import nothing_yet, rows_of
from studio.ui.panels.experiments.report_view import ReportView
from studio.ui.panels.experiments.table_page import TablePage
from studio.ui.panels.widgets.listing import Listing
from studio.ui.popup_menus import pop_up
from studio.ui.slots import of_any
from studio.ui.viewmodels.experiments.cell_choice import (
    Cell,
    Pair,
    cell_at,
    pair_of,
    regular_pair,
    trial_place,
)
from studio.ui.viewmodels.experiments.page_words import note_words, state_words
from studio.ui.viewmodels.experiments.table_rows import TableRows, reason_words, trial_words

LOOKS = 500
"""Milliseconds between two looks at trials that go on."""


class ExperimentsPage(QWidget):
    """Shows what a desk tells; what is asked of the window leaves by signals."""

    chosen = Signal(str)
    """The experiment of this name is to be shown."""
    new_asked = Signal()
    edit_asked = Signal()
    run_asked = Signal(str, str, str)
    """This run of this flow (its path in the project) is to be shown on the canvas; whose it is, in words."""
    pair_asked = Signal(object)
    """The runs of this `Pair` are to be compared."""
    nodes_asked = Signal(int)
    """What the nodes of a variant took over the listed rows is to be shown on the canvas."""
    page_asked = Signal()
    """The report is to be written as one file."""
    labels_asked = Signal(str)
    """Trials are to be labelled in the place of this scorer."""
    order_asked = Signal(object)
    """The rows of this `Wanted` are to be found; `show_order` takes them."""
    counts_asked = Signal(str)
    """How many rows have which score by this scorer; `show_counts` takes them."""
    file_asked = Signal(Path)
    """The file of the experiment is to be looked at."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.desk: ExperimentDesk | None = None
        self._titles: Mapping[str, str] = {}
        self._pages: TrialPages | None = None
        self._mark = ""
        self._looking = QTimer(self, interval=LOOKS)
        self._looking.timeout.connect(self._look_again)
        self.list = Listing(look, self.tr("Experiments"), self)
        self.list.chosen.connect(self.chosen)
        self.new_button = push_button(self.tr("New experiment…"), self, self.new_asked)
        look.changed.connect(self._draw_icons)
        self._draw_icons()
        self.empty = nothing_yet(look, self)
        self.empty.offer(self.tr("New experiment from this flow…"), self.new_asked.emit)
        self._build()
        self._join()
        self.setFocusProxy(self.table)
        for keys, act in (
            (QKeySequence(Qt.Modifier.CTRL | Qt.Key.Key_F), self.filters.words.setFocus),
            (QKeySequence(Qt.Modifier.CTRL | Qt.Key.Key_D), self.compare_chosen),
        ):
            shortcut = QShortcut(keys, self, context=Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(act)

    # ---------------------------------------------------------------- what is shown

    def show_list(self, found: Sequence[ListedExperiment], current: str, going: Collection[str] = ()) -> None:
        """List the experiments, some of them running; without any, say what they are for."""
        self._titles = {one.name: one.title for one in found}
        self.list.show_rows(rows_of(found, current, going))
        self._stack.setCurrentWidget(self._whole if found else self.empty)

    def show_desk(self, desk: ExperimentDesk) -> None:
        """Show another experiment."""
        self.desk = desk
        self._mark = ""
        self._leave_pages()
        self.inner.setCurrentWidget(self._table_page)
        self.table.show_rows(None)
        self.show_told("")

    def show_told(self, kind: str) -> None:
        """Show what the desk knows now; `kind` is the message that came, empty for all."""
        desk = self.desk
        if desk is None:
            return
        told = desk.told
        self.title.setText(str(desk.about.get("title") or self._titles.get(desk.name, desk.name)))
        self.run_bar.show_stage(told)
        self.said.setText(state_words(told))
        self.said.setVisible(bool(self.said.text()))
        self.filters.setVisible(bool(desk.about))
        self.wrong.setText("\n".join(told.problems))
        self.wrong.setVisible(bool(told.problems))
        self.progress.setVisible(told.stage.is_going)
        self.progress.setMaximum(told.total or 0)
        self.progress.setValue(told.done)
        self._looking.start() if told.stage.is_going else self._looking.stop()
        if kind == "progress":
            return
        self._open_table()
        self._show_report()
        if kind in {"ended", "report"}:
            self._look_again()
            self._show_histograms()

    def show_order(self, wanted: Wanted, places: Sequence[int]) -> None:
        """List these rows, in this order."""
        rows = self.table.trials.rows
        if rows is None:
            return
        rows.want(wanted, places)
        self.table.show_rows(rows)
        self.filters.show_count(len(places), int(self.desk.about.get("rows", 0)) if self.desk else 0)

    def show_counts(self, counts: Mapping[str, Sequence[int]]) -> None:
        """Show for each variant how many rows have which score."""
        self.histograms.show_chart(lambda width: score_histograms(counts, width))

    def close_page(self) -> None:
        """Let files go."""
        self._looking.stop()
        self._leave_pages()

    # ---------------------------------------------------------------- what is done

    def open_chosen(self, row: int, variant: int) -> None:
        """Show the run of a cell on the canvas; where there are repeats, ask which."""
        cell = self._cell(row, variant)
        if cell is None or not cell.over:
            return
        if len(cell.over) == 1:
            self._open(cell, cell.over[0])
            return
        menu = QMenu(self)
        for one in cell.over:
            action = menu.addAction(reason_words(one))
            action.triggered.connect(partial(self._open, cell, one))
            if one is cell.telling:
                menu.setActiveAction(action)
        index = self.table.trials.index(row, variant + 1)
        pop_up(menu, self.table.viewport().mapToGlobal(self.table.visualRect(index).bottomLeft()))

    def compare_chosen(self) -> None:
        """Compare the two chosen cells, or the chosen one with the baseline's of the same row."""
        pair = self.pair()
        if pair is not None:
            self.pair_asked.emit(pair)

    def pair(self) -> Pair | None:
        """The runs that would be compared; None where nothing is chosen that can be."""
        chosen = self.table.chosen
        if len(chosen) == 2:
            cells = [self._cell(*one) for one in chosen]
            return pair_of(cells[0], cells[1]) if cells[0] and cells[1] else None
        current = self.table.current
        rows, desk = self.table.trials.rows, self.desk
        if current is None or rows is None or desk is None or len(chosen) > 1:
            return None
        return regular_pair(desk.about, rows.row(current[0]), current[1])

    def _draw_icons(self) -> None:
        self.new_button.setIcon(self._look.icon("add"))

    def _build(self) -> None:
        small = self._look.length("space.small")
        side = QWidget(self)
        left = column_layout(side, small)
        left.addWidget(self.list, 1)
        left.addWidget(self.new_button)
        self.inner = QStackedWidget(self)
        self._table_page = parts = TablePage(self._look, self)
        self.title, self.early, self.verdict = parts.title, parts.early, parts.verdict
        self.where_button, self.report_button = parts.where_button, parts.report_button
        self.said, self.wrong, self.progress = parts.said, parts.wrong, parts.progress
        self.run_bar, self.filters, self.table = parts.run_bar, parts.filters, parts.table
        self.charts, self.charts_button = parts.charts, parts.charts_button
        self.bars, self.histograms = parts.bars, parts.histograms
        self.details = parts.details
        self.labelling = LabellingView(self._look, self)
        self.labelling.left.connect(self.show_table)
        self.report = ReportView(self._look, self)
        self.report.left.connect(self.show_table)
        self.report.page_asked.connect(self.page_asked)
        for one in (self._table_page, self.labelling, self.report):
            self.inner.addWidget(one)
        self._whole = QSplitter(Qt.Orientation.Horizontal, self)
        self._whole.addWidget(side)
        self._whole.addWidget(self.inner)
        self._whole.setStretchFactor(1, 1)
        wide = self._look.length("space.wide")
        self._whole.setSizes([wide * 9, wide * 50])
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self._whole)
        rows = column_layout(self, 0)
        rows.addWidget(self._stack)

    def _join(self) -> None:
        """Connect what a hand does."""
        self.where_button.clicked.connect(of_any(self._show_where))
        self.report_button.clicked.connect(of_any(self.show_report))
        self.run_bar.edit_asked.connect(self.edit_asked)
        self.run_bar.page_asked.connect(self.page_asked)
        self.run_bar.label_asked.connect(lambda: self.labels_asked.emit(self.filters.chosen.scorer))
        self.run_bar.nodes_asked.connect(self.nodes_asked)
        self.run_bar.file_asked.connect(self._ask_file)
        self.filters.wanted.connect(self._filter)
        self.table.sort_wanted.connect(self._want)
        self.table.opened.connect(self.open_chosen)
        self.table.chosen_changed.connect(self._show_details)
        self.table.menu_asked.connect(self._open_menu)
        self.details.open_button.clicked.connect(of_any(self._open_current))
        self.details.compare_button.clicked.connect(of_any(self.compare_chosen))

    def _open_table(self) -> None:
        """Show the rows of the table where there is one, and another one than was shown."""
        desk = self.desk
        if desk is None or not desk.about:
            return
        if self._mark == str(desk.about["mark"]) and self._pages is not None:
            return
        self._leave_pages()
        pages = TrialPages(desk.project, desk.name)
        try:
            pages.__enter__()
        except StoreError as error:
            self.wrong.setText(str(error))
            self.wrong.show()
            return
        self._pages, self._mark = pages, str(desk.about["mark"])
        self.filters.show_table(desk.about)
        self.run_bar.show_table(desk.variants, desk.scorers)
        rows = TableRows(pages)
        rows.want(self.filters.chosen)
        self.table.show_rows(rows)
        self.filters.show_count(rows.count, int(desk.about["rows"]))
        self._show_histograms()

    def _leave_pages(self) -> None:
        if self._pages is not None:
            self._pages.__exit__(None, None, None)
            self._pages = None

    def _look_again(self) -> None:
        """Read what is looked at once more; trials that were not there at first are by now."""
        if self._pages is not None and not self._pages.has_trials:
            self._mark = ""
            self._open_table()
            return
        self.table.trials.read_again()
        self._show_details()

    def _show_report(self) -> None:
        report = self.desk.told.report if self.desk is not None else None
        scorer = self.filters.chosen.scorer
        self._table_page.show_report(report, scorer)
        if report is not None and self.inner.currentWidget() is self.report:
            self.report.show_report(self.title.text(), report, scorer)
        self._show_details()

    def _show_histograms(self) -> None:
        if self._pages is not None and self.filters.chosen.scorer:
            self.counts_asked.emit(self.filters.chosen.scorer)

    def _filter(self, wanted: Wanted) -> None:
        """Have other rows listed, in the order that there is."""
        rows = self.table.trials.rows
        if rows is not None:
            self._want(replace(wanted, sort=rows.wanted.sort, is_descending=rows.wanted.is_descending))

    def _want(self, wanted: Wanted) -> None:
        rows = self.table.trials.rows
        if rows is not None and wanted.scorer != rows.wanted.scorer:
            self._show_report()
            self._show_histograms()
        self.order_asked.emit(wanted)

    def _cell(self, row: int, variant: int) -> Cell | None:
        rows, desk = self.table.trials.rows, self.desk
        if rows is None or desk is None or variant < 0 or row >= rows.count:
            return None
        return cell_at(desk.about, rows.row(row), variant)

    def _open(self, cell: Cell, trial: ShownTrial) -> None:
        self.run_asked.emit(cell.flow, trial.run, trial_place(cell, trial))

    def _open_current(self) -> None:
        current = self.table.current
        if current is not None:
            self.open_chosen(*current)

    def _show_details(self) -> None:
        current, rows = self.table.current, self.table.trials.rows
        cell = self._cell(*current) if current is not None else None
        row = (
            rows.row(current[0])
            if rows is not None and current is not None and current[0] < rows.count
            else None
        )
        outputs: Mapping[str, object] = {}
        if self._pages is not None and cell is not None and cell.over:
            outputs = self._pages.outputs(cell.telling.key)
        report = self.desk.told.report if self.desk is not None else None
        self.details.show_cell(row, cell, outputs, self.pair(), note_words(report))

    def _open_menu(self, at: QPoint) -> None:
        current = self.table.current
        cell = self._cell(*current) if current is not None else None
        menu = QMenu(self)
        if cell is not None:
            for one in cell.over:
                action = menu.addAction(self.tr("Open {trial}").format(trial=trial_words(one)))
                action.triggered.connect(partial(self._open, cell, one))
        menu.addSeparator()
        compare = menu.addAction(self.details.compare_button.text())
        compare.setEnabled(self.pair() is not None)
        compare.triggered.connect(self.compare_chosen)
        pop_up(menu, at)

    def _show_where(self) -> None:
        """List the rows on which the better variant is better, the first cell chosen that can be compared."""
        where = self._table_page.where
        if where is not None and self.desk is not None:
            variant = self.desk.variants.index(where.variant)
            self.filters.show_only("better", variant)
            self.table.setFocus()

    def _ask_file(self) -> None:
        if self.desk is not None:
            self.file_asked.emit(self.desk.path)

    def show_agreement(self) -> None:
        """Show how far people and scorer agree, where the last trial was labelled."""
        report = self.desk.told.report if self.desk is not None else None
        if self.inner.currentWidget() is self.labelling and report is not None:
            self.labelling.show_agreement(agreement_words(report, self.labelling.scorer))

    def show_labelling(self) -> None:
        """Show what labels are given in."""
        self.inner.setCurrentWidget(self.labelling)
        self.labelling.setFocus()

    def show_report(self) -> None:
        """Show the whole report."""
        self.inner.setCurrentWidget(self.report)
        self._show_report()
        self.report.setFocus()

    def show_table(self) -> None:
        """Show the table again."""
        self.inner.setCurrentWidget(self._table_page)
        self.table.setFocus()

    @property
    def pages(self) -> TrialPages | None:
        """The table that is read, where there is one."""
        return self._pages
