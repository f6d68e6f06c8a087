"""Rows of two lines: what they are called, and something smaller below it."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from studio.ui.look import Look

Index = QModelIndex | QPersistentModelIndex


class TwoLines(QStyledItemDelegate):
    """Gives rows their height; what stands in them is painted by those that derive from it."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """As wide as the view, and as high as a line and a smaller one."""
        del option, index
        return QSize(0, self._look.length("size.row") + self._look.length("space.large"))
