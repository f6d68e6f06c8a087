"""The buttons of a bar that finds: to the place before, to the next, and away."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QToolButton, QWidget

from studio.ui.layouts import row_layout
from studio.ui.look import Look

ICONS = ("chevron_up", "chevron_down", "close")


class FindButtons(QWidget):
    """Three buttons in a row."""

    went = Signal(int)
    """To the place before (-1) or the next (1)."""
    left = Signal()

    def __init__(self, look: Look, parent: QWidget, *, keys: tuple[str, str] = ("", "")) -> None:
        super().__init__(parent)
        self._look = look
        before, following = (f" ({key})" if key else "" for key in keys)
        names = (self.tr("Previous") + before, self.tr("Next") + following, self.tr("Close the search"))
        self._buttons = [self._button(name) for name in names]
        up, down, close = self._buttons
        up.clicked.connect(lambda: self.went.emit(-1))
        down.clicked.connect(lambda: self.went.emit(1))
        close.clicked.connect(self.left)
        row = row_layout(self, 0, look.length("space.tight"))
        for button in self._buttons:
            row.addWidget(button)
        look.changed.connect(self._draw)
        self._draw()

    def _button(self, name: str) -> QToolButton:
        button = QToolButton(self)
        button.setProperty("plain", True)
        button.setToolTip(name)
        button.setAccessibleName(name)
        return button

    def _draw(self) -> None:
        for button, icon in zip(self._buttons, ICONS, strict=True):
            button.setIcon(self._look.icon(icon, "text.muted"))
