"""What stands above the canvas while an earlier moment of a run is shown: which one, and the way back."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel

from studio.trace.figures import duration
from studio.ui.buttons import push_button
from studio.ui.look import Look


class MomentBadge(QFrame):
    """Says which moment the canvas shows; hidden while it shows the present."""

    left = Signal()
    """The run is to be shown as it is now."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setProperty("card", True)
        self._text = QLabel(self)
        self.button = push_button(
            self.tr("Back to now"),
            self,
            self.left,
            tip=self.tr("Show the run as it is now (End in the timeline)"),
        )
        row = QHBoxLayout(self)
        small = look.length("space.small")
        row.setContentsMargins(look.length("space.normal"), small, small, small)
        row.setSpacing(look.length("space.normal"))
        row.addStretch(1)
        row.addWidget(self._text)
        row.addWidget(self.button)
        row.addStretch(1)
        self.hide()

    @property
    def text(self) -> str:
        """What it says; empty while it is hidden."""
        return self._text.text() if not self.isHidden() else ""

    def show_moment(self, seconds: float | None, lasted: float, *, is_reading: bool = False) -> None:
        """Say a moment of a run that has lasted so long; None: go."""
        self.setVisible(seconds is not None)
        if seconds is None:
            return
        words = self.tr("Reading the run…") if is_reading else self.tr("The run at {at} of {lasted}")
        self._text.setText(words.format(at=duration(seconds), lasted=duration(lasted)))
        self.setAccessibleName(self._text.text())
