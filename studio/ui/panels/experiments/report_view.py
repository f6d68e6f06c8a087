"""The whole report, part by part: figures, differences, budgets, factors, judges, the early end, notes."""

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QScrollArea,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from studio.experiments.charts import effect_points
from studio.experiments.report_parts import Grid, Part, parts_of
from studio.ui.buttons import push_button
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.experiments.chart_view import ChartView
from studio.ui.viewmodels.experiments.page_words import provisional_words, verdict_words


class ReportView(QWidget):
    """Shows the parts of a plain report, one below the other, made anew where the report is another."""

    left = Signal()
    """The person goes back to the table."""
    page_asked = Signal()
    """The report is to be written as one file."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self.parts: Sequence[Part] = ()
        self.title = text_label("", self, "heading", is_plain=True)
        self.verdict = _said("", self, "strong")
        self.early = _said("", self, tone="held")
        save = push_button(self.tr("Save…"), self, self.page_asked)
        self.back_button = push_button(
            self.tr("Back to the table"), self, self.left, tip=self.tr("Back to the table (Esc)")
        )
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(save)
        head.addWidget(self.back_button)
        self._scroll = QScrollArea(self)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setAccessibleName(self.tr("The report, part by part"))
        self._body = QWidget(self)
        small = look.length("space.small")
        rows = column_layout(self, (2 * small, small, 2 * small, 0), small)
        rows.addLayout(head)
        rows.addWidget(self.early)
        rows.addWidget(self.verdict)
        rows.addWidget(self._scroll, 1)
        self.setFocusProxy(self._scroll)

    def show_report(self, title: str, report: Mapping[str, Any], scorer: str) -> None:
        """Show a plain report, what it says first by one of its scorers."""
        self.title.setText(title)
        for label, words in (
            (self.early, provisional_words(report)),
            (self.verdict, "\n".join(verdict_words(report, scorer))),
        ):
            label.setText(words)
            label.setVisible(bool(words))
        parts = parts_of(report)
        if parts == self.parts:
            return
        self.parts = parts
        at = self._scroll.verticalScrollBar().value()
        self._body = self._made(parts)
        self._scroll.setWidget(self._body)
        self._scroll.verticalScrollBar().setValue(at)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go back with Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
            return
        super().keyPressEvent(event)

    def _made(self, parts: Sequence[Part]) -> QWidget:
        body = QWidget(self)
        small = self._look.length("space.small")
        rows = column_layout(body, (0, 0, small, 2 * small), small)
        for part in parts:
            rows.addSpacing(small)
            rows.addWidget(_said(part.title, body, "heading"))
            if part.about:
                rows.addWidget(_said(part.about, body, "label", "muted"))
            if part.effects:
                chart = ChartView(self._look, body)
                chart.setMaximumWidth(self._look.length("space.wide") * WIDEST)
                chart.show_chart(lambda width, effects=part.effects: effect_points(effects, width))
                rows.addWidget(chart)
            for grid in part.grids:
                if grid.title:
                    rows.addWidget(_said(grid.title, body, "section"))
                rows.addWidget(GridTable(self._look, grid, part.title, body))
            for words in part.words:
                rows.addWidget(_said(words, body))
        rows.addStretch(1)
        return body


WIDEST = 34
"""How wide a chart of effects is at most, in wide gaps: wider, its names stand too far from its dots."""


class GridTable(QTableWidget):
    """A table of a report, as high as its lines, and no wider than what stands in it."""

    def __init__(self, look: Look, grid: Grid, part: str, parent: QWidget) -> None:
        super().__init__(len(grid.lines), len(grid.head), parent)
        self.setAccessibleName(f"{part}: {grid.title}" if grid.title else part)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(look.length("size.row"))
        head = self.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionsClickable(False)
        head.setHighlightSections(False)
        for line, cells in enumerate([grid.head, *grid.lines]):
            for column, words in enumerate(cells):
                item = QTableWidgetItem(words)
                side = Qt.AlignmentFlag.AlignLeft if column < grid.names else Qt.AlignmentFlag.AlignRight
                item.setTextAlignment(side | Qt.AlignmentFlag.AlignVCenter)
                if line:
                    self.setItem(line - 1, column, item)
                else:
                    self.setHorizontalHeaderItem(column, item)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Make room for a bar where it is too narrow."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        head, frame = self.horizontalHeader(), 2 * self.frameWidth()
        self.setMaximumWidth(head.length() + frame)
        high = head.sizeHint().height() + self.verticalHeader().length() + frame
        if self.width() < head.length():
            high += self.horizontalScrollBar().sizeHint().height()
        self.setFixedHeight(high)


def _said(words: str, parent: QWidget, kind: str = "", tone: str = "") -> QLabel:
    """A label of plain text: what stands in data is never read as markup."""
    return text_label(words, parent, kind, tone, wraps=True, is_plain=True, is_selectable=True)
