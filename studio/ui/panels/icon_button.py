"""A small button with a mark, as they stand beside the heads of a panel's parts."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton, QWidget

from studio.ui.look import Look


def icon_button(look: Look, icon: str, words: str, parent: QWidget) -> QToolButton:
    """Make one that follows the theme; `words` are its tip, and its name to those who do not see it."""
    button = QToolButton(parent)
    button.setProperty("plain", True)
    button.setToolTip(words)
    button.setAccessibleName(words)
    width = look.length("size.icon") + 2 * look.length("space.small") + 2 * look.length("size.hairline")
    button.setFixedSize(width, look.length("size.control"))
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def draw() -> None:
        button.setIcon(look.icon(icon, "text.muted"))

    look.changed.connect(draw)
    draw()
    return button
