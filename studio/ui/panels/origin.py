"""Where a value comes from, as a tree that opens towards what it began with."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from typing import cast

from PySide6.QtCore import QPoint, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QIcon, QKeyEvent, QKeySequence, QPainter, QPixmap, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QMenu, QStackedLayout, QTreeWidget, QTreeWidgetItem, QWidget

from studio.trace.lineage.wire_sources import Spot
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.widgets.empty import EmptyState
from studio.ui.popup_menus import pop_up
from studio.ui.viewmodels.run.origin_rows import OriginRow, OriginRows, words_of

ROW = Qt.ItemDataRole.UserRole
SHARE = 0.6
"""The part of the width that names take; values have the rest."""
NARROW = 13
"""Times the widest space that there must be for both: with less, values are told by tooltips alone."""
MOMENT = 0.008
"""Seconds of work at a time, so that the window goes on."""
OPENS_BY_ITSELF = 12
"""How many rows open by themselves where each leads to one more."""


class OriginPanel(QWidget):
    """Shows one value, or all that a step gave; `titled` tells whose they are."""

    step_chosen = Signal(str)
    run_asked = Signal(str, str)
    """An earlier run, and the step there."""
    titled = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._rows: OriginRows | None = None
        self._spots: tuple[Spot, ...] = ()
        self._searches: deque[tuple[QTreeWidgetItem, Iterator[OriginRow | None]]] = deque()
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._search)
        self.title = ""
        """Whose values they are."""
        self.empty = EmptyState(
            look,
            "step_out",
            self.tr("Where does this come from?"),
            self.tr("Ask this for a value in the inspector, or for a selected node or wire (Ctrl+Alt+O)."),
            self,
        )
        page = QWidget(self)
        self.tree = _Tree(look, self.tr("Sources of the value"), page)
        self.tree.itemExpanded.connect(self._fill)
        self.tree.currentItemChanged.connect(self._choose)
        self.tree.itemClicked.connect(self._choose)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tree.customContextMenuRequested.connect(self._open_menu)
        small = look.length("space.small")
        rows = column_layout(page, small)
        rows.addWidget(self.tree, 1)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(page)
        self.setFocusProxy(self.tree)
        look.changed.connect(self._recolor)

    @property
    def spots(self) -> Sequence[Spot]:
        """What it was asked about."""
        return self._spots

    def show_origin(self, rows: OriginRows, spots: Sequence[Spot]) -> None:
        """Follow these values back."""
        self._rows, self._spots = rows, tuple(spots)
        self._searches.clear()
        self.tree.clear()
        self._stack.setCurrentIndex(1 if spots else 0)
        for spot in spots:
            first = rows.first(spot)
            item = self._item(self.tree, first)
            self._open_along(item)
            group = QTreeWidgetItem([""])
            item.insertChild(0, group)
            group.setFirstColumnSpanned(True)
            group.setExpanded(len(spots) == 1)
            self._searches.append((group, rows.beginnings(spot)))
            if not self.title or spot is spots[0]:
                self._name(first.title)
        self._search()
        if spots:
            self.tree.setCurrentIndex(self.tree.model().index(0, 0))

    def clear(self) -> None:
        """Show nothing: another run is looked at."""
        self._rows, self._spots = None, ()
        self._searches.clear()
        self.tree.clear()
        self._stack.setCurrentIndex(0)
        self._name("")

    def _search(self) -> None:
        """Look for what values began with, a moment at a time: it may lie ten thousand rounds back."""
        until = perf_counter() + MOMENT
        while self._searches:
            group, begun = self._searches[0]
            for row in begun:
                if row is not None:
                    self._item(group, row)
                if perf_counter() > until:
                    self._count(group, self.tr("{count} sources so far…"))
                    self._later.start()
                    return
            self._searches.popleft()
            one = self.tr("1 source")
            self._count(group, one if group.childCount() == 1 else self.tr("{count} sources"))

    @staticmethod
    def _count(group: QTreeWidgetItem, words: str) -> None:
        group.setText(0, words.format(count=f"{group.childCount():,}"))

    def _recolor(self) -> None:
        if self._rows is not None:
            self.show_origin(self._rows, self._spots)

    def _name(self, title: str) -> None:
        self.title = title
        self.titled.emit(title)

    def _open_along(self, first: QTreeWidgetItem) -> None:
        """Open a row, and those after it as long as there is one way only."""
        item: QTreeWidgetItem | None = first
        for _ in range(OPENS_BY_ITSELF):
            if item is None:
                return
            self._fill(item)
            item.setExpanded(True)
            if item.childCount() != 1:
                return
            item = item.child(0)

    def _fill(self, item: QTreeWidgetItem) -> None:
        row = _row_of(item)
        if self._rows is None or row is None or row.spot is None or not item.data(0, ROW + 1):
            return
        item.setData(0, ROW + 1, False)  # Qt takes it by position
        item.setChildIndicatorPolicy(QTreeWidgetItem.ChildIndicatorPolicy.DontShowIndicatorWhenChildless)
        for one in self._rows.before(row.spot):
            self._item(item, one)

    def _item(self, parent: QTreeWidget | QTreeWidgetItem, row: OriginRow) -> QTreeWidgetItem:
        said = " · ".join(one for one in (row.detail, row.value) if one)
        item = QTreeWidgetItem([row.title, said])
        item.setData(0, ROW, row)
        item.setToolTip(0, f"{row.title}\n{said}")
        item.setToolTip(1, said)
        item.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"{row.title}, {said}")
        item.setForeground(1, self._look.color("text.muted"))
        if row.color:
            item.setIcon(0, _dot(self._look, row.color))
        if row.spot is not None:
            item.setData(0, ROW + 1, True)
            item.setChildIndicatorPolicy(QTreeWidgetItem.ChildIndicatorPolicy.ShowIndicator)
        if isinstance(parent, QTreeWidget):
            parent.addTopLevelItem(item)
        else:
            parent.addChild(item)
        return item

    def _choose(self, item: QTreeWidgetItem | None, *_: object) -> None:
        row = _row_of(item)
        if row is not None and row.step and self.tree.hasFocus():
            self.step_chosen.emit(row.step)

    def _open_menu(self, at: QPoint) -> None:
        menu = self.make_menu()
        pop_up(menu, self.tree.viewport().mapToGlobal(at))

    def make_menu(self) -> QMenu:
        """What can be done with the row that the keyboard stands on."""
        menu, row = QMenu(self), _row_of(self.tree.currentItem())
        if row is None:
            return menu
        show = menu.addAction(self.tr("Show the step"), self._doing(lambda: self.step_chosen.emit(row.step)))
        show.setEnabled(bool(row.step))
        if row.run:
            asked = self._doing(lambda: self.run_asked.emit(row.run, row.origin))
            menu.addAction(self.tr("Open the run it was taken from"), asked)
        menu.addAction(self.tr("Copy"), self.tree.copy)
        return menu

    @staticmethod
    def _doing(act: Callable[[], object]) -> Callable[[], None]:
        def do() -> None:
            act()

        return do


class _Tree(QTreeWidget):
    """Two columns: what was read where, and what it was. Ctrl+C copies a row with all beneath it."""

    def __init__(self, look: Look, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._narrow = look.length("space.wide") * NARROW
        self.setIndentation(look.length("space.large"))
        self.setHeaderHidden(True)
        self.setColumnCount(2)
        self.setAccessibleName(name)
        self.setUniformRowHeights(True)
        self.setExpandsOnDoubleClick(True)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        self.header().setStretchLastSection(True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """What was read where takes most of the room: it stands ever further to the right."""
        super().resizeEvent(event)
        width = self.viewport().width()
        self.setColumnHidden(1, width < self._narrow)
        self.header().resizeSection(0, round(width * SHARE))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy; all else as lists do."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
            return
        super().keyPressEvent(event)

    def copy(self) -> None:
        """Copy the row that the keyboard stands on, and those that are open beneath it."""
        item = self.currentItem()
        if item is not None:  # pyright: ignore[reportUnnecessaryComparison]
            QGuiApplication.clipboard().setText("\n".join(_lines(item, 0)))


def _lines(item: QTreeWidgetItem | None, depth: int) -> list[str]:
    if item is None:
        return []
    row = _row_of(item)
    said = "".join(words_of([row])) if row is not None else item.text(0)
    lines = [f"{'  ' * depth}{said}"]
    for at in range(item.childCount()):
        lines += _lines(item.child(at), depth + 1)
    return lines


def _row_of(item: QTreeWidgetItem | None) -> OriginRow | None:
    return None if item is None else cast("OriginRow | None", item.data(0, ROW))


def _dot(look: Look, color: str) -> QIcon:
    size = look.length("size.dot")
    picture = QPixmap(size * 4, size * 4)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(look.color(color))
    painter.drawEllipse(QRectF(size, size, size * 2, size * 2))
    painter.end()
    return QIcon(picture)
