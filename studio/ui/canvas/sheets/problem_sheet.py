"""What is wrong at a mark, in sentences, with the buttons that mend it: the rows of the Problems panel."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtWidgets import QWidget

from studio.flow.checks.problem import Problem
from studio.flow.records import Flow
from studio.ui.canvas.sheets.sheet import Sheet
from studio.ui.look import Look
from studio.ui.panels.problems import ProblemRow

WIDTH = 340
MOST = 6
"""Problems that a sheet lists; the Problems panel has all of them."""

Hint = Callable[[Problem], str]
"""Says what mends a problem by hand."""


class ProblemSheet(Sheet):
    """Closes when a remedy was pressed."""

    mended = Signal(object)
    """The change of the remedy that was pressed."""

    def __init__(
        self, look: Look, flow: Flow, problems: Sequence[Problem], hint: Hint, place: QRectF, canvas: QWidget
    ) -> None:
        super().__init__(look, place, canvas)
        self.setAccessibleName(self.tr("Problems here"))
        self.setFixedWidth(min(WIDTH, max(160, canvas.width() - 12)))
        self.problem_rows = [ProblemRow(look, flow, one, self, hint(one)) for one in problems[:MOST]]
        for row in self.problem_rows:
            row.setProperty("card", False)
            row.mended.connect(self._mend)
            for button in row.remedies:
                button.installEventFilter(self)
            row.installEventFilter(self)
            self.rows.addWidget(row)

    @property
    def buttons(self) -> list[QWidget]:
        """The remedies, as they stand from above."""
        return [button for row in self.problem_rows for button in row.remedies]

    def focus_first(self) -> None:
        """The first remedy is one press of Space away."""
        first = next(iter([*self.buttons, *self.problem_rows]), self)
        first.setFocus(Qt.FocusReason.PopupFocusReason)

    def _mend(self, change: object) -> None:
        self.dismiss()
        self.mended.emit(change)
