"""How large a window opens: as it likes to be, and no larger than the screen that it comes up on."""

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

SHARE = 0.9
"""The part of a screen's width and height that a window beside the main one takes at most."""


def open_at(window: QWidget, wanted: QSize) -> None:
    """Give `window` the size that it wants, where the screen has so much room: its buttons stand below."""
    room = window.screen().availableSize() * SHARE
    window.resize(wanted.boundedTo(room))
