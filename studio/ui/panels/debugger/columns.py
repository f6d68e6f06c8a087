"""Parts beside one another where there is room; above one another, or behind tabs, where there is less."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QSplitter, QTabWidget, QWidget

from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.widgets.section import Section
from studio.ui.slots import of_number

COLUMN = 10
"""How wide, in wide gaps, a part has to be to be read."""
STACKED = 12
"""How high, in wide gaps, a part has to be to stand above another."""


@dataclass(frozen=True, slots=True)
class Part:
    """One of the parts: what its tab says, what stands in it, its head, and its share of the width."""

    title: str
    widget: QWidget
    section: Section
    share: int


class Columns(QWidget):
    """Shows all parts at once, or two columns of them, or one, by the room that it is given.

    Nothing is arranged before room is given: a panel that nobody has seen has none.
    """

    def __init__(self, look: Look, parts: Sequence[Part], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look, self._parts = look, tuple(parts)
        self._shape: tuple[int, bool] = (0, False)
        self._tabs: list[QTabWidget] = []
        self._raised: list[QWidget] = []
        """The parts that were brought to the front, the last one last."""
        self._splitter: QSplitter | None = None
        self._area = QScrollArea(self)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the keyboard would stand there unseen
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setWidgetResizable(True)
        self._area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        rows = column_layout(self, 0)
        rows.addWidget(self._area)

    @property
    def shape(self) -> tuple[int, bool]:
        """How many columns there are, and whether the parts of one stand above one another."""
        return self._shape

    def arrange(self, width: int, height: int) -> None:
        """Make as many columns as fit."""
        least, many = self._look.length("space.wide") * COLUMN, len(self._parts)
        columns = many if width >= least * many else many // 2 if width >= least * 2 else 1
        is_high = height >= self._look.length("space.wide") * STACKED * (many // columns)
        if (columns, is_high) != self._shape:
            self._shape = columns, is_high
            self._build()

    def bring_up(self, widget: QWidget) -> None:
        """Have the tab of a part in front, where it has one."""
        if (tabs := self._tabs_of(widget)) is not None:
            tabs.setCurrentWidget(widget)
        self._note(widget)

    def is_behind(self, widget: QWidget) -> bool:
        """Whether another part stands in front of it."""
        if self._splitter is None:
            return widget is not (self._raised[-1] if self._raised else self._parts[0].widget)
        tabs = self._tabs_of(widget)
        return tabs is not None and tabs.currentWidget() is not widget

    def _tabs_of(self, widget: QWidget) -> QTabWidget | None:
        return next((tabs for tabs in self._tabs if tabs.indexOf(widget) >= 0), None)

    def _build(self) -> None:
        before, self._splitter = self._splitter, QSplitter(Qt.Orientation.Horizontal)
        self._splitter.setChildrenCollapsible(False)
        for tabs in self._tabs:
            tabs.blockSignals(True)  # what is taken out of it raises nothing
        self._tabs = []
        columns, is_high = self._shape
        each = len(self._parts) // columns
        for at in range(0, len(self._parts), each):
            parts = self._parts[at : at + each]
            column = self._column(parts, is_high=is_high)
            self._splitter.addWidget(column)
            self._splitter.setStretchFactor(at // each, sum(part.share for part in parts))
        wide = self._look.length("space.wide")
        self._splitter.setSizes(
            [
                wide * sum(part.share for part in self._parts[at : at + each])
                for at in range(0, len(self._parts), each)
            ]
        )
        self._area.takeWidget()
        self._area.setWidget(self._splitter)
        for part in self._parts:
            part.section.show_title(is_shown=not self._tabs)
            if not self._tabs:
                part.widget.show()
        if before is not None:
            before.deleteLater()

    def _column(self, parts: Sequence[Part], *, is_high: bool) -> QWidget:
        if len(parts) == 1:
            return parts[0].widget
        if is_high:
            column = QSplitter(Qt.Orientation.Vertical)
            column.setChildrenCollapsible(False)
            for part in parts:
                column.addWidget(part.widget)
            return column
        tabs = QTabWidget()
        tabs.setDocumentMode(True)
        tabs.tabBar().setDrawBase(False)
        tabs.setUsesScrollButtons(True)
        tabs.tabBar().setElideMode(Qt.TextElideMode.ElideNone)
        for part in parts:
            tabs.addTab(part.widget, part.title)
        inside = [part.widget for part in parts]
        last = next((one for one in reversed(self._raised) if one in inside), inside[0])
        tabs.setCurrentWidget(last)
        tabs.currentChanged.connect(of_number(lambda at: self._note(inside[at])))
        self._tabs.append(tabs)
        return tabs

    def _note(self, widget: QWidget) -> None:
        if widget in self._raised:
            self._raised.remove(widget)
        self._raised.append(widget)
