"""Buttons with words as they are made everywhere: what they say, why, and what a press does."""

from collections.abc import Callable

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QPushButton, QWidget


def push_button(
    text: str,
    parent: QWidget | None,
    act: Callable[..., object] | SignalInstance | None = None,
    *,
    tip: str = "",
    is_plain: bool = False,
) -> QPushButton:
    """Make a button that calls `act`, or emits it, when it is pressed; a plain one has no frame."""
    button = QPushButton(text, parent) if parent is not None else QPushButton(text)
    if is_plain:
        button.setProperty("plain", True)
    if tip:
        button.setToolTip(tip)
    if act is not None:
        button.clicked.connect(act)
    return button
