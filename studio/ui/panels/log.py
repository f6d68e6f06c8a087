"""What the nodes of the shown run wrote, line by line."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QStackedLayout, QWidget

from studio.flow.records import CallingLibrary, Flow
from studio.ids import StepId
from studio.ui.look import Look
from studio.ui.panels.widgets.empty import EmptyState
from studio.ui.viewmodels.words import count_words

LINES_KEPT = 5_000


class LogPanel(QWidget):
    """Shows the log of a run; lines are added at the end, never written again."""

    grew = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._count = 0
        self.empty = EmptyState(
            look,
            "info",
            self.tr("The log is empty"),
            self.tr("Lines that nodes write while they run appear here."),
            self,
        )
        self.text = QPlainTextEdit(self)
        self.text.setReadOnly(True)
        self.text.setUndoRedoEnabled(False)
        self.text.setMaximumBlockCount(LINES_KEPT)
        self.text.setProperty("plain", True)
        self.text.setProperty("mono", True)
        self.text.setAccessibleName(self.tr("Log"))
        self.text.document().setDocumentMargin(look.length("space.normal"))
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.text)

    def clear(self) -> None:
        """Begin with another run."""
        self._count = 0
        self.text.clear()
        self._stack.setCurrentIndex(0)

    def show_log(
        self,
        flow: Flow,
        began: float,
        log: Sequence[tuple[float, StepId, str]],
        library: CallingLibrary | None = None,
    ) -> None:
        """Add the lines that came since the last call; fewer than before are those of an earlier moment."""
        if len(log) < self._count:
            self.clear()
        fresh = log[self._count :][-LINES_KEPT:]
        if not fresh:
            return
        self._count = len(log)
        lines = [self._line(flow, time - began, step, text, library) for time, step, text in fresh]
        bar = self.text.verticalScrollBar()
        was_at_end = bar.value() >= bar.maximum() - 2
        self.text.appendPlainText("\n".join(lines))
        if was_at_end:
            self.text.moveCursor(QTextCursor.MoveOperation.End)
        self._stack.setCurrentIndex(1)
        self.grew.emit()

    def _line(
        self, flow: Flow, seconds: float, step: StepId, text: str, library: CallingLibrary | None
    ) -> str:
        who = count_words.step_title(flow, step, library) if step else self.tr("run")
        return f"{seconds:8.3f} s  {who}: {text}"
