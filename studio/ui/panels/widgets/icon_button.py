"""A small button with a mark, as they stand beside the heads of a panel's parts."""

from collections.abc import Callable

from PySide6.QtCore import Qt, SignalInstance
from PySide6.QtWidgets import QToolButton, QWidget

from studio.ui.look import Look


def icon_button(
    look: Look,
    icon: str,
    words: str,
    parent: QWidget,
    act: Callable[..., object] | SignalInstance | None = None,
    side: str = "",
) -> QToolButton:
    """Make one that follows the theme; `words` are its tip, and its name to those who do not see it.

    A press calls `act`, or emits it. `side` names the length of a square one, where it is not to be as high
    as other controls.
    """
    button = _IconButton(look, icon, words, parent)
    if side:
        button.setFixedSize(look.length(side), look.length(side))
    if act is not None:
        button.clicked.connect(act)
    return button


class _IconButton(QToolButton):
    """Draws its mark itself, so that a theme chosen after it is gone asks nothing of it."""

    def __init__(self, look: Look, icon: str, words: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._look, self._icon = look, icon
        self.setProperty("plain", True)
        self.setToolTip(words)
        self.setAccessibleName(words)
        width = look.length("size.icon") + 2 * look.length("space.small") + 2 * look.length("size.hairline")
        self.setFixedSize(width, look.length("size.control"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        look.changed.connect(self._draw)
        self._draw()

    def _draw(self) -> None:
        self.setIcon(self._look.icon(self._icon, "text.muted"))
