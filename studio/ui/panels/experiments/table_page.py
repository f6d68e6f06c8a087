"""The widgets around the table of one experiment: words, buttons, charts, filters, details."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QSplitter,
    QToolButton,
    QWidget,
)

from studio.experiments.charts import cost_scatter, score_bars
from studio.ui.buttons import push_button
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout, row_layout
from studio.ui.look import Look
from studio.ui.panels.experiments.chart_view import ChartView
from studio.ui.panels.experiments.details import CellDetails
from studio.ui.panels.experiments.filters import FilterBar
from studio.ui.panels.experiments.run_bar import RunBar
from studio.ui.panels.experiments.trial_table import TrialTable
from studio.ui.slots import of_flag
from studio.ui.viewmodels.experiments.page_words import Where, provisional_words, verdict_words, where_of

LOW = 27
"""Heights of `space.wide` below which charts would leave the table hardly a row."""

DETAILS: Mapping[bool, float] = {False: 8.0, True: 4.5}
"""How high the details of a cell are at first, in heights of `space.wide`: on a page that is low, and not."""


class TablePage(QWidget):
    """Lays them out; the page that shows an experiment fills them and hears them."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self._is_low: bool | None = None
        self._had_charts, self._is_drawn = True, False
        self.where: Where | None = None
        """Where the baseline goes wrong, as the shown report says."""
        small = look.length("space.small")
        self._make_words()
        self._make_charts()
        self.filters = FilterBar(look, self)
        self.filters.add(self.charts_button)
        self.table = TrialTable(look, self)
        self.details = CellDetails(look, self)
        self._below = below = QSplitter(Qt.Orientation.Vertical, self)
        below.addWidget(self.table)
        below.addWidget(self.details)
        below.setStretchFactor(0, 1)
        below.setCollapsible(0, False)
        whole = column_layout(self, (small * 2, small, small * 2, small), small)
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.run_bar)
        whole.addLayout(head)
        found = QHBoxLayout()
        said = column_layout(spacing=look.length("space.tight"))
        said.addWidget(self.early)
        said.addWidget(self.verdict)
        found.addLayout(said, 1)
        for one in (self.where_button, self.report_button):
            found.addWidget(one, 0, Qt.AlignmentFlag.AlignTop)
        whole.addLayout(found)
        for one in (self.said, self.wrong, self.progress, self.charts):
            whole.addWidget(one)
        whole.addWidget(self.filters)
        whole.addWidget(below, 1)

    def show_report(self, report: Mapping[str, Any] | None, scorer: str) -> None:
        """Show what a plain report says first, and draw it; without one, nothing."""
        for label, words in (
            (self.early, provisional_words(report)),
            (self.verdict, "\n".join(verdict_words(report, scorer))),
        ):
            label.setText(words)
            label.setVisible(bool(words))
        self.report_button.setVisible(report is not None)
        self.charts_button.setVisible(report is not None)
        self.where = where_of(report, scorer)
        self.where_button.setVisible(self.where is not None)
        if self.where is not None:
            words = self.tr("Where “{baseline}” goes wrong")
            self.where_button.setText(words.format(baseline=self.where.baseline))
        self._is_drawn = report is not None and bool(scorer)
        self._show_charts()
        if report is not None and scorer:
            self.bars.show_chart(lambda width: score_bars(report, scorer, width))
            self.scatter.show_chart(lambda width: cost_scatter(report, scorer, width, 150.0))

    def _show_charts(self) -> None:
        self.charts.setVisible(self._is_drawn and self.charts_button.isChecked())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold the charts away while there is too little height for them and the table, until asked for."""
        super().resizeEvent(event)
        is_low = self.height() < LOW * self._look.length("space.wide")
        if is_low == self._is_low:
            return
        if is_low:
            self._had_charts = self.charts_button.isChecked()
        self._is_low = is_low
        self.charts_button.setChecked(self._had_charts and not is_low)
        part = round(DETAILS[is_low] * self._look.length("space.wide"))
        self._below.setSizes([max(self._below.height() - part, 1), part])

    def _make_words(self) -> None:
        self.title = text_label("", self, "heading", is_plain=True)
        self.verdict = text_label("", self, "strong", wraps=True, is_plain=True)
        self.early = text_label("", self, "strong", "held", wraps=True, is_plain=True)
        self.where_button = QPushButton(self)
        tip = self.tr("All figures: differences, equal budgets, factors, judges, notes")
        self.report_button = push_button(self.tr("Report"), self, tip=tip)
        self.said = text_label("", self, "label", "muted", wraps=True, is_plain=True)
        self.wrong = text_label("", self, "label", "failed", wraps=True, is_plain=True, is_selectable=True)
        self.progress = QProgressBar(self)
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(self.tr("Progress"))
        self.run_bar = RunBar(self._look, self)

    def _make_charts(self) -> None:
        self.charts = QWidget(self)
        row = row_layout(self.charts, 0, self._look.length("space.wide"))
        self.bars, self.scatter, self.histograms = (ChartView(self._look, self.charts) for _ in range(3))
        for one in (self.bars, self.scatter, self.histograms):
            row.addWidget(one, 1, Qt.AlignmentFlag.AlignTop)
        self.charts_button = QToolButton(self)
        self.charts_button.setText(self.tr("Charts"))
        self.charts_button.setCheckable(True)
        self.charts_button.setChecked(True)
        self.charts_button.toggled.connect(of_flag(lambda _: self._show_charts()))
