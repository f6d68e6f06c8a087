"""The outline's tree as a widget: one line to a row, several can be selected, titles are edited in place."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QTreeView, QWidget

from studio.ui.canvas.board import Board
from studio.ui.look import Look
from studio.ui.panels.outline.model import OutlineModel
from studio.ui.panels.outline.rows import RowPainter


class OutlineTree(QTreeView):
    """Shows the rows of a model."""

    def __init__(self, look: Look, model: OutlineModel, board: Board, parent: QWidget) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setItemDelegate(RowPainter(look, board, self))
        self.setHeaderHidden(True)
        self.setUniformRowHeights(True)
        self.setAnimated(False)
        self.setMouseTracking(True)
        self.setIndentation(look.length("space.large"))
        self.setExpandsOnDoubleClick(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Outline of the flow"))
