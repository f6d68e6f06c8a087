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
    button.setFixedSize(look.length("size.control"), look.length("size.control"))
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def draw() -> None:
        button.setIcon(look.icon(icon, "text.muted"))

    look.changed.connect(draw)
    draw()
    return button
