"""A JSON value as a tree that folds; branches are read when they are opened."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QShowEvent, QWheelEvent
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem, QWidget

from studio.flow.plain_text import excerpt, pretty
from studio.ui.look import Look

ROWS = 16
"""Rows that it is high at most; more are scrolled to."""
MOST = 500
"""Elements of one list or object that are shown."""
LONGEST = 200
"""Characters of a text in its row; the tooltip has more."""

_DATA = Qt.ItemDataRole.UserRole


class JsonTree(QTreeWidget):
    """Shows one value; Ctrl+C copies what the row that the keyboard stands on has, as JSON or text."""

    def __init__(self, look: Look, name: str, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = text
        """The JSON that it shows."""
        self._look = look
        self.setColumnCount(2)
        self.setHeaderHidden(True)
        self.setUniformRowHeights(True)
        self.setAccessibleName(name)
        self.setProperty("plain", True)
        self.setFrameShape(QTreeWidget.Shape.NoFrame)
        self.setIndentation(look.length("space.large"))
        self.itemExpanded.connect(self._open)
        self.itemExpanded.connect(self._fit)
        self.itemCollapsed.connect(self._fit)
        look.changed.connect(self._fill)
        self._fill()

    def _fill(self) -> None:
        self.clear()
        self._put(self.invisibleRootItem(), json.loads(self.text))
        if self.topLevelItemCount() == 1:
            self.expand(self.model().index(0, 0))
        self.resizeColumnToContents(0)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        """Only now the rows have the height that the style gives them."""
        super().showEvent(event)
        self.doItemsLayout()
        self._fit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The page scrolls, unless there is more in here than it shows."""
        if self.verticalScrollBar().maximum():
            super().wheelEvent(event)
        else:
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy; all else as lists do."""
        item = self.currentItem()
        if event.matches(QKeySequence.StandardKey.Copy) and item is not None:  # pyright: ignore[reportUnnecessaryComparison]
            QGuiApplication.clipboard().setText(pretty(item.data(1, _DATA)))
            return
        super().keyPressEvent(event)

    def _open(self, item: QTreeWidgetItem) -> None:
        if not item.childCount():
            self._put(item, item.data(1, _DATA))

    def _put(self, parent: QTreeWidgetItem, data: object) -> None:
        pairs, many = _children(data)
        for name, value in pairs:
            item = QTreeWidgetItem(parent, [name, _said(value)])
            item.setData(1, _DATA, value)
            item.setForeground(0, self._look.color("text.muted"))
            item.setToolTip(1, excerpt(value, LONGEST * 5))
            item.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"{name}: {_said(value)}")
            if _children(value)[1]:
                item.setChildIndicatorPolicy(QTreeWidgetItem.ChildIndicatorPolicy.ShowIndicator)
        if many > MOST:
            QTreeWidgetItem(parent, ["…", self.tr("{count} more").format(count=f"{many - MOST:,}")])

    def _fit(self, *_: object) -> None:
        """Be as high as the rows that are open."""
        rows = 0
        item = self.topLevelItem(0)
        while item is not None and rows < ROWS:
            rows += 1
            item = self.itemBelow(item)
        height = self.sizeHintForRow(0)
        self.setFixedHeight(rows * height + 4)


def _children(data: object) -> tuple[Iterable[tuple[str, object]], int]:
    """Names and values of what is in a value, and how many there are."""
    if isinstance(data, Mapping):
        fields = cast("Mapping[str, object]", data)
        return list(fields.items())[:MOST], len(fields)
    if isinstance(data, Sequence) and not isinstance(data, str):
        elements = cast("Sequence[object]", data)
        return [(str(at), one) for at, one in enumerate(elements[:MOST], 1)], len(elements)
    return (), 0


def _said(value: object) -> str:
    return excerpt(value, LONGEST)
