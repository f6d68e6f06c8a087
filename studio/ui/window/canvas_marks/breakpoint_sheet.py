"""The fields of a breakpoint, on the canvas beside the node or port that it stands at."""

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from studio.app.documents.breakpoints import Breakpoint
from studio.ui.canvas.sheets.sheet import Sheet
from studio.ui.labels import text_label
from studio.ui.look import Look
from studio.ui.panels.debugger.breakpoint_form import BreakpointForm
from studio.ui.viewmodels.words.breakpoint_advice import Advice

WIDE = 300
"""How wide it is at least."""


class BreakSheet(Sheet):
    """Enter keeps what was typed, Escape does not; whoever goes elsewhere keeps what can be kept."""

    kept = Signal(object)
    removed = Signal()
    entered = Signal()

    def __init__(
        self, look: Look, title: str, one: Breakpoint, advice: Advice, place: QRectF, canvas: QWidget
    ) -> None:
        super().__init__(look, place, canvas)
        self.setAccessibleName(title)
        caption = text_label(title, self, "strong")
        self.rows.addWidget(caption)
        self.form = BreakpointForm(look, one, advice, self)
        self.form.kept.connect(self.kept)
        self.form.removed.connect(self._remove)
        self.form.entered.connect(self._enter)
        self.rows.addWidget(self.form)
        for widget in (self.form, *self.form.findChildren(QWidget)):
            widget.installEventFilter(self)
        self.setMinimumWidth(WIDE)

    def focus_first(self) -> None:
        """Put the keyboard into the fields."""
        self.form.focus_first()

    def leave(self) -> None:
        """Keep what can be kept."""
        self.form.keep()
        super().leave()

    def dismiss(self) -> None:
        """Close, and keep nothing more."""
        self.form.blockSignals(True)
        super().dismiss()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """While words are offered, Escape is theirs."""
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape and self.form.is_completing:
            return False
        return super().eventFilter(watched, event)

    def _enter(self) -> None:
        self.entered.emit()
        self.dismiss()

    def _remove(self) -> None:
        self.removed.emit()
        self.dismiss()
