"""What two runs cost and how long they took, as a whole and node by node, in a table."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from studio.trace import figures
from studio.trace.differences.comparison import NodeFigures
from studio.ui.look import Look

MOST = 500
"""Nodes that are listed, the most different ones."""


@dataclass(frozen=True, slots=True)
class FigureRow:
    """A line of the table: a node's title, or what stands for all."""

    title: str
    figures: NodeFigures


class FiguresTable(QTableWidget):
    """Time, tokens and cost of the first run, of the second, and by how much they differ."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.setAccessibleName(self.tr("Time, tokens and cost of both runs"))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setAlternatingRowColors(False)
        self.setShowGrid(False)
        self.verticalHeader().hide()
        titles = (
            self.tr("Node"),
            self.tr("Steps"),
            self.tr("Time"),
            self.tr("Tokens"),
            self.tr("Cost"),
        )
        self.setColumnCount(len(titles))
        self.setHorizontalHeaderLabels(list(titles))
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)

    def show_rows(self, rows: Sequence[FigureRow]) -> None:
        """List the whole and the nodes."""
        self.setRowCount(min(len(rows), MOST))
        for number, row in enumerate(rows[:MOST]):
            one, other = row.figures.first, row.figures.second
            cells = (
                row.title,
                both(f"{one.steps:,}", f"{other.steps:,}", f"{other.steps - one.steps:+,}"),
                both(
                    figures.duration(one.seconds),
                    figures.duration(other.seconds),
                    signed(other.seconds - one.seconds, figures.duration),
                ),
                both(f"{one.tokens:,}", f"{other.tokens:,}", f"{other.tokens - one.tokens:+,}"),
                both(
                    figures.cost(one.cost),
                    figures.cost(other.cost),
                    signed(other.cost - one.cost, figures.cost),
                ),
            )
            for column, text in enumerate(cells):
                item = QTableWidgetItem(text)
                if column:
                    item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                self.setItem(number, column, item)
        self.resizeRowsToContents()


def both(first: str, second: str, more: str) -> str:
    """Write what the first run had, what the second, and the difference; once where they had the same."""
    return first if first == second else f"{first} → {second}  ({more})"


def signed(number: float, write: Callable[[float], str]) -> str:
    """Write a difference with its sign."""
    return f"{'-' if number < 0 else '+'}{write(abs(number))}"
