"""What is wrong with the flow, each with the buttons that mend it."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from studio.flow.checks.check import Problem
from studio.flow.plain_text import quoted
from studio.flow.records import Flow, title_of
from studio.ui.buttons import push_button
from studio.ui.labels import text_label
from studio.ui.later import later
from studio.ui.layouts import column_layout, row_layout
from studio.ui.look import Look
from studio.ui.panels.widgets.button_rows import Wrapping
from studio.ui.panels.widgets.empty import EmptyState
from studio.ui.removal import take_out

MOST = 200
"""Problems listed at once."""


def _no_hint(_problem: Problem) -> str:
    return ""


class ProblemRow(QFrame):
    """One problem: a click or Enter shows its node."""

    chosen = Signal()
    mended = Signal(object)
    """The change of the remedy that was pressed."""

    def __init__(
        self, look: Look, flow: Flow, problem: Problem, parent: QWidget | None = None, hint: str = ""
    ) -> None:
        super().__init__(parent)
        self.problem = problem
        self.setProperty("card", True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor if problem.node else Qt.CursorShape.ArrowCursor)
        self.setAccessibleName(quoted(problem.message))
        is_error = problem.severity == "error"
        icon = QLabel(self)
        side = look.length("size.icon")
        icon.setPixmap(
            look.icon(
                "error" if is_error else "warning", "state.failed" if is_error else "state.held"
            ).pixmap(side, side)
        )
        text = text_label(quoted(problem.message), self, wraps=True)
        row = QHBoxLayout(self)
        small = look.length("space.small")
        row.setContentsMargins(look.length("space.normal"), small, small, small)
        row.setSpacing(look.length("space.normal"))
        row.addWidget(icon, alignment=Qt.AlignmentFlag.AlignTop)
        words = column_layout(spacing=0)
        words.addWidget(text)
        if hint and not problem.remedies:
            self.setAccessibleDescription(quoted(hint))
            said = text_label(quoted(hint), self, "label", "muted", wraps=True)
            words.addWidget(said)
        first = row_layout(spacing=look.length("space.normal"))
        first.addLayout(words, 1)
        lines = column_layout(spacing=small)
        lines.addLayout(first)
        row.addLayout(lines, 1)
        if problem.node is not None:
            where = text_label(title_of(flow, problem.node), self, "label", "muted")
            first.addWidget(where, alignment=Qt.AlignmentFlag.AlignTop)
        self.remedies: list[QPushButton] = []
        buttons = Wrapping(spacing=small)
        for remedy in problem.remedies:
            button = push_button(f"{remedy.label[:1].upper()}{remedy.label[1:]}", self)
            button.clicked.connect(lambda _=False, change=remedy.change: self.mended.emit(change))
            button.setToolTip(button.text())
            buttons.addWidget(button)
            self.remedies.append(button)
        if self.remedies:
            lines.addLayout(buttons)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Show the node."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter shows the node."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.chosen.emit()
            return
        super().keyPressEvent(event)


class ProblemsPanel(QWidget):
    """Lists problems; `counted` tells how many there are."""

    chosen = Signal(object)
    """The problem whose node and wires are to be shown."""
    mended = Signal(object)
    counted = Signal(int)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._shown: tuple[Problem, ...] | None = None
        self.rows: list[ProblemRow] = []
        self.count = 0
        """How many problems there were when they were last looked for."""
        self.empty = EmptyState(
            look, "done", self.tr("No problems"), self.tr("The flow is ready to run."), self
        )
        self._area = area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._page = QWidget(area)
        self._list = QVBoxLayout(self._page)
        self._list.setContentsMargins(*(look.length("space.normal"),) * 4)
        self._list.setSpacing(look.length("space.small"))
        self._list.addStretch(1)
        area.setWidget(self._page)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(area)

    def show_problems(
        self, flow: Flow, problems: Sequence[Problem], hint: Callable[[Problem], str] = _no_hint
    ) -> None:
        """List these problems, if they are others than those listed; `hint` says what mends one by hand."""
        if tuple(problems) == self._shown:
            return
        self._shown = tuple(problems)
        bar = self._area.verticalScrollBar()
        at = bar.value()
        if self._page.isAncestorOf(self.focusWidget()):
            self._area.setFocus()  # else the focus wanders from row to row as they go, and the list with it
        for row in self.rows:
            take_out(self._list, row)
        self.rows = [
            ProblemRow(self._look, flow, problem, self._page, hint(problem)) for problem in self._shown[:MOST]
        ]
        for number, row in enumerate(self.rows):
            row.chosen.connect(lambda problem=row.problem: self.chosen.emit(problem))
            row.mended.connect(self.mended)
            self._list.insertWidget(number, row)
        self._stack.setCurrentIndex(1 if self.rows else 0)
        later(bar, lambda: bar.setValue(at))
        self.count = len(problems)
        self.counted.emit(self.count)
